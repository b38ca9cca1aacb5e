import { permanentNamespaces } from '../stored/cluster-signs.ts'

/** Uids by name, of things that a store and a cluster both have. */
export interface Signs {
  readonly namespaces: ReadonlyMap<string, string>
  readonly definitions: ReadonlyMap<string, string>
}

export type SameCluster =
  | { readonly kind: 'same' }
  | { readonly kind: 'other'; readonly because: string }
  | { readonly kind: 'unknown'; readonly because: string }

/**
 * Whether a store is that of a cluster. A namespace that no client can delete decides alone. Any other may have been created again
 * since a snapshot was taken: its uid can only confirm. `unseen` says why the cluster shows less than it has.
 */
export function decideSameCluster(store: Signs, cluster: Signs, unseen: string | undefined): SameCluster {
  for (const name of permanentNamespaces) {
    const [stored, served] = [store.namespaces.get(name), cluster.namespaces.get(name)]
    if (stored === undefined || served === undefined) continue
    if (stored === served) return { kind: 'same' }
    const because = `its namespace ${name} has the uid ${stored}, and that of the cluster is ${served}`
    return { kind: 'other', because }
  }
  if (isAnyAlike(store.namespaces, cluster.namespaces) || isAnyAlike(store.definitions, cluster.definitions))
    return { kind: 'same' }
  return { kind: 'unknown', because: whyUnknown(store, unseen) }
}

function whyUnknown({ namespaces, definitions }: Signs, unseen: string | undefined): string {
  if (namespaces.size + definitions.size === 0)
    return 'no namespace and no CRD in it can be read: if they are encrypted, give --encryption-provider-config'
  const names = [...namespaces.keys()].map((each) => `namespace ${each}`)
  const shown = [...names, ...definitions.keys()].slice(0, 3).join(', ')
  return unseen ?? `the cluster has none of what is in it, such as ${shown}, with the same uid`
}

const isAnyAlike = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  [...a].some(([name, uid]) => b.get(name) === uid)
