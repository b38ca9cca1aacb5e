import { bothStores, type FaultContext, type FaultKind } from '../fault-kind.ts'
import type { Place, ServerName } from '../stage/network.ts'

type Direction = readonly [from: Place, to: Place]

async function cutAll(
  { stage }: FaultContext,
  directions: readonly Direction[],
): Promise<() => Promise<void>> {
  for (const [from, to] of directions) await stage.network.cut(from, to)
  return async () => {
    for (const [from, to] of directions) await stage.network.heal(from, to)
  }
}

/** The peers of a server: the nodes of etcd; over SQLite its clients alone. */
const partnersOf = ({ stage }: FaultContext): readonly Place[] =>
  stage.home.kind === 'etcd' ? ['etcd-0', 'etcd-1', 'etcd-2'] : ['clients']

const both = (place: Place, partner: Place): readonly Direction[] => [
  [place, partner],
  [partner, place],
]

export const partition: FaultKind = {
  name: 'partition',
  summary: 'a server cut off in both directions, from etcd or (SQLite) from its clients',
  stores: bothStores,
  targets: ({ server }) => [server],
  begin: (context, { server }) =>
    cutAll(
      context,
      partnersOf(context).flatMap((partner) => both(server, partner)),
    ),
}

export const oneWay: FaultKind = {
  name: 'one-way',
  summary: 'one direction cut: requests, or answers',
  stores: bothStores,
  targets: ({ server }) => [server],
  begin: (context, { server, magnitude }) =>
    cutAll(
      context,
      partnersOf(context).map((partner) => oneDirection(server, partner, magnitude < 0.5)),
    ),
}

const oneDirection = (server: ServerName, partner: Place, isOutward: boolean): Direction =>
  isOutward ? [server, partner] : [partner, server]

export const isolatedNode: FaultKind = {
  name: 'etcd-partition',
  summary: 'a node of etcd cut off from the other two, in both directions; servers still reach it',
  stores: ['etcd'],
  needs: 'namespaces',
  targets: () => ['store'],
  begin: (context, { node }) => {
    const others = ([0, 1, 2] as const).filter((each) => each !== node)
    return cutAll(
      context,
      others.flatMap((other) => both(`etcd-${node}`, `etcd-${other}`)),
    )
  },
}
