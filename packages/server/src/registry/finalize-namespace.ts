import { type ApiObject, type Namespace, notFound, objectModified } from '@strata/api'
import { objectKey } from '../codec/index.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { type Written, writeObject } from './write-object.ts'

/**
 * Sets the finalizers of a namespace's spec and nothing else. A namespace that is being deleted goes with its last
 * one: whoever emptied it says so here.
 */
export async function finalizeNamespace(
  registry: Registry,
  resource: ServedResource,
  name: string,
  object: ApiObject,
  signal: AbortSignal,
): Promise<Written> {
  const { definition } = resource
  const finalizers = (object as Namespace).spec?.finalizers ?? []
  const { resourceVersion } = object.metadata
  return writeObject(
    registry,
    resource,
    objectKey(definition, '', name),
    (current) => {
      if (!current) throw notFound(definition, name)
      if (resourceVersion && resourceVersion !== String(current.entry.revision))
        throw objectModified(definition, name)
      const namespace = current.hub as Namespace
      namespace.spec = { ...namespace.spec, finalizers }
      const { deletionTimestamp, finalizers: others = [] } = namespace.metadata
      const ends = deletionTimestamp !== undefined && finalizers.length === 0 && others.length === 0
      return ends ? { do: 'delete', last: namespace } : { do: 'put', hub: namespace }
    },
    signal,
  )
}
