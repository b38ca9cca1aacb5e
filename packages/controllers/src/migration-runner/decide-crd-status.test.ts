import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '@strata/api'
import { type CrdStage, decideCrdStatus } from './decide-crd-status.ts'
import type { PruneDecision } from './decide-prune.ts'

const before = '2026-01-01T00:00:00Z'
const now = '2026-01-01T00:01:00Z'
const established: CustomResourceDefinitionCondition = { type: 'Established', status: 'True' }
const guard = { uid: 'u', resourceVersion: '9' }
const prune: PruneDecision = {
  do: 'prune',
  storedVersions: ['v2'],
  dropped: ['v1'],
  guard,
  because: 'proven',
}
const refuse = (because: string): PruneDecision & { do: 'refuse' } => ({ do: 'refuse', because })

const conditionWith = (
  status: 'True' | 'False',
  reason: string,
  message: string,
  lastTransitionTime = now,
): CustomResourceDefinitionCondition => ({
  ...{ type: 'StorageMigrating', status, reason, message, lastTransitionTime, observedGeneration: 2 },
})
const running = (at = now) => conditionWith('True', 'MigrationRunning', 'Migration m is running', at)

function definition(...conditions: readonly CustomResourceDefinitionCondition[]): CustomResourceDefinition {
  return {
    metadata: { name: 'things.g.dev', ...guard, generation: 2 },
    status: { conditions: [established, ...conditions], storedVersions: ['v1', 'v2'] },
  } as unknown as CustomResourceDefinition
}

const cases: ReadonlyArray<
  [
    name: string,
    was: CustomResourceDefinition,
    stage: CrdStage,
    want: CustomResourceDefinitionCondition | undefined,
    storedVersions?: readonly string[],
  ]
> = [
  [
    'R2: it runs; nothing is said of stored versions',
    definition(),
    { kind: 'running', migration: 'm' },
    running(),
  ],
  ['R3: that is said already', definition(running(before)), { kind: 'running', migration: 'm' }, undefined],
  [
    'another one runs now',
    definition(conditionWith('True', 'MigrationRunning', 'Migration k is running', before)),
    { kind: 'running', migration: 'm' },
    running(before),
  ],
  [
    'R4: it has succeeded, and is proven',
    definition(running(before)),
    { kind: 'succeeded', prune },
    conditionWith(
      'False',
      'MigrationSucceeded',
      'The migration has succeeded and the stored versions have been updated',
    ),
    ['v2'],
  ],
  [
    'R5: it has succeeded, and the definition has changed',
    definition(running(before)),
    { kind: 'succeeded', prune: { ...refuse('the CRD has changed since'), isGenerationChanged: true } },
    conditionWith(
      'False',
      'MigrationSucceeded',
      'The migration has succeeded but the stored versions have not been updated due to a generation mismatch',
    ),
  ],
  [
    'it has succeeded, and is not proven',
    definition(running(before)),
    { kind: 'succeeded', prune: refuse('the migration is observed clean, and proven is asked for') },
    conditionWith(
      'False',
      'MigrationSucceeded',
      'The migration has succeeded but the stored versions have not been updated because the migration is observed clean, and proven is asked for',
    ),
  ],
  [
    'R6, ours: it has failed, and nothing is said of stored versions',
    definition(running(before)),
    { kind: 'failed' },
    conditionWith('False', 'MigrationFailed', 'The migration has failed'),
  ],
  ['one that never ran here has not failed here', definition(), { kind: 'failed' }, undefined],
]
for (const [name, was, stage, want, storedVersions] of cases) {
  test(`definition: ${name}`, () => {
    const status = {
      ...(storedVersions ? { storedVersions } : {}),
      conditions: [established, want],
    }
    const patch = want && { metadata: guard, status }
    assert.deepEqual(decideCrdStatus(was, stage, now), patch)
  })
}
