import {
  type ApiObject,
  applyConflictError,
  applyObject,
  badRequest,
  blankObject,
  cloneJson,
  type FieldPath,
  invalid,
  invalidObject,
  type JsonObject,
  type ManagedFieldsEntry,
  parentFieldsOf,
  type Scale,
  scaleFieldsOf,
  updateManagedFields,
} from '@strata/api'
import { timestamp } from '@strata/world'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { mutated } from '../write/admit.ts'
import type { ApplyOptions } from '../write/apply-object.ts'
import { adopt, patch, type Target } from '../write/update-object.ts'
import type { PlanContext, Written } from '../write/write-object.ts'
import type { SubresourceView, WriteOptions } from '../write/write-options.ts'
import { numberAt, pathsOf, replicasPathIn, scaleResource, scaleWith, setAt } from './scale-view.ts'

/** A write of the Scale is a write of the object's replicas. `change` derives the new Scale from the current one. */
export function patchScale(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  change: (scale: JsonObject) => ApiObject,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<Written> {
  const own = (scale: ApiObject, next: ApiObject): readonly ManagedFieldsEntry[] | undefined =>
    updateManagedFields({ ...asManager(registry, options), stored: scale, next, inVersion: () => undefined })
  return writeScale(registry, resource, target, options, signal, (scale) => {
    const next = change(scale)
    return { next, managedFields: own(scale, next) }
  })
}

/** The same for apply. The object must exist. */
export function applyScale(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  applied: JsonObject,
  decode: (object: JsonObject) => ApiObject,
  options: ApplyOptions,
  signal: AbortSignal,
): Promise<Written> {
  return writeScale(registry, resource, target, options, signal, (live) => {
    const outcome = applyObject({
      ...asManager(registry, options),
      live,
      applied,
      force: options.force,
      schemaOf: (apiVersion) => (apiVersion === scaleResource.apiVersion ? scaleSchema : undefined),
      convert: (object) => object,
    })
    if (outcome.outcome === 'conflicts') throw applyConflictError(outcome.conflicts)
    return { next: decode(cloneJson(outcome.object)), managedFields: outcome.managedFields }
  })
}

const scaleSchema = scaleResource.codec.schemaOf(scaleResource.apiVersion)

function asManager({ world }: Registry, { manager }: WriteOptions) {
  return {
    blank: blankObject(scaleSchema),
    schema: scaleSchema,
    apiVersion: scaleResource.apiVersion,
    manager,
    subresource: 'scale',
    time: timestamp(world.clock),
  }
}

/** Smaller than any count: distinguishes "never set" from zero. */
const neverSet = -(2 ** 31)

function writeScale(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  options: WriteOptions,
  signal: AbortSignal,
  change: (scale: ApiObject) => {
    readonly next: ApiObject
    readonly managedFields: readonly ManagedFieldsEntry[] | undefined
  },
): Promise<Written> {
  const { definition, apiVersion } = resource
  const paths = pathsOf(resource)
  const replicasPath = (version: string): FieldPath | undefined => replicasPathIn(resource, version)
  const view: SubresourceView = {
    shown: scaleResource,
    of: (object) => scaleWith(object, paths, numberAt(object, paths.specReplicas) ?? 0),
  }
  const scaled = (document: JsonObject, context: PlanContext): ApiObject | Promise<ApiObject> => {
    const object = document as ApiObject
    const { managedFields } = object.metadata as { managedFields?: readonly ManagedFieldsEntry[] }
    const before = numberAt(document, paths.specReplicas) ?? neverSet
    const scale = scaleWith(object, paths, before)
    const owners = scaleFieldsOf(managedFields, replicasPath)
    if (owners) scale.metadata.managedFields = owners
    const { next, managedFields: scaleFields } = change(scale)
    adopt(scaleResource, target, next)
    const admitted = registry.admission.mutates ? admitScale(scale, next, context) : next
    return admitted instanceof Promise
      ? admitted.then((each) => take(each, object, owners, scaleFields))
      : take(admitted, object, owners, scaleFields)
  }
  const admitScale = (
    scale: ApiObject,
    next: ApiObject,
    { signal }: PlanContext,
  ): ApiObject | Promise<ApiObject> =>
    mutated(registry, resource, next, {
      ...{ namespace: target.namespace, name: target.name, subresource: 'scale', signal },
      ...{ requester: options.requester, dryRun: options.dryRun },
      view: { shown: scaleResource, of: (object) => object },
      oldObject: () => scale,
    })
  /** Copies the values of a Scale into the object. */
  const take = (
    next: ApiObject,
    object: ApiObject,
    owners: readonly ManagedFieldsEntry[] | undefined,
    scaleFields: readonly ManagedFieldsEntry[] | undefined,
  ): ApiObject => {
    const { managedFields } = object.metadata as { managedFields?: readonly ManagedFieldsEntry[] }
    const replicas = (next as Scale).spec?.replicas ?? 0
    if (replicas === neverSet) {
      throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicas)} cannot be empty`)
    }
    if (replicas < 0) {
      const error = invalid(paths.specReplicas, replicas, 'should be a non-negative integer')
      throw invalidObject(definition, target.name, [error])
    }
    setAt(object, paths.specReplicas, replicas)
    const { resourceVersion, uid } = next.metadata
    if (resourceVersion) object.metadata.resourceVersion = resourceVersion
    if (uid) object.metadata.uid = uid
    const parentFields = parentFieldsOf(managedFields, scaleFields, apiVersion, replicasPath)
    if (parentFields === undefined) delete object.metadata.managedFields
    else if (scaleFields !== owners) object.metadata.managedFields = parentFields
    return object
  }
  return patch(
    registry,
    resource,
    target,
    scaled,
    { ...options, subresource: 'scale', view, owned: true },
    signal,
  )
}
