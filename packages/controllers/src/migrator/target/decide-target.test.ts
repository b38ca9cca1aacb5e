import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AgreementCondition,
  AgreementEntry,
  AgreementStatus,
  CustomResourceDefinition,
  StorageAgreement,
  StorageVersion,
} from '@strata/api'
import { decideTarget, type TargetObservation } from './decide-target.ts'
import type { Observed } from './observed.ts'
import {
  decideMovement,
  type MigrationTarget,
  sameTarget,
  type TargetDecision,
  targetText,
} from './target.ts'

const resource = { group: 'example.dev', resource: 'things' }
const found = <T>(object: T) => ({ kind: 'found', object }) as const
const absent = { kind: 'absent' } as const
const hidden = { kind: 'hidden' } as const

const holds = (type: AgreementCondition['type'], status: 'True' | 'False' = 'True', message = '') => ({
  ...{ type, status, message, reason: 'Because', lastTransitionTime: '2026-01-01T00:00:00Z' },
})
const equal = holds('AllEncodingVersionsEqual')
const reported = holds('AllServersReported')
const fence = holds('Fenced')

function record(status: Partial<AgreementStatus> = {}): Observed<StorageAgreement> {
  return found({
    metadata: { uid: 'r', resourceVersion: '70' },
    spec: resource,
    status: {
      epoch: 3,
      encodings: ['example.dev/v2 identity f strict'],
      agreedVersion: 'example.dev/v2',
      servers: [],
      conditions: [equal, reported, fence],
      ...status,
    },
  })
}

function definition(
  more: Partial<CustomResourceDefinition['metadata']> = {},
  storage = 'v2',
  established = 'True',
) {
  return found({
    metadata: { name: 'things.example.dev', uid: 'u', generation: 2, ...more },
    spec: { versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storage })) },
    status: { conditions: [{ type: 'Established', status: established }] },
  } as unknown as CustomResourceDefinition)
}

function storageVersion(common: string | undefined, ...servers: readonly string[]): Observed<StorageVersion> {
  return found({
    metadata: { name: 'example.dev.things', resourceVersion: '9' },
    spec: {},
    status: {
      ...(common === undefined ? {} : { commonEncodingVersion: common }),
      storageVersions: servers.map((apiServerID) => ({
        apiServerID,
        encodingVersion: common ?? apiServerID,
        decodableVersions: [],
      })),
      conditions: [],
    },
  })
}

const nothing: TargetObservation = {
  resource,
  agreement: absent,
  storageVersion: absent,
  identities: [],
  definition: absent,
  hashes: [undefined],
  isNamed: false,
}

