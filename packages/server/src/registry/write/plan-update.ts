import {
  type ApiObject,
  cloneJson,
  conflict,
  type FieldError,
  fieldForbidden,
  goLiteral,
  invalid,
  invalidObject,
  isKind,
  jsonEqual,
  type Namespace,
  namespaces,
  objectModified,
  pathSegment,
  sameButForManagedTimes,
  storageVersions,
  validateObjectMeta,
} from '@strata/api'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { trackFields } from './field-management.ts'
import { keepUnknown } from './keep-unknown.ts'
import { keepMetadata } from './metadata.ts'
import { validateMetadata } from './validate-metadata.ts'
import { warn } from './warn.ts'
import type { Current, Plan } from './write-object.ts'
import type { PlanOptions } from './write-options.ts'

/** The object to store, from the stored object and the client's; both end up in the hub. */
export function planUpdate(
  registry: Registry,
  resource: ServedResource,
  wanted: ApiObject,
  askedRevision: number | undefined,
  current: Current,
  options: PlanOptions,
): Plan {
  const { definition, codec, apiVersion } = resource
  checkIdentity(resource, wanted, askedRevision, current)
  const { hub: stored } = current
  keepMetadata(wanted, stored)
  const next = keepUnknown(resource, wanted, current, options)
  // The hooks below may change parts of the stored object; the comparison must not see that.
  if (!options.owned) {
    trackFields(registry, resource, {
      stored: codec.toWire(stored, apiVersion),
      next,
      storedHub: stored,
      options,
      subresource: options.subresource,
    })
  }
  const hub = codec.toHub(next, apiVersion)
  const { prepareForUpdate } = definition.strategy
  prepareForUpdate?.(hub, stored)
  if (options.owned || prepareForUpdate) forgetIdleTimes(hub, stored)
  const plan = finish(resource, hub, stored, next !== wanted)
  warn(options.requester, definition.strategy.warnings?.(hub, stored))
  return plan
}

/** Takes only the status, and the owners of its fields, from the client. */
export function planStatusUpdate(
  registry: Registry,
  resource: ServedResource,
  next: ApiObject,
  askedRevision: number | undefined,
  current: Current,
  options: PlanOptions,
): Plan {
  const { definition, codec, apiVersion } = resource
  checkIdentity(resource, next, askedRevision, current)
  const storedWire = codec.toWire(current.hub, apiVersion)
  const wanted: ApiObject = { ...cloneJson(storedWire), status: next['status'] }
  if (wanted['status'] === undefined) delete wanted['status']
  if (definition.strategy.statusTakesMetadata) {
    keepMetadata(next, current.hub)
    wanted.metadata = next.metadata
  }
  const merged = keepUnknown(resource, wanted, current, options)
  if (options.owned) {
    const { managedFields } = next.metadata
    if (managedFields === undefined) delete merged.metadata.managedFields
    else merged.metadata.managedFields = managedFields
  } else {
    trackFields(registry, resource, {
      stored: storedWire,
      next: merged,
      storedHub: current.hub,
      options,
      subresource: 'status',
    })
  }
  const hub = codec.toHub(merged, apiVersion)
  if (options.owned) forgetIdleTimes(hub, current.hub)
  return finish(resource, hub, current.hub, merged !== wanted || options.holdsUnknown, true)
}

/**
 * 409 Conflict if the client has seen another state of the object, or another object of that name. 422 if the kind needs a
 * resourceVersion and the client sent none.
 */
function checkIdentity(
  { definition }: ServedResource,
  next: ApiObject,
  askedRevision: number | undefined,
  { entry, hub: stored }: Current,
): void {
  const name = next.metadata.name ?? ''
  if (askedRevision === undefined && !definition.strategy.allowUnconditionalUpdate) {
    const error = invalid('metadata.resourceVersion', 0, 'must be specified for an update')
    // Upstream names the resource here, not the kind.
    throw invalidObject({ group: definition.group, kind: definition.resource }, name, [error])
  }
  if (askedRevision !== undefined && askedRevision !== entry.revision) throw objectModified(definition, name)
  const { uid } = next.metadata
  if (uid !== undefined && uid !== '' && uid !== stored.metadata.uid) {
    // The text is that of upstream's storage layer; clients know it.
    throw conflict(
      definition,
      name,
      `StorageError: invalid object, Code: 4, Key: ${entry.key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored.metadata.uid}`,
    )
  }
}

