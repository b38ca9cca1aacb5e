import type { ResourceDefinition } from '@strata/api'
import type { Key } from '../store/index.ts'

/** The prefix of all keys, as in kube-apiserver (docs/reference/wire-compatibility.md, 11). */
export const storageRoot: Key = '/registry/'

/** The prefix of all objects of a resource; ends in `/`. */
export function resourcePrefix({ storagePrefix }: Pick<ResourceDefinition, 'storagePrefix'>): Key {
  return `${storageRoot}${storagePrefix}/`
}

/** The prefix of a resource in one namespace, or in all namespaces if none is given. */
export function namespacePrefix(definition: ResourceDefinition, namespace: string): Key {
  const prefix = resourcePrefix(definition)
  return definition.scope === 'Namespaced' && namespace !== '' ? `${prefix}${namespace}/` : prefix
}

export function objectKey(definition: ResourceDefinition, namespace: string, name: string): Key {
  return `${namespacePrefix(definition, namespace)}${name}`
}