type Wanted = string | RegExp
const cases: readonly (readonly [name: string, seen: Partial<TargetObservation>, wanted: Wanted])[] = [
  ['a fenced record', { agreement: record() }, 'example.dev/v2 (agreement record, epoch 3)'],
  [
    'a record with a loose server is not fenced',
    { agreement: record({ conditions: [equal, reported, holds('Fenced', 'False')] }) },
    'example.dev/v2 (agreement record, epoch 3, not fenced)',
  ],
  [
    'rule 14: a loose server beside strict ones writes the same, and unfenced',
    {
      agreement: record({
        encodings: ['example.dev/v2 identity f loose', 'example.dev/v2 identity f strict'],
        conditions: [equal, reported, holds('Fenced', 'False')],
      }),
    },
    'example.dev/v2 (agreement record, epoch 3, not fenced)',
  ],
  [
    'servers that write different versions do not agree',
    {
      agreement: record({
        conditions: [holds('AllEncodingVersionsEqual', 'False', 'a encodes v1'), reported],
      }),
    },
    /^a encodes v1$/,
  ],
  [
    'rule 11: a live server that has not reported counts',
    {
      agreement: record({
        conditions: [equal, holds('AllServersReported', 'False', 'no entry from b'), fence],
      }),
    },
    /^no entry from b$/,
  ],
  [
    'rule 16: one version in two ways is not agreed',
    {
      agreement: record({
        encodings: ['example.dev/v2 identity f strict', 'example.dev/v2 identity g strict'],
      }),
    },
    /^servers write one version in 2 ways: example.dev\/v2 identity f; example.dev\/v2 identity g$/,
  ],
  [
    'rule 17: nor is it under two keys, whatever the guarantees',
    {
      agreement: record({ encodings: ['example.dev/v2 identity f loose', 'example.dev/v2 k1 f strict'] }),
    },
    /^servers write one version in 2 ways/,
  ],
  [
    'rule 18: nor if a server does not record what it writes',
    { agreement: record({ encodings: ['example.dev/v2 identity f strict', 'unrecorded'] }) },
    /^servers write one version in 2 ways: example.dev\/v2 identity f; unrecorded$/,
  ],
  [
    'a definition that is ahead of the servers',
    { agreement: record({ agreedVersion: 'example.dev/v1' }), definition: definition() },
    /^the CRD stores example.dev\/v2, servers still write example.dev\/v1$/,
  ],
  ['a definition that is deleted', { definition: definition({ deletionTimestamp: 'now' }) }, /being deleted/],
  ['a definition that is not established', { definition: definition({}, 'v2', 'False') }, /not established/],
  ['a definition without a storage version', { definition: definition({}, 'none') }, /no storage version/],
  [
    'no weaker source is asked while the record says no',
    { agreement: record({ conditions: [holds('AllEncodingVersionsEqual', 'False')] }), hashes: ['h'] },
    /servers do not write the same/,
  ],
  [
    'a StorageVersion with a common version',
    { storageVersion: storageVersion('example.dev/v2', 'a'), identities: ['a'] },
    'example.dev/v2 (StorageVersion object)',
  ],
  [
    'a StorageVersion without one, which names what each server writes',
    { storageVersion: storageVersion(undefined, 'example.dev/v1', 'example.dev/v2') },
    /^servers encode different versions \(example.dev\/v1: v1, example.dev\/v2: v2\): finish the upgrade or roll it back$/,
  ],
  [
    'a StorageVersion without one, and without entries',
    { storageVersion: storageVersion(undefined) },
    /no common encoding version/,
  ],
  [
    'Q6, rule 11: a live server that is not in the StorageVersion',
    { storageVersion: storageVersion('example.dev/v2', 'a'), identities: ['a', 'b'] },
    /no entry in the StorageVersion example.dev.things from b/,
  ],
  [
    'a StorageVersion of servers that have no such Leases, because another server has the group',
    {
      ...{ storageVersion: storageVersion('example.dev/v2', 'x'), identities: ['a', 'b'] },
      isServedElsewhere: true,
    },
    'example.dev/v2 (StorageVersion object)',
  ],
  [
    'rule 11: all servers were replaced, and the entries of the old ones are still there',
    { storageVersion: storageVersion('example.dev/v2', 'x'), identities: ['a', 'b'] },
    /no entry in the StorageVersion example.dev.things from a, b/,
  ],
  [
    'rule 11: a live server that has not reported, whoever else has the group',
    {
      ...{ storageVersion: storageVersion('example.dev/v2', 'a'), identities: ['a', 'b'] },
      isServedElsewhere: true,
    },
    /from b/,
  ],
  [
    'a StorageVersion that is behind the definition',
    { storageVersion: storageVersion('example.dev/v1', 'a'), definition: definition() },
    /servers still write/,
  ],
  ['a definition alone', { definition: definition() }, 'example.dev/v2 (CRD, generation 2)'],
  [
    'a definition, where the rest may not be seen',
    { definition: definition(), agreement: hidden, storageVersion: hidden },
    'example.dev/v2 (CRD, generation 2)',
  ],
  ['one hash from every server', { hashes: ['h', 'h'] }, 'hash h (hash in discovery)'],
  ['X5: servers with different hashes', { hashes: ['h', 'i'] }, /different hashes: h, i/],
  [
    'a server that publishes nothing beside one that does',
    { hashes: ['h', undefined] },
    /different hashes: h, none/,
  ],
  ['nothing is published', {}, /^nothing is published about the storage of things.example.dev$/],
  ['nothing that we may see', { agreement: hidden }, /that we may see/],
  [
    'nothing is published, but it was named',
    { isNamed: true },
    'whatever the server writes (nothing is published)',
  ],
  ['no server was asked', { isNamed: true, hashes: [] }, /nothing is published/],
]
for (const [name, seen, wanted] of cases) {
  test(`target: ${name}`, () => {
    const decision = decideTarget({ ...nothing, ...seen })
    if (typeof wanted === 'string') {
      assert.ok(decision.agreed, JSON.stringify(decision))
      assert.equal(targetText(decision.target), wanted)
    } else {
      assert.ok(!decision.agreed, JSON.stringify(decision))
      assert.match(decision.because, wanted)
    }
  })
}

test('target: storedVersions that a failed migration has cut are not believed', () => {
  const storedVersions = (reason: string): readonly string[] | undefined => {
    const { object } = definition()
    const migrating = { type: 'StorageMigrating', status: 'False', reason }
    const conditions = [...(object.status.conditions ?? []), migrating]
    const status = { ...object.status, storedVersions: ['v2'], conditions } as typeof object.status
    const decision = decideTarget({ ...nothing, definition: found({ ...object, status }) })
    return decision.agreed ? decision.storedVersions : ['not agreed']
  }
  assert.deepEqual(storedVersions('MigrationSucceeded'), ['v2'])
  assert.equal(storedVersions('MigrationFailed'), undefined)
})

test('target: what is known to be current begins where the epoch does', () => {
  const since = (status: Partial<AgreementStatus>): string | undefined => {
    const decision = decideTarget({ ...nothing, agreement: record(status) })
    return decision.agreed ? decision.target.epochResourceVersion : 'not agreed'
  }
  assert.equal(since({}), '70')
  assert.equal(since({ epochRevision: 60 }), '60')
  assert.equal(since({ conditions: [equal, reported] }), undefined, 'without a fence nothing is known')
})

