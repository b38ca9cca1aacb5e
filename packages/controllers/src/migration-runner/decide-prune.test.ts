import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from '@strata/api'
import { decidePrune, type PruneFacts, prunePatch } from './decide-prune.ts'
import { acceptedProof, pruneEvidenceOf } from './prune-evidence.ts'

function definition(
  metadata: Partial<CustomResourceDefinition['metadata']> = {},
  { storage = 'v2', stored = ['v1', 'v2'] }: { storage?: string; stored?: readonly string[] } = {},
): CustomResourceDefinition {
  return {
    metadata: { name: 'things.example.dev', uid: 'u', generation: 2, resourceVersion: '9', ...metadata },
    spec: { versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storage })) },
    status: { storedVersions: stored },
  } as unknown as CustomResourceDefinition
}

const seen = { uid: 'u', generation: 2, storageVersion: 'v2' }
const proven: PruneFacts = {
  definition: definition(),
  evidence: { succeeded: true, proof: 'proven', definition: seen },
  accept: 'proven',
}
const evidence = (more: Partial<PruneFacts['evidence']>) => ({ evidence: { ...proven.evidence, ...more } })

const cases: readonly (readonly [name: string, facts: Partial<PruneFacts>, wanted: string | RegExp])[] = [
  ['R4: proven, and the definition is the same', {}, 'prune'],
  ['only the storage version is stored', { definition: definition({}, { stored: ['v2'] }) }, 'nothing'],
  ['R5: the generation has moved', { definition: definition({ generation: 3 }) }, /generation 2 became 3$/],
  ['R6 and Q1, ours: nothing is pruned after a failure', evidence({ succeeded: false }), /not succeeded/],
  [
    'R6 and Q1, ours: nothing that is accepted makes a success of a failure',
    { ...evidence({ succeeded: false, proof: 'unknown' }), accept: 'unknown' },
    /not succeeded/,
  ],
  ['observed clean is no proof', evidence({ proof: 'observed clean' }), /"observed clean", and "proven"/],
  [
    'observed clean, and that was accepted',
    { ...evidence({ proof: 'observed clean' }), accept: 'observed clean' },
    'prune',
  ],
  [
    'nothing is known, and a clean pass was asked for',
    { ...evidence({ proof: 'unknown' }), accept: 'observed clean' },
    /"unknown", and "observed clean"/,
  ],
  [
    'nothing is known, and that was accepted',
    { ...evidence({ proof: 'unknown' }), accept: 'unknown' },
    'prune',
  ],
  [
    "R4, ours: a success of upstream's own migrator, and whatever is accepted",
    { evidence: pruneEvidenceOf({ conditions: [{ type: 'Succeeded', status: 'True' }] }), accept: 'unknown' },
    /not known which generation/,
  ],
  ['the CRD generation is unknown', evidence({ definition: undefined }), /not known which generation/],
  ['another definition of the same name', { definition: definition({ uid: 'w' }) }, /created again/],
  [
    'brought to another version than is stored now',
    evidence({ definition: { ...seen, storageVersion: 'v1' } }),
    /migrated to v1, and the storage version is v2 now/,
  ],
  ['it is being deleted', { definition: definition({ deletionTimestamp: 'now' }) }, /being deleted/],
  ['it stores nothing', { definition: definition({}, { storage: 'none' }) }, /no storage version/],
  ['nothing to guard by', { definition: definition({ resourceVersion: '' }) }, /no resourceVersion/],
]
for (const [name, facts, wanted] of cases) {
  test(`prune: ${name}`, () => {
    const decision = decidePrune({ ...proven, ...facts })
    if (typeof wanted === 'string') assert.equal(decision.do, wanted, decision.because)
    else {
      assert.equal(decision.do, 'refuse')
      assert.match(decision.because, wanted)
    }
  })
}

const words: readonly (readonly [proof: PruneFacts['accept'], because: string])[] = [
  ['proven', 'proven: everything is stored in v2'],
  [
    'observed clean',
    'observed clean: every object that was found is stored in v2, but writes are not fenced',
  ],
  ['unknown', 'unknown, and that was accepted: objects may still be stored in v1'],
]
for (const [proof, because] of words) {
  test(`prune: ${proof} claims no more than that`, () => {
    const decision = decidePrune({ ...proven, ...evidence({ proof }), accept: proof })
    assert.deepEqual([decision.do, decision.because], ['prune', because])
  })
}

test('prune: the change names the definition and the state of it that was decided about', () => {
  const decision = decidePrune(proven)
  assert.ok(decision.do === 'prune')
  assert.deepEqual(decision.dropped, ['v1'])
  assert.deepEqual(prunePatch(decision), {
    metadata: { uid: 'u', resourceVersion: '9' },
    status: { storedVersions: ['v2'] },
  })
})

test('prune: what the status of a migration proves', () => {
  const conditions = [{ type: 'Succeeded', status: 'True' }]
  const target = { how: 'record', definition: seen } as const
  const nothing = { succeeded: false, proof: 'unknown', definition: undefined }
  assert.deepEqual(pruneEvidenceOf({ conditions, target, result: 'Proven' }), proven.evidence)
  assert.deepEqual(pruneEvidenceOf(undefined), nothing)
  assert.deepEqual(pruneEvidenceOf({ conditions: [{ type: 'Failed', status: 'True' }] }), nothing)
  assert.deepEqual(pruneEvidenceOf({ conditions }), { ...nothing, succeeded: true }, 'of another migrator')
})

test('prune: what is accepted stands on the migration or on the definition', () => {
  const says = (word: string) => ({ 'strata.dev/accept': word })
  assert.equal(acceptedProof(), 'proven')
  assert.equal(acceptedProof(undefined, {}), 'proven')
  assert.equal(acceptedProof(says('ObservedClean')), 'observed clean')
  assert.equal(acceptedProof({}, says('Unknown')), 'unknown')
  assert.equal(acceptedProof(says('yes')), 'proven')
})
