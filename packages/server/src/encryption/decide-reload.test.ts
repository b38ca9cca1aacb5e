import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainKey } from '@strata/api'
import { decideReload, mayBeUnused, type ReloadedResource } from './decide-reload.ts'

const k1 = 'aescbc:one:111111111111'
const k2 = 'aesgcm:two:222222222222'
/** A record that remembers these keys. */
function remembers(keys: readonly string[], servers: ReloadedResource['record']['servers']) {
  const persisted = keys.map((writeKey) => ({ encodingVersion: 'v1', writeKey, epoch: 1 }))
  return { epoch: 1, encodings: [], persisted, servers }
}
const base: ReloadedResource = {
  resource: 'secrets',
  before: [k2, k1],
  after: [k2],
  record: remembers([k2], [{ writeKey: k2 }]),
}
const cases: ReadonlyArray<[name: string, more: Partial<ReloadedResource>, problem: RegExp | undefined]> = [
  ['a key that nothing is under may go', {}, undefined],
  ['a key may come', { after: ['aesgcm:three:333333333333', k2, k1] }, undefined],
  [
    'a key under which something may be stored stays',
    { record: remembers([k1, k2], [{ writeKey: k2 }]) },
    /secrets may still have objects under aescbc:one:1+;/,
  ],
  [
    'a key that another server writes with stays',
    { record: remembers([k2], [{ writeKey: k2 }, { writeKey: k1 }]) },
    /under aescbc:one/,
  ],
  [
    'identity stays while something may be stored as it is',
    { before: [k2, 'identity'], record: remembers([k2, 'identity'], [{ writeKey: k2 }]) },
    /under identity;/,
  ],
  [
    'no key is dropped while the stored objects are unknown',
    { record: remembers(['Unknown', k2], [{ writeKey: k2 }]) },
    /it is unknown whether secrets has objects under aescbc:one/,
  ],
  [
    'nor by a record that a release without this memory has written',
    { record: { epoch: 1, encodings: [`v1 ${k2} f strict`], servers: [{ writeKey: k2 }] } },
    /it is unknown whether secrets has objects under aescbc:one/,
  ],
  [
    'what is unknown does not keep a key from coming',
    { after: [k2, k1], record: remembers(['Unknown'], []) },
    undefined,
  ],
  [
    'another secret under the same name drops the one before',
    { before: [k2], after: ['aesgcm:two:999999999999'] },
    /under aesgcm:two:2/,
  ],
  [
    'a KMS that stays opens all of its keys',
    {
      before: ['kms:v:a', 'kms:v:*'],
      after: [k2, 'kms:v:*'],
      record: remembers(['kms:v:b'], [{ writeKey: 'kms:v:a' }]),
    },
    undefined,
  ],
  [
    'what is stored of a resource that no server writes is named, with the way out',
    { record: remembers([k1], []), unproven: 'default/x is stored' },
    /secrets may still have objects under aescbc:one:1+ \(default\/x is stored; if its CRD was deleted, create its CRD again, and migrate or delete what is stored\);/,
  ],
  [
    'the way out names the resource',
    { record: remembers([k1], []) },
    /run "strata migrate secrets", see with "strata census secrets" that nothing is left/,
  ],
  [
    'a KMS that goes takes its keys with it',
    { before: ['kms:v:a', 'kms:v:*'], record: remembers(['kms:v:b', k2], []) },
    /under kms:v:b/,
  ],
]
for (const [name, more, problem] of cases) {
  test(`reload of encryption: ${name}`, () => {
    const refusal = decideReload([{ ...base, ...more }])
    if (problem) assert.match(refusal ?? 'taken', problem)
    else assert.equal(refusal, undefined)
  })
}

const looks: ReadonlyArray<[name: string, more: Partial<ReloadedResource>, isLookedAt: boolean]> = [
  ['no server writes it, and its key goes', { record: remembers([k1], []) }, true],
  [
    'all servers refuse to write it',
    { record: remembers([k1], [{ writeKey: k2, refusesWrites: true }]) },
    true,
  ],
  ['the stored objects are unknown', { record: remembers(['Unknown'], []) }, true],
  ['a server writes it', { record: remembers([k1, k2], [{ writeKey: k2 }]) }, false],
  ['its key stays', { after: [k2, k1], record: remembers([k1], []) }, false],
]
for (const [name, more, isLookedAt] of looks) {
  test(`reload of encryption: ${isLookedAt ? 'a look may help' : 'no look is taken'} where ${name}`, () =>
    assert.equal(mayBeUnused({ ...base, ...more }), isLookedAt))
}

test('reload: a resource that no rule names any more is named', () => {
  const record = remembers([k1], [])
  const decided = decideReload([{ resource: 'secrets', before: [k1], after: [plainKey], record }])
  assert.match(decided ?? '', /^no rule names secrets any more; it drops keys/)
  const kept = decideReload([{ resource: 'secrets', before: [k1, k2], after: [k2], record }])
  assert.match(kept ?? '', /^it drops keys/)
})