const target: MigrationTarget = {
  resource,
  how: 'record',
  fenced: true,
  encodingVersion: 'example.dev/v2',
  recordUID: 'r',
  epoch: 3,
  epochResourceVersion: '70',
  definition: { uid: 'u', generation: 2, storageVersion: 'v2' },
}
const at = (more: Partial<NonNullable<MigrationTarget['definition']>>) => ({
  definition: { uid: 'u', generation: 2, storageVersion: 'v2', ...more },
})
const bySV = { ...target, how: 'storageversion', fenced: false, resourceVersion: '9' } as const
const later: readonly (readonly [name: string, now: Partial<MigrationTarget>, same: boolean])[] = [
  ['nothing has moved', {}, true],
  ['servers came and went with the same encoding (rule 10)', { epochResourceVersion: '80' }, true],
  ['another epoch, the same version: A, B, A', { epoch: 5 }, false],
  ['the same epoch of a record that was made anew', { recordUID: 's' }, false],
  ['another version', { encodingVersion: 'example.dev/v1' }, false],
  ['the fence is gone', { fenced: false }, false],
  ['a weaker source', { how: 'definition' }, false],
  ['another definition of that name', at({ uid: 'w' }), false],
  ['a change of the definition', at({ generation: 3 }), false],
  ['another storage version', at({ storageVersion: 'v1' }), false],
  ['another hash', { hash: 'h' }, false],
]
for (const [name, now, same] of later) {
  test(`target, looked at again: ${name}`, () =>
    assert.equal(sameTarget(target, { ...target, ...now }).same, same))
}

test('target, looked at again: a StorageVersion that was written stands only under an unbroken watch', () => {
  const now = { ...bySV, resourceVersion: '12' }
  assert.equal(sameTarget(bySV, bySV).same, true)
  assert.equal(sameTarget(bySV, now).same, false)
  assert.equal(sameTarget(bySV, now, { watched: true }).same, true)
  assert.equal(sameTarget(bySV, { ...now, encodingVersion: 'example.dev/v1' }, { watched: true }).same, false)
})

const disagreed = (more: Partial<TargetDecision & { agreed: false }> = {}): TargetDecision => ({
  agreed: false,
  because: 'b',
  ...more,
})
const movements: readonly (readonly [name: string, now: TargetDecision, kind: string])[] = [
  ['it stands', { agreed: true, target }, 'stands'],
  ['it moved', { agreed: true, target: { ...target, epoch: 4 } }, 'moved'],
  [
    'a server starts and has not reported yet: no server writes before that',
    disagreed({ waitingIn: 3 }),
    'waits',
  ],
  ['the same in another epoch', disagreed({ waitingIn: 4 }), 'moved'],
  ['servers disagree', disagreed(), 'moved'],
]
for (const [name, now, kind] of movements) {
  test(`target, looked at again: ${name}`, () => assert.equal(decideMovement(target, now).kind, kind))
}
test('target, looked at again: only a record can be waited for', () => {
  assert.equal(decideMovement(bySV, disagreed({ waitingIn: 3 })).kind, 'moved')
})

const entry = (serverID: string, ...decodableVersions: string[]): AgreementEntry => ({
  ...{
    serverID,
    process: serverID,
    encodingVersion: 'example.dev/v2',
    decodableVersions,
    servedVersions: [],
  },
  ...{ guarantee: 'strict', writeKey: 'identity', readableKeys: [], encoderFingerprint: 'f' },
})
const servers = [entry('a', 'example.dev/v2'), entry('b', 'example.dev/v1', 'example.dev/v2')]
const decodes: readonly [
  name: string,
  status: Partial<AgreementStatus>,
  want: readonly string[] | undefined,
][] = [
  ['what any of them decodes', { servers }, ['example.dev/v1', 'example.dev/v2']],
  ['no server is there', { servers: [] }, undefined],
  ['unknown servers may be there', { servers, unseenProcesses: ['c'] }, undefined],
]
for (const [name, status, want] of decodes) {
  test(`target: servers that decode: ${name}`, () => {
    const decision = decideTarget({ ...nothing, agreement: record(status) })
    assert.ok(decision.agreed)
    assert.deepEqual(decision.decodable, want)
  })
}

const keys: readonly [writeKeys: readonly string[], want: string | undefined][] = [
  [['aesgcm:key2:1', 'aesgcm:key2:1'], 'aesgcm:key2:1'],
  [['aesgcm:key2:1', 'aesgcm:key1:2'], undefined],
  [['identity'], undefined],
]
for (const [writeKeys, want] of keys) {
  test(`target: the key of servers that write with ${writeKeys.join(' and ')}`, () => {
    const writers = writeKeys.map((writeKey, index) => ({ ...entry(`${index}`, 'example.dev/v2'), writeKey }))
    const decision = decideTarget({ ...nothing, agreement: record({ servers: writers }) })
    assert.ok(decision.agreed)
    assert.equal(decision.writeKey, want)
  })
}
