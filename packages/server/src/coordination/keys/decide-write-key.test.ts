import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry } from '@strata/api'
import { decideWriteKey, type WriteKeyFacts } from './decide-write-key.ts'

const k1 = 'aesgcm:one:111111111111'
const k2 = 'aesgcm:two:222222222222'
const plain = 'identity'
const vault1 = 'kms:vault:aaaaaaaaaaaa'
const vault2 = 'kms:vault:bbbbbbbbbbbb'
const vault = 'kms:vault:*'

const other = (writeKey: string, ...readableKeys: string[]): AgreementEntry => ({
  serverID: `b${readableKeys.length}`,
  process: `b-${readableKeys.length}`,
  encodingVersion: 'v1',
  ...{ decodableVersions: ['v1'], servedVersions: [], guarantee: 'strict', encoderFingerprint: 'f' },
  ...{ writeKey, readableKeys: [writeKey, ...readableKeys] },
})
const own = (writeKey: string): AgreementEntry => ({ ...other(writeKey), serverID: 'a', process: 'a-1' })
const has = (...keys: string[]) => ({ preferred: keys[0], writable: keys, readable: keys, retired: [] })

/** A record that says so of keys; what else is in it does not matter here. */
function remembers(keys: readonly string[], encodings: readonly string[]) {
  const persisted = keys.map((writeKey) => ({ encodingVersion: 'v1', writeKey, epoch: 1 }))
  return { epoch: 1, encodings, persisted }
}

const base: WriteKeyFacts = {
  keys: has(k2, k1),
  process: 'a-1',
  entries: [own(k1), other(k1, k2)],
  previous: remembers([k1], [`v1 ${k1} f strict`]),
  isFleetComplete: true,
  unregistered: [],
  elsewhere: undefined,
}
/** Nobody has written yet, and there are others who have no entry. */
const fresh = (...unregistered: WriteKeyFacts['unregistered']): Partial<WriteKeyFacts> => ({
  ...{ entries: [], previous: undefined, isFleetComplete: false, unregistered },
})
const live = (...reads: string[]) => ({ serverID: 'b', writes: reads[0] ?? '', reads })
const silent = { serverID: 'c', reads: undefined }

const cases: ReadonlyArray<
  [name: string, facts: Partial<WriteKeyFacts>, writeKey: string, problem?: RegExp]
