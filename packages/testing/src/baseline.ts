import type { MemoryData } from '@strata/server/store'

type Write = Parameters<MemoryData['commit']>[0]['writes'][number]

/**
 * What the server and its controllers keep for themselves: identity and leader election Leases, agreement records with their
 * projections, discovery hashes. To take these back would be a store that was restored under a running server.
 */
const ownPrefixes = [
  '/registry/strata.dev/',
  '/registry/internal.apiserver.k8s.io/',
  '/registry/kube-apiserver.internal.k8s.io/',
  '/registry/apiservercoordination.k8s.io/',
  '/registry/leases/kube-system/apiserver-',
  '/registry/leases/kube-system/strata-',
]
const isOwn = (key: string): boolean => ownPrefixes.some((prefix) => key.startsWith(prefix))

const definitions = '/registry/apiextensions.k8s.io/customresourcedefinitions/'

/** The state to which `reset` returns. */
export type Baseline = ReadonlyMap<string, Uint8Array>

export function takeBaseline(data: Pick<MemoryData, 'list'>): Baseline {
  const { entries } = data.list({ prefix: '/registry/' })
  return new Map(entries.filter(({ key }) => !isOwn(key)).map(({ key, value }) => [key, value]))
}

/**
 * The writes that lead back to the baseline, in two commits. CRDs come last: the server stops to serve a kind together with its
 * CRD, and would not tell the watches of its objects any more that these are gone.
 */
export function writesBack(
  data: Pick<MemoryData, 'list'>,
  baseline: Baseline,
): readonly (readonly Write[])[] {
  const current = takeBaseline(data)
  const removed = [...current.keys()].filter((key) => !baseline.has(key))
  const writes: Write[] = [
    ...removed.map((key): Write => ({ kind: 'delete', key })),
    ...[...baseline]
      .filter(([key, value]) => !isSame(current.get(key), value))
      .map(([key, value]): Write => ({ kind: 'put', key, value })),
  ]
  const isDefinition = ({ key }: Write): boolean => key.startsWith(definitions)
  return [writes.filter((each) => !isDefinition(each)), writes.filter(isDefinition)].filter(
    ({ length }) => length > 0,
  )
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one === other || (one !== undefined && Buffer.compare(one, other) === 0)
}
