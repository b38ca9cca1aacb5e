import { readAggregated, readLegacy } from '@strata/server/readers'
import { chance } from '@strata/world'
import { jsonValue, mutateJson } from '../generate/json.ts'
import { expect, pureTarget, shown } from '../target.ts'

const mine = { group: 'shop.dev', versionName: 'v1' }
const kind = { group: '', version: '', kind: 'Thing' }
const aggregated = {
  ...{ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' },
  items: ['shop.dev', 'apps'].map((name) => ({
    metadata: { name },
    versions: ['v1', 'v2'].map((version) => ({
      version,
      resources: [
        {
          ...{ resource: `${name}-${version}`, responseKind: kind, scope: 'Cluster', singularResource: 'x' },
          ...{ verbs: ['get'], shortNames: ['s'], categories: ['all'] },
          subresources: [{ subresource: 'status', responseKind: kind, verbs: ['get'] }],
        },
      ],
    })),
  })),
}
const legacy = {
  ...{ kind: 'APIResourceList', groupVersion: 'shop.dev/v1' },
  resources: [
    { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get'] },
    { name: 'things/status', namespaced: true, kind: 'Thing', verbs: ['get'] },
    {
      name: 'others/scale',
      namespaced: false,
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: [],
    },
  ],
}

const known = new Set([
  ...['resource', 'responseKind', 'scope', 'singularResource', 'verbs', 'shortNames', 'categories'],
  'subresources',
])

export const remoteDiscovery = pureTarget<{ readonly isLegacy: boolean; readonly document: unknown }>({
  name: 'remote-discovery',
  about:
    'discovery documents of other servers: what is taken has the fields that clients know, and is its own version',
  share: 4,
  open: () => ({
    generate: (random) => {
      const isLegacy = chance(random, 0.5)
      let document: unknown = isLegacy ? legacy : aggregated
      while (chance(random, 0.7)) document = mutateJson(random, document, () => jsonValue(random))
      return { isLegacy, document }
    },
    check: ({ isLegacy, document }) => {
      const found = isLegacy ? readLegacy(document, mine) : readAggregated(document, mine)
      if (!found) return 'refused'
      for (const each of found) {
        expect(
          typeof each['resource'] === 'string' && each['resource'] !== '',
          () => `no name: ${shown(each)}`,
        )
        expect(Array.isArray(each['verbs']), () => `no verbs: ${shown(each)}`)
        expect(
          Object.keys(each).every((name) => known.has(name)),
          () => `an unknown field: ${shown(each)}`,
        )
      }
      return 'accepted'
    },
  }),
})
