import type { ResourceFacts, StoredSight } from './resource-facts.ts'

/** Lamps whose storage version is v2, all of them stored in it, with nothing that names v1 but the list of versions. */
export const lamps: ResourceFacts = {
  group: 'light.example.dev',
  resource: 'lamps',
  kind: 'Lamp',
  served: [
    { version: 'v1', deprecated: true },
    { version: 'v2', deprecated: false },
  ],
  storage: { version: 'v2', source: 'CRD' },
  definition: {
    group: 'light.example.dev',
    resource: 'lamps',
    kind: 'Lamp',
    namespaced: true,
    versions: [
      { name: 'v1', served: true, storage: false, deprecated: true },
      { name: 'v2', served: true, storage: true, deprecated: false },
    ],
    storedVersions: ['v2'],
    conversion: 'None',
  },
  stored: countedIn({ v2: 5 }),
  objects: {
    count: 5,
    managers: [{ version: 'v2', manager: 'kubectl', count: 5, last: '' }],
    lastApplied: [],
  },
  helmReleases: [],
  webhooks: [],
  unseen: [],
}

export type Counted = StoredSight & { readonly kind: 'counted' }

export function countedIn(versions: Readonly<Record<string, number>>, more: Partial<Counted> = {}): Counted {
  const counts = Object.entries(versions)
  return {
    ...{
      kind: 'counted',
      by: 'etcd',
      source: 'etcd at a',
      revision: '7',
      isExact: true,
      hidden: [],
      unreadable: 0,
    },
    total: counts.reduce((sum, [, count]) => sum + count, 0),
    versions: counts.map(([version, count]) => ({ version, count, objects: ['shop/a'] })),
    ...more,
  }
}

export const withStoredVersions = (...storedVersions: string[]): Partial<ResourceFacts> =>
  lamps.definition ? { definition: { ...lamps.definition, storedVersions } } : {}

export const possiblyIn = (...versions: string[]): StoredSight => ({
  ...{ kind: 'possible', versions, because: 'no API shows it' },
})
