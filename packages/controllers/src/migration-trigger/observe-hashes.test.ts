import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, storageVersionHash } from '@strata/api'
import type { Client, DiscoveredResource } from '@strata/client'
import { observeHashes } from './observe-hashes.ts'

const { signal } = new AbortController()
const lamps = { group: 'light.example.dev', versionName: 'v1', resource: 'lamps', kind: 'Lamp' }
const pods = { group: '', versionName: 'v1', resource: 'pods', kind: 'Pod' }
/** v2 is stored and not served: of such a definition upstream shows no hash. */
const definition = {
  metadata: { name: 'lamps.light.example.dev' },
  spec: {
    ...{ group: lamps.group, names: { kind: 'Lamp' } },
    versions: [
      { name: 'v1', served: true, storage: false },
      { name: 'v2', served: false, storage: true },
    ],
  },
}

function clusterWith(shown: string | undefined, definitions: () => object): Client {
  const resources = [lamps, pods].map((each) => ({ ...each, verbs: ['list', 'patch'] }))
  const hashes = { lamps: shown, pods: 'of pods' }
  return {
    discover: async () => ({ resources: resources as unknown as DiscoveredResource[], failures: [] }),
    apiResources: async ({ group }: { readonly group: string }) =>
      resources
        .filter((each) => each.group === group)
        .map(({ resource }) => ({
          name: resource,
          storageVersionHash: hashes[resource as keyof typeof hashes],
        })),
    resource: () => ({ list: async () => definitions() }),
  } as unknown as Client
}

const unserved = storageVersionHash('light.example.dev/v2', 'Lamp')
const rows: readonly [name: string, shown: string | undefined, definitions: () => object, want: object][] = [
  [
    'X14: of a definition whose storage version is not served, the definition tells',
    undefined,
    () => ({ items: [definition] }),
    { pods: 'of pods', 'lamps.light.example.dev': unserved },
  ],
  [
    'what is shown is believed',
    'shown',
    () => ({ items: [definition] }),
    { pods: 'of pods', 'lamps.light.example.dev': 'shown' },
  ],
  ['an aggregated server publishes none', undefined, () => ({ items: [] }), { pods: 'of pods' }],
  [
    'who may not see definitions looks at the others',
    undefined,
    () => {
      throw new ApiError(403, 'Forbidden', 'no')
    },
    { pods: 'of pods' },
  ],
]
for (const [name, shown, definitions, want] of rows) {
  test(`hashes: ${name}`, async () => {
    const { hashes } = await observeHashes(clusterWith(shown, definitions), signal)
    assert.deepEqual(Object.fromEntries(hashes), want)
  })
}