> = [
  ['a key that everyone reads is promoted', {}, k2],
  ['a key that somebody does not read is not', { entries: [own(k1), other(k1)] }, k1],
  ['nor while a live server has said nothing', { isFleetComplete: false }, k1],
  [
    'what was named while writes were refused was never written: not gone on with, though a third does not read what is written',
    { entries: [{ ...own(k2), refusesWrites: true }, other(k1), { ...other(k2), refusesWrites: true }] },
    k1,
  ],
  ['who is alone promotes at once', { entries: [own(k1)] }, k2],
  ['who comes back goes on with what the others write', { entries: [other(k1)] }, k1],
  ['… or with what was written last', { entries: [], isFleetComplete: false }, k1],
  [
    'where nothing was ever written and nobody is alive who could not read it, what is preferred',
    fresh(),
    k2,
  ],
  ['… if those read it who have no entry yet, too', fresh(live(k1, k2)), k2],
  ['… and else what all of them read', fresh(live(k1, k2), { ...live(k1), serverID: 'd' }), k1],
  [
    '… with an entry or without',
    { ...fresh(live(k1, k2)), entries: [{ ...other(k1), refusesWrites: true }] },
    k1,
  ],
  [
    'unknown history is not nothing: a record that was lost says nothing of who reads what',
    { ...fresh(live(k1)), previous: remembers(['Unknown'], []) },
    k1,
  ],
  [
    'who reads no key of this server keeps it from beginning',
    fresh(live('aesgcm:three:333333333333')),
    k2,
    /can write under aesgcm:two:2+ only, which b cannot read/,
  ],
  [
    'who says nothing of keys keeps it from beginning, by its name',
    fresh(live(k1, k2), silent),
    k2,
    /it is unknown whether c can read aesgcm:two:2+/,
  ],
  ['… but not from going on as elsewhere', { ...fresh(silent), elsewhere: k1 }, k1],
  [
    '… unless somebody else does not read that',
    { ...fresh(silent, live(k2)), elsewhere: k1 },
    k2,
    /it is unknown whether/,
  ],
  ['… nor who encrypts nothing', { ...fresh(silent), keys: has(plain) }, plain],
  [
    'what all could read is not stored as it is where all were told to encrypt',
    { ...fresh(live(k1, plain)), keys: has(k2, plain) },
    k2,
    /which b cannot read/,
  ],
  ['… but where somebody stores it so anyway', { ...fresh(live(plain)), keys: has(k2, plain) }, plain],
  ['… or this server does so elsewhere', { ...fresh(), keys: has(k2, plain), elsewhere: plain }, plain],
  [
    'in the middle of a rotation a resource that is new begins with the old key',
    { ...fresh(), elsewhere: k1 },
    k1,
  ],
  ['… and with the new one where that is written already', { ...fresh(), elsewhere: k2 }, k2],
  [
    'a KMS that has not answered is not replaced for what is new either',
    {
      ...fresh(live(k1, plain)),
      keys: { preferred: undefined, writable: [k1, plain], readable: [vault, k1, plain], retired: [] },
    },
    vault,
    /has not answered yet/,
  ],
  [
    'from nothing to a key',
    {
      keys: has(k1, plain),
      entries: [own(plain), other(plain)],
      previous: remembers([plain], ['v1 identity f strict']),
    },
    plain,
  ],
  [
    '… once all have it',
    {
      keys: has(k1, plain),
      entries: [own(plain), other(plain, k1)],
      previous: remembers([plain], ['v1 identity f strict']),
    },
    k1,
  ],
  [
    'and back',
    {
      keys: has(plain, k1),
      entries: [own(k1), other(k1, plain)],
      previous: remembers([k1], [`v1 ${k1} f strict`]),
    },
    plain,
  ],
  [
    'a promoted key stays while another server still writes the old one',
    { entries: [own(k2), other(k1, k2)] },
    k2,
  ],
  [
    'a start without a key that is stored is refused',
    { keys: has(k2), entries: [other(k1, k2)] },
    k2,
    /may be under aesgcm:one:1+, which this server does not have/,
  ],
  ['… also if nobody else is there', { keys: has(k2), entries: [] }, k2, /does not have/],
  [
    '… and names what is stored, if that was looked at',
    { keys: has(k2), entries: [], unproven: 'default/x is stored' },
    k2,
    /what is stored may be under aesgcm:one:1+, which this server does not have \(default\/x is stored\); add it/,
  ],
  ['… also without any encryption', { keys: has(plain), entries: [] }, plain, /does not have/],
  [
    'a start without identity over plain objects is refused',
    { keys: has(k1), entries: [], previous: remembers([plain], ['v1 identity f strict']) },
    k1,
    /may be under identity.*add the provider identity/,
  ],
  [
    'unknown history names no key that could be missing',
    { entries: [], previous: remembers(['Unknown', k1], []) },
    k2,
  ],
  [
    'of a record without a memory, what is written in its epoch is known',
    { keys: has(k2), entries: [], previous: { epoch: 1, encodings: [`v1 ${k1} f strict`] } },
    k2,
    /does not have/,
  ],
  [
    'who could write only what others do not read writes nothing',
    { keys: has(k2), entries: [other(plain, k1)], previous: remembers([k2], []) },
    k2,
    /does not have|cannot read/,
  ],
  [
    'a retired key that is in use can still be written under',
    {
      keys: { preferred: k2, writable: [k2, k1], readable: [k2], retired: [k1] },
      entries: [own(k1), other(k1)],
    },
    k1,
  ],
  [
    'a retired key that nothing is under does not come into use again: this server would not say that it reads it',
    {
      ...fresh(live(plain)),
      keys: { preferred: k2, writable: [k2, k1, plain], readable: [k2, k1], retired: [plain] },
    },
    k2,
    /which b cannot read/,
  ],
  [
    'another secret under the same name is another key',
    { keys: has('aesgcm:one:333333333333'), entries: [own(k1)] },
    'aesgcm:one:333333333333',
    /may be under aesgcm:one:1/,
  ],
  [
    'a KMS opens what it has sealed under older keys',
    {
      keys: { preferred: vault2, writable: [vault2, vault1], readable: [vault2, vault], retired: [] },
      entries: [own(vault1), other(vault1, vault2, vault)],
      previous: remembers([vault1], []),
    },
    vault2,
  ],
  [
    'its new key waits until every plugin has shown to know it',
    {
      keys: { preferred: vault2, writable: [vault2, vault1], readable: [vault2, vault], retired: [] },
      entries: [own(vault1), other(vault1, vault)],
      previous: remembers([vault1], []),
    },
    vault1,
  ],
  [
    'who refuses writes writes under nothing that others would need',
    { keys: has(k1), entries: [own(k1), { ...other(k2), refusesWrites: true }] },
    k1,
  ],
  [
    'who writes already goes on when somebody comes whose KMS has not answered',
    {
      keys: { preferred: vault1, writable: [vault1], readable: [vault1, vault], retired: [] },
      entries: [own(vault1), other('kms:vault:*')],
      previous: remembers([vault1], [`v1 ${vault1} f strict`]),
    },
    vault1,
  ],
  [
    'a KMS that has not answered is not replaced by no encryption',
    {
      keys: { preferred: undefined, writable: [plain], readable: [vault, plain], retired: [] },
      entries: [other(vault1, plain, vault)],
      previous: remembers([plain, vault1], [`v1 ${vault1} f strict`]),
    },
    vault,
    /has not answered yet/,
  ],
  [
    'a KMS that has not answered writes nothing',
    {
      keys: { preferred: undefined, writable: [], readable: [vault], retired: [] },
      entries: [],
      previous: remembers([vault1], []),
    },
    vault,
    /has not answered yet/,
  ],
]
for (const [name, facts, writeKey, problem] of cases) {
  test(`write key: ${name}`, () => {
    const decision = decideWriteKey({ ...base, ...facts })
    if (problem) assert.match(decision.keyProblem ?? 'none', problem)
    else assert.equal(decision.keyProblem, undefined)
    assert.equal(decision.writeKey, writeKey)
  })
}

