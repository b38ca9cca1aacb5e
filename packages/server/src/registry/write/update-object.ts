import { ApiError, type ApiObject, badRequest, cloneJson, type JsonObject, notFound } from '@strata/api'
import { objectKey } from '../../codec/index.ts'
import { parseResourceVersion } from '../read/resource-version.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { checkUnmoved, mutated } from './admit.ts'
import { admitNew, planCreate, prepareForCreate } from './create-object.ts'
import { shownObject } from './keep-unknown.ts'
import { adoptNamespace } from './metadata.ts'
import { planStatusUpdate, planUpdate } from './plan-update.ts'
import { type Current, type PlanContext, type Written, writeObject } from './write-object.ts'
import type { SubresourceView, WriteOptions } from './write-options.ts'

export interface Target {
  readonly namespace: string
  readonly name: string
}

export interface SubresourceOptions extends WriteOptions {
  readonly subresource?: 'status' | 'scale' | undefined
  /** The view of the subresource, where it is not a part of the object. Its own code calls the mutating webhooks. */
  readonly view?: SubresourceView
  /** The object already has its managedFields. */
  readonly owned?: boolean
}

/** Replaces a stored object by the client's, in the client's version; through a subresource, only that part. */
export async function update(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  object: ApiObject,
  options: SubresourceOptions,
  signal: AbortSignal,
): Promise<Written> {
  const { definition } = resource
  adopt(resource, target, object)
  const askedRevision = revisionOf(object)
  const plan = planOf(options)
  // Only clients replace the whole object; the server itself changes what is stored.
  const replaces = options.subresource === undefined && options.requester !== 'system'
  const mayCreate =
    definition.strategy.allowCreateOnUpdate &&
    options.subresource === undefined &&
    askedRevision === undefined
  return writeObject(
    registry,
    resource,
    objectKey(definition, target.namespace, target.name),
    (current, context) => {
      const next = cloneJson(object)
      if (!current && !mayCreate) throw notFound(definition, target.name)
      const go = (admitted: ApiObject) => {
        if (current) {
          return plan(registry, resource, admitted, askedRevision, current, { ...options, replaces })
        }
        const hub = prepareForCreate(registry, resource, target.namespace, admitted, options)
        return planCreate(registry, resource, target.namespace, hub, context)
      }
      if (!registry.admission.mutates) return go(next)
      if (!current) return admitNew(registry, resource, target.namespace, next, options, context).then(go)
      return admitUpdate(registry, resource, target, next, current, options, context).then(go)
    },
    signal,
    options,
  )
}

/** Patches the current object, again after each lost race. Without a resourceVersion a patch applies to any state. */
export async function patch(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  apply: (document: JsonObject, context: PlanContext) => ApiObject | Promise<ApiObject>,
  options: SubresourceOptions,
  signal: AbortSignal,
): Promise<Written> {
  const { definition, apiVersion } = resource
  const plan = planOf(options)
  return writeObject(
    registry,
    resource,
    objectKey(definition, target.namespace, target.name),
    (current, context) => {
      if (!current) throw notFound(definition, target.name)
      const shown = shownObject(resource, current)
      const { holdsUnknown } = shown
      const document = cloneJson(shown.document)
      document.metadata.resourceVersion = String(current.entry.revision)
      const asPatched = (next: ApiObject) => {
        adopt(resource, target, next)
        const askedRevision = revisionOf(next)
        const go = (admitted: ApiObject) =>
          plan(registry, resource, admitted, askedRevision, current, { ...options, holdsUnknown })
        if (!registry.admission.mutates || options.view) return go(next)
        return admitUpdate(registry, resource, target, next, current, options, context).then(go)
      }
      const patched = apply({ ...document, apiVersion, kind: definition.kind }, context)
      return patched instanceof Promise ? patched.then(asPatched) : asPatched(patched)
    },
    signal,
    options,
  )
}

/** The updated object as mutating webhooks change it. */
export async function admitUpdate(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  next: ApiObject,
  current: Current,
  {
    requester,
    dryRun,
    subresource,
  }: Pick<WriteOptions, 'requester' | 'dryRun'> & { readonly subresource?: string | undefined },
  { signal }: PlanContext,
): Promise<ApiObject> {
  const admitted = await mutated(registry, resource, next, {
    ...{ namespace: target.namespace, name: target.name, requester, dryRun, signal },
    subresource,
    oldObject: () => storedObject(resource, current),
  })
  return admitted === next ? next : checkUnmoved(resource, target, admitted)
}

/** The stored object as a client sees it. */
export function storedObject(
  resource: ServedResource,
  { entry, hub }: Pick<Current, 'entry' | 'hub'>,
): ApiObject {
  const object = resource.codec.toWire(hub, resource.apiVersion)
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(entry.revision) } }
}

/** The plan of an update: of the whole object, or of its status. */
export const planOf = ({ subresource }: SubresourceOptions): typeof planStatusUpdate =>
  subresource === 'status' ? planStatusUpdate : planUpdate

/** Sets name and namespace from the path. Refuses an object with other ones. */
export function adopt({ definition }: ServedResource, { namespace, name }: Target, object: ApiObject): void {
  const { metadata } = object
  if (metadata.name !== undefined && metadata.name !== '' && metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`)
  }
  metadata.name = name
  adoptNamespace(object, definition, namespace)
}

/** The resourceVersion a client sent, as a revision. */
export function revisionOf({ metadata }: ApiObject): number | undefined {
  const text = metadata.resourceVersion
  if (text === undefined || text === '' || text === '0') return undefined
  const read = parseResourceVersion(text)
  if (typeof read === 'object') throw new ApiError(500, '', read.problem)
  // Rounded, it still matches no object.
  return Number(read)
}
