import { ApiError, type ApiObject, badRequest, cloneJson, type JsonObject, notFound } from '@strata/api'
import { objectKey } from '../codec/index.ts'
import { planCreate, prepareForCreate } from './create.ts'
import { shownObject } from './keep-unknown.ts'
import { adoptNamespace } from './metadata.ts'
import { planStatusUpdate, planUpdate } from './plan-update.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { type Written, writeObject } from './write-object.ts'
import type { WriteOptions } from './write-options.ts'

export interface Target {
  readonly namespace: string
  readonly name: string
}

export interface SubresourceOptions extends WriteOptions {
  readonly subresource?: 'status'
  /** The object says already who owns what. */
  readonly owned?: boolean
}

/**
 * Replaces a stored object by what a client sent, in the version that it speaks; by way of a subresource, only that
 * part of it.
 */
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
  // What the server itself writes changes what is stored; only clients mean the whole.
  const replaces = options.subresource === undefined && options.requester !== 'system'
  const mayCreate =
    definition.strategy.allowCreateOnUpdate &&
    options.subresource === undefined &&
    askedRevision === undefined
  return writeObject(
    registry,
    resource,
    objectKey(definition, target.namespace, target.name),
    (current, look) => {
      const next = cloneJson(object)
      if (current) return plan(registry, resource, next, askedRevision, current, { ...options, replaces })
      if (!mayCreate) throw notFound(definition, target.name)
      const hub = prepareForCreate(registry, resource, target.namespace, next, options)
      return planCreate(registry, resource, target.namespace, hub, look)
    },
    signal,
    options,
  )
}

/**
 * Changes a stored object by a patch. It is applied to what stands, again and again until it fits what stands:
 * unless it names a resourceVersion, it means whatever is there.
 */
export async function patch(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  apply: (document: JsonObject) => ApiObject,
  options: SubresourceOptions,
  signal: AbortSignal,
): Promise<Written> {
  const { definition, apiVersion } = resource
  const plan = planOf(options)
  return writeObject(
    registry,
    resource,
    objectKey(definition, target.namespace, target.name),
    (current) => {
      if (!current) throw notFound(definition, target.name)
      const shown = shownObject(resource, current)
      const { holdsUnknown } = shown
      const document = cloneJson(shown.document)
      document.metadata.resourceVersion = String(current.entry.revision)
      const next = apply({ ...document, apiVersion, kind: definition.kind })
      adopt(resource, target, next)
      return plan(registry, resource, next, revisionOf(next), current, { ...options, holdsUnknown })
    },
    signal,
    options,
  )
}

/** What an update means: of the whole object, or of its status. */
export const planOf = ({ subresource }: SubresourceOptions): typeof planStatusUpdate =>
  subresource === 'status' ? planStatusUpdate : planUpdate

/** The object is the one that the path names. */
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
  if (!/^[0-9]{1,15}$/.test(text)) {
    throw new ApiError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  return Number(text)
}
