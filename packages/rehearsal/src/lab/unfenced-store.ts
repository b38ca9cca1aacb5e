import type { Commit, Store } from '@strata/server/store'

const records = ['/registry/strata.dev/']
const crds = '/registry/apiextensions.k8s.io/customresourcedefinitions/'

/**
 * The store as kube-apiserver uses it: the write of an object is guarded by the object alone, not by what the servers agreed on or
 * by the CRD under which it was encoded.
 */
export function unfencedStore(store: Store, isObject: (key: string) => boolean): Store {
  const isFence = (key: string): boolean =>
    key.startsWith(crds) || records.some((each) => key.startsWith(each))
  const unfenced = (commit: Commit): Commit =>
    commit.writes.some(({ key }) => isObject(key))
      ? { ...commit, guards: commit.guards.filter(({ key }) => !isFence(key)) }
      : commit
  return { ...store, commit: (commit, signal) => store.commit(unfenced(commit), signal) }
}
