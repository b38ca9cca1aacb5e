import { type GroupResource, namespacedName } from '@strata/api'
import type { ObjectReference } from '@strata/client'
import { coreGroupPrefixes, renamedPrefixes } from './key-place.ts'
import { rootPrefix } from './store-tally.ts'

export interface ObjectPlace extends ObjectReference {
  readonly resource: GroupResource
  /** A CRD defines the resource: only one key is possible then. */
  readonly isCustom: boolean
  /** Where the servers say that the resource lies below the root. */
  readonly storagePrefix?: string | undefined
}

/** The keys that an object may have in the store, below the root; more than one where the API does not tell. */
export function keysOfObject(
  root: string,
  { resource: { group, resource }, isCustom, storagePrefix, namespace, name }: ObjectPlace,
): readonly string[] {
  const object = namespacedName({ namespace, name })
  const at = (prefix: string): string => `${rootPrefix(root)}${prefix}/${object}`
  if (storagePrefix !== undefined) return [at(storagePrefix)]
  if (isCustom) return [at(`${group}/${resource}`)]
  if (group === '') return [at(coreGroupPrefixes.get(resource) ?? resource)]
  // kube-apiserver keeps most of its own kinds by their plural alone, and a few below their group.
  return [
    at(renamedPrefixes.get(resource) ?? resource),
    ...(group.includes('.') ? [at(`${group}/${resource}`)] : []),
  ]
}
