import {
  ApiError,
  type ApiObject,
  badRequest,
  conflict,
  type FieldError,
  fieldForbidden,
  invalid,
  invalidObject,
  notFound,
  objectModified,
} from '@strata/api'
import { equalJson, objectKey } from '../codec/index.ts'
import { planCreate, prepareForCreate } from './create.ts'
import { adoptNamespace, keepMetadata, validateMetadata } from './metadata.ts'
import type { Registry } from './registry.ts'
import type { ServedResource } from './served-api.ts'
import { type Current, type Plan, type Written, writeObject } from './write-object.ts'

/** Replaces a stored object by what a client sent. */
export async function update(
  registry: Registry,
  resource: ServedResource,
  target: { readonly namespace: string; readonly name: string },
  object: ApiObject,
  signal: AbortSignal,
): Promise<Written> {
  const { definition } = resource
  const { namespace, name } = target
  if (object.metadata.name !== undefined && object.metadata.name !== '' && object.metadata.name !== name) {
    throw badRequest(
      `the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`,
    )
  }
  object.metadata.name = name
  adoptNamespace(object, definition, namespace)
  const askedRevision = revisionOf(object)
  return writeObject(
    registry,
    resource,
    objectKey(definition, namespace, name),
    (current, look) => {
      if (current) return planUpdate(resource, structuredClone(object), askedRevision, current)
      if (!definition.strategy.allowCreateOnUpdate || askedRevision !== undefined) {
        throw notFound(definition, name)
      }
      const fresh = structuredClone(object)
      prepareForCreate(registry, resource, namespace, fresh)
      return planCreate(registry, resource, namespace, fresh, look)
    },
    signal,
  )
}

function planUpdate(
  { definition }: ServedResource,
  object: ApiObject,
  askedRevision: number | undefined,
  { entry, hub: stored }: Current,
): Plan {
  const name = object.metadata.name ?? ''
  const { strategy } = definition
  if (askedRevision === undefined && !strategy.allowUnconditionalUpdate) {
    const error = invalid('metadata.resourceVersion', '', 'must be specified for an update')
    throw invalidObject(definition, name, [error])
  }
  if (askedRevision !== undefined && askedRevision !== entry.revision) throw objectModified(definition, name)
  const { uid } = object.metadata
  if (uid !== undefined && uid !== '' && uid !== stored.metadata.uid) {
    throw conflict(
      definition,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.metadata.uid}`,
    )
  }
  keepMetadata(object, stored)
  strategy.prepareForUpdate?.(object, stored)
  if (strategy.tracksGeneration && specChanged(object, stored)) {
    object.metadata.generation = (stored.metadata.generation ?? 0) + 1
  }
  const errors = [
    ...validateMetadata(object, definition),
    ...(strategy.validate?.(object) ?? []),
    ...(strategy.validateUpdate?.(object, stored) ?? []),
    ...newFinalizers(object, stored),
  ]
  if (errors.length > 0) throw invalidObject(definition, name, errors)
  // The last finalizer of an object that is being deleted: this update is its end.
  const ended = object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.length
  return ended && definition.kind !== 'Namespace'
    ? { do: 'delete', last: object }
    : { do: 'put', hub: object }
}

/** Whoever cleans up has been told what there is to do; more may not be added to it. */
function newFinalizers({ metadata }: ApiObject, stored: ApiObject): FieldError[] {
  if (stored.metadata.deletionTimestamp === undefined) return []
  const added = (metadata.finalizers ?? []).filter((each) => !stored.metadata.finalizers?.includes(each))
  if (added.length === 0) return []
  const shown = `[]string{${added.map((each) => JSON.stringify(each)).join(', ')}}`
  return [
    fieldForbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`,
    ),
  ]
}

function specChanged(object: ApiObject, stored: ApiObject): boolean {
  const { metadata: _, status: __, apiVersion: ___, kind: ____, ...spec } = object
  const { metadata: _m, status: _s, apiVersion: _a, kind: _k, ...before } = stored
  return !equalJson(spec, before)
}

/** The resourceVersion a client sent, as a revision. */
function revisionOf({ metadata }: ApiObject): number | undefined {
  const text = metadata.resourceVersion
  if (text === undefined || text === '' || text === '0') return undefined
  if (!/^[0-9]{1,15}$/.test(text)) {
    throw new ApiError(
      500,
      '',
      `metadata.resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  }
  return Number(text)
}
