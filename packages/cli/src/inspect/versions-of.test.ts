import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lamps } from './facts-for-test.ts'
import type { ResourceFacts } from './resource-facts.ts'
import { blockedVersions } from './versions-of.ts'

const applied = (version: string) => ({ version, count: 1, objects: ['shop/a'] })
const served = (...versions: string[]): Partial<ResourceFacts> => ({
  served: versions.map((version) => ({ version, deprecated: false })),
})
const objects = { count: 2, managers: [], lastApplied: ['v1', 'v1beta1', 'v2'].map(applied) }
const base: ResourceFacts = { ...lamps, ...served('v1', 'v1beta1'), objects }
const { definition: _, ...builtIn } = base
const gateways: ResourceFacts = { ...builtIn, storage: { version: 'v1beta1', source: 'CRD' } }

const cases: readonly [name: string, facts: ResourceFacts, want: readonly string[]][] = [
  ['a newer version that is served is meant to stay', gateways, ['v2']],
  ['an older one is not', { ...gateways, storage: { version: 'v1', source: 'CRD' } }, ['v1beta1', 'v2']],
  [
    'a newer one that is deprecated is not',
    { ...gateways, served: [{ version: 'v1', deprecated: true }, ...base.served.slice(1)] },
    ['v1', 'v2'],
  ],
  [
    'where the storage version is unknown, the newest that is served stays',
    (({ storage: _unknown, ...rest }) => rest)(gateways),
    ['v1beta1', 'v2'],
  ],
  ['the only one that is served stays', { ...gateways, ...served('v1') }, ['v2']],
]
for (const [name, facts, want] of cases) {
  const stored = { kind: 'possible', because: '', versions: ['v1', 'v1beta1', 'v2'] } as const
  test(`inspect: blocked versions: ${name}`, () =>
    assert.deepEqual([...blockedVersions({ ...facts, stored })].toSorted(), want))
}