const waits: ReadonlyArray<[name: string, facts: Partial<WriteKeyFacts>, wantedKey: string | undefined]> = [
  ['nothing is wanted by who is given it', {}, undefined],
  ['what somebody does not read is wanted', { entries: [own(k1), other(k1)] }, k2],
  ['so is what nobody may have said that it reads', { isFleetComplete: false }, k2],
  ['a resource that is new and begins with another key wants its own', fresh(live(k1)), k2],
  ['who is told to write what it writes wants nothing', { keys: has(k1, k2) }, undefined],
  ['who writes nothing says why, and not what it wants', { keys: has(k2), entries: [other(k1)] }, undefined],
  [
    'what a KMS that has not answered would name is not known',
    { keys: { preferred: undefined, writable: [k1], readable: [vault, k1], retired: [] } },
    undefined,
  ],
]
for (const [name, facts, wantedKey] of waits) {
  test(`wanted key: ${name}`, () => {
    assert.equal(decideWriteKey({ ...base, ...facts }).wantedKey, wantedKey)
  })
}

test('write key: what was decided on Leases says so, and nothing else does', () => {
  assert.equal(decideWriteKey({ ...base, ...fresh(live(k1)) }).reliesOnLeases, true)
  assert.equal(decideWriteKey(base).reliesOnLeases, undefined)
  assert.equal(
    decideWriteKey({ ...base, unregistered: [live(k1)], isFleetComplete: false }).reliesOnLeases,
    undefined,
  )
})

test('write key: a retired key is named while somebody may need it, and not longer', () => {
  const keys = { preferred: k2, writable: [k2, k1], readable: [k2], retired: [k1] }
  assert.deepEqual(decideWriteKey({ ...base, keys }).readableKeys, [k2, k1])
  const proven = { entries: [own(k2), other(k2, k1)], previous: remembers([k2], []) }
  assert.deepEqual(decideWriteKey({ ...base, ...proven, keys }).readableKeys, [k2])
  const unknown = { ...proven, previous: remembers(['Unknown', k2], []) }
  assert.deepEqual(decideWriteKey({ ...base, ...unknown, keys }).readableKeys, [k2, k1])
})
