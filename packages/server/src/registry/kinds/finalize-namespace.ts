import { type ApiObject, cloneJson, type Namespace, notFound } from '@strata/api'
import { objectKey } from '../../codec/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { planUpdate } from '../write/plan-update.ts'
import { admitUpdate, adopt, revisionOf } from '../write/update-object.ts'
import { type Written, writeObject } from '../write/write-object.ts'
import type { WriteOptions } from '../write/write-options.ts'

/**
 * Replaces the finalizers in the spec of a namespace, and its metadata, as upstream does; never its status. A namespace that is
 * being deleted is removed with its last finalizer: the namespace controller calls this when the namespace is empty.
 */
export async function finalizeNamespace(
  registry: Registry,
  resource: ServedResource,
  name: string,
  object: ApiObject,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<Written> {
  const { definition } = resource
  adopt(resource, { namespace: '', name }, object)
  const asFinalizer = withFinalizers(resource)
  const askedRevision = revisionOf(object)
  const asSubresource = { ...options, subresource: 'finalize' } as const
  return writeObject(
    registry,
    resource,
    objectKey(definition, '', name),
    (current, context) => {
      if (!current) throw notFound(definition, name)
      const next = cloneJson(object)
      const go = (admitted: ApiObject) =>
        planUpdate(registry, asFinalizer, admitted, askedRevision, current, asSubresource)
      if (!registry.admission.mutates) return go(next)
      const target = { namespace: '', name }
      return admitUpdate(registry, resource, target, next, current, asSubresource, context).then(go)
    },
    signal,
    asSubresource,
  )
}

/** The resource with a strategy that takes the spec from the client; an ordinary update keeps the stored spec. */
function withFinalizers(resource: ServedResource): ServedResource {
  const { definition } = resource
  const prepareForUpdate = (next: ApiObject, stored: ApiObject): void => {
    const { finalizers, ...unknown } = (next as Namespace).spec ?? {}
    definition.strategy.prepareForUpdate?.(next, stored)
    next['spec'] = finalizers?.length ? { ...unknown, finalizers } : unknown
  }
  return {
    ...resource,
    definition: { ...definition, strategy: { ...definition.strategy, prepareForUpdate } },
  }
}
