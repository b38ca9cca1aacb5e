import type { ResourceDefinition } from '@strata/api'
import type { Key } from '../store/index.ts'

/** Everything is below this, as kube-apiserver has it (compat.md, section 11). */
export const storageRoot: Key = '/registry/'

/** Of all objects of a resource; ends in `/`. */
export function resourcePrefix({ storagePrefix }: Pick<ResourceDefinition, 'storagePrefix'>): Key {
  return `${storageRoot}${storagePrefix}/`
}

/** Of the objects of a resource in one namespace, or in all of them when none is given. */
export function namespacePrefix(definition: ResourceDefinition, namespace: string): Key {
  const prefix = resourcePrefix(definition)
  return definition.scope === 'Namespaced' && namespace !== '' ? `${prefix}${namespace}/` : prefix
}

export function objectKey(definition: ResourceDefinition, namespace: string, name: string): Key {
  return `${namespacePrefix(definition, namespace)}${name}`
}
