import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedFieldsEntry } from './managed-entry.ts'
import { parentFieldsOf, type ReplicasPath, scaleFieldsOf } from './scale-fields.ts'

const time = '2024-01-02T08:00:00Z'
const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  fieldsV1: object,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

const replicas = { 'f:spec': { 'f:replicas': {} } }
const others = { 'f:spec': { 'f:paused': {} } }
const both = { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }
const inScale = { apiVersion: 'autoscaling/v1' } as const
const { time: _, ...timeless } = entry('x', 'Update', {})
const byScale = (manager: string, operation: 'Apply' | 'Update', more: Partial<ManagedFieldsEntry> = {}) => ({
  ...timeless,
  manager,
  operation,
  fieldsV1: replicas,
  subresource: 'scale',
  ...more,
})

const replicasPath: ReplicasPath = (apiVersion) => {
  if (apiVersion === 'apps/v1') return ['f:spec', 'f:replicas']
  return apiVersion === 'apps/v2' ? ['f:spec', 'f:count'] : undefined
}

test('scale fields: owners of replicas own those of the Scale, and the others nothing', () => {
  const parent = [
    entry('a', 'Apply', both),
    entry('b', 'Update', others),
    entry('c', 'Update', { 'f:spec': { 'f:count': {} } }, { apiVersion: 'apps/v2' }),
    entry('d', 'Update', replicas, { apiVersion: 'apps/v0' }),
  ]
  assert.deepEqual(scaleFieldsOf(parent, replicasPath), [
    entry('a', 'Apply', replicas, inScale),
    entry('c', 'Update', replicas, inScale),
  ])
})

type Entries = readonly ManagedFieldsEntry[]
const cases: ReadonlyArray<[name: string, parent: Entries, scale: Entries, want: Entries]> = [
  [
    'an updater takes from an applier',
    [entry('a', 'Apply', both)],
    [byScale('s', 'Update', inScale)],
    [entry('a', 'Apply', others), byScale('s', 'Update')],
  ],
  [
    'an updater takes from itself, who came another way',
    [entry('a', 'Update', both)],
    [byScale('a', 'Update', inScale)],
    [byScale('a', 'Update'), entry('a', 'Update', others)],
  ],
  [
    'who has nothing else is gone',
    [entry('a', 'Update', replicas)],
    [byScale('s', 'Update', inScale)],
    [byScale('s', 'Update')],
  ],
  [
    'an applier shares with another',
    [entry('a', 'Apply', both)],
    [entry('a', 'Apply', replicas, inScale), byScale('s', 'Apply', inScale)],
    [byScale('s', 'Apply'), entry('a', 'Apply', both)],
  ],
  [
    'an updater that is shared with keeps all it has',
    [entry('a', 'Update', both)],
    [entry('a', 'Update', replicas, inScale), byScale('s', 'Apply', inScale)],
    [byScale('s', 'Apply'), entry('a', 'Update', both)],
  ],
  ['no owner is left', [entry('a', 'Apply', both)], [], [entry('a', 'Apply', others)]],
  [
    'in another version the path is another',
    [entry('a', 'Update', { 'f:spec': { 'f:count': {}, 'f:paused': {} } }, { apiVersion: 'apps/v2' })],
    [byScale('s', 'Update', inScale)],
    [byScale('s', 'Update'), entry('a', 'Update', others, { apiVersion: 'apps/v2' })],
  ],
]
for (const [name, parent, scale, want] of cases) {
  test(`scale fields: ${name}`, () => {
    assert.deepEqual(parentFieldsOf(parent, scale, 'apps/v1', replicasPath), want)
  })
}