export function finish(
  { definition, codec, apiVersion }: ServedResource,
  hub: ApiObject,
  stored: ApiObject,
  holdsUnknown = false,
  ofStatus = false,
): Plan {
  const { strategy } = definition
  const own =
    ofStatus && strategy.validateStatusUpdate
      ? strategy.validateStatusUpdate(hub, stored)
      : [...(strategy.validate?.(hub) ?? []), ...(strategy.validateUpdate?.(hub, stored) ?? [])]
  if (strategy.tracksGeneration && specChanged(definition, hub, stored)) {
    hub.metadata.generation = (stored.metadata.generation ?? 0) + 1
  }
  const errors = [
    ...metadataFindings(hub, definition),
    ...codec.validateWhole(hub, stored, apiVersion, ofStatus),
    ...own,
    ...newFinalizers(hub, stored),
    // Upstream's kinds check this twice and report it twice.
    ...(definition.typed && !leavesMetadata(definition) ? newFinalizers(hub, stored) : []),
  ]
  if (errors.length > 0) throw invalidObject(definition, hub.metadata.name ?? '', errors)
  // The last finalizer of an object that is being deleted: this update removes the object.
  const ended = hub.metadata.deletionTimestamp !== undefined && !hub.metadata.finalizers?.length
  return ended && !waitsForContent(definition, hub)
    ? { do: 'delete', last: hub }
    : { do: 'put', hub, holdsUnknown }
}

/** If hooks undo the whole change of a client, nothing changed: also not the time in managedFields. */
function forgetIdleTimes(hub: ApiObject, stored: ApiObject): void {
  const before = stored.metadata.managedFields
  if (hub.metadata.managedFields === before || before === undefined) return
  if (sameButForManagedTimes(contentOf(stored), contentOf(hub))) hub.metadata.managedFields = before
}

/** The object without fields that are never stored. */
function contentOf({ apiVersion: _, kind: __, metadata, ...object }: ApiObject): ApiObject {
  const { resourceVersion: ___, ...kept } = metadata
  return { ...object, metadata: kept }
}

/** Upstream checks the metadata of these kinds three times in an update, and reports each finding three times; of others four. */
const checkedThrice = new Set([
  'CustomResourceDefinition',
  'Lease',
  'LimitRange',
  'MutatingWebhookConfiguration',
  'Namespace',
  'ResourceQuota',
  'ValidatingWebhookConfiguration',
])

/** Upstream's validation of an update checks no metadata of these kinds beyond the generic check. */
function leavesMetadata(definition: ServedResource['definition']): boolean {
  return isKind(definition, storageVersions)
}

/** Upstream's kinds check some metadata several times on update, and report every finding. */
function metadataFindings(hub: ApiObject, definition: ServedResource['definition']): FieldError[] {
  const isLeft = leavesMetadata(definition)
  const errors = isLeft ? validateObjectMeta(hub.metadata, pathSegment) : validateMetadata(hub, definition)
  if (!definition.typed || errors.length === 0) return errors
  const again = errors.filter(({ path }) => /^metadata\.(labels|annotations|ownerReferences)\b/.test(path))
  const times = isLeft ? 1 : checkedThrice.has(definition.kind) ? 2 : 3
  return [...errors, ...Array.from({ length: times }, () => again).flat()]
}

/** A namespace has finalizers in its spec, too: it stays until it is empty. */
function waitsForContent(definition: ServedResource['definition'], hub: ApiObject): boolean {
  return isKind(definition, namespaces) && Boolean((hub as Namespace).spec?.finalizers?.length)
}

/** No finalizers may be added while an object is being deleted: its controllers clean up for those that they have seen. */
function newFinalizers({ metadata }: ApiObject, stored: ApiObject): FieldError[] {
  if (stored.metadata.deletionTimestamp === undefined) return []
  const added = (metadata.finalizers ?? []).filter((each) => !stored.metadata.finalizers?.includes(each))
  if (added.length === 0) return []
  return [
    fieldForbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${goLiteral(added)}`,
    ),
  ]
}

function specChanged(
  { isCustom, subresources }: ServedResource['definition'],
  object: ApiObject,
  stored: ApiObject,
): boolean {
  const { metadata: _, status, apiVersion: ___, kind: ____, ...spec } = object
  const { metadata: _m, status: statusBefore, apiVersion: _a, kind: _k, ...before } = stored
  if (!jsonEqual(spec, before)) return true
  // A custom resource without the status subresource has its status as an ordinary field.
  return Boolean(isCustom && !subresources?.status) && !jsonEqual(status, statusBefore)
}
