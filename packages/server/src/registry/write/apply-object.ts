import {
  type ApiObject,
  applyConflictError,
  applyObject,
  badRequest,
  cloneJson,
  conflict,
  isJsonObject,
  type JsonObject,
  notFound,
} from '@strata/api'
import { timestamp } from '@strata/world'
import { objectKey } from '../../codec/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { admitNew, planCreate, prepareForCreate } from './create-object.ts'
import { blankOf, resetFieldsOf } from './field-management.ts'
import { type Shown, shownObject } from './keep-unknown.ts'
import {
  admitUpdate,
  adopt,
  planOf,
  revisionOf,
  type SubresourceOptions,
  type Target,
} from './update-object.ts'
import { type Current, type Written, writeObject } from './write-object.ts'

export interface ApplyOptions extends SubresourceOptions {
  /** Takes over fields that other managers own. */
  readonly force: boolean
}

/**
 * Applies a configuration to the stored object or creates a new one. `decode` turns the result into an object with its defaults.
 */
export async function apply(
  registry: Registry,
  resource: ServedResource,
  target: Target,
  applied: JsonObject,
  decode: (object: JsonObject) => ApiObject,
  options: ApplyOptions,
  signal: AbortSignal,
): Promise<Written> {
  const { definition } = resource
  const owned = { ...options, owned: true }
  return writeObject(
    registry,
    resource,
    objectKey(definition, target.namespace, target.name),
    (current, context) => {
      if (!current && options.subresource) throw notFound(definition, target.name)
      const shown = current && shownObject(resource, current)
      const live = current && shown && liveObject(resource, current, shown)
      const next = appliedTo(registry, resource, live, applied, decode, options)
      if (current) {
        adopt(resource, target, next)
        const how = { ...owned, holdsUnknown: shown?.holdsUnknown === true }
        const askedRevision = revisionOf(next)
        const go = (admitted: ApiObject) =>
          planOf(options)(registry, resource, admitted, askedRevision, current, how)
        if (!registry.admission.mutates) return go(next)
        return admitUpdate(registry, resource, target, next, current, options, context).then(go)
      }
      checkNew(resource, target, next)
      adopt(resource, target, next)
      // A new object has no resourceVersion to match.
      delete next.metadata.resourceVersion
      const go = (admitted: ApiObject) => {
        const hub = prepareForCreate(registry, resource, target.namespace, admitted, owned)
        return planCreate(registry, resource, target.namespace, hub, context)
      }
      if (!registry.admission.mutates) return go(next)
      return admitNew(registry, resource, target.namespace, next, options, context).then(go)
    },
    signal,
    options,
  )
}

function appliedTo(
  { world }: Registry,
  resource: ServedResource,
  live: JsonObject | undefined,
  applied: JsonObject,
  decode: (object: JsonObject) => ApiObject,
  { manager, force, subresource }: ApplyOptions,
): ApiObject {
  const { definition, codec, apiVersion } = resource
  const schema = codec.schemaOf(apiVersion)
  const outcome = applyObject({
    live,
    applied: subresource === 'status' ? statusOf(applied) : applied,
    blank: definition.typed ? blankOf(schema) : undefined,
    schema,
    apiVersion,
    manager,
    subresource,
    time: timestamp(world.clock),
    force,
    ...resetFieldsOf(definition, subresource),
    schemaOf: (version) => (codec.isSpoken(version) ? codec.schemaOf(version) : undefined),
    convert: (object, from, to) => convert(resource, object, from, to),
  })
  if (outcome.outcome === 'conflicts') throw applyConflictError(outcome.conflicts)
  const next = decode(cloneJson(outcome.object))
  if (outcome.managedFields === undefined) delete next.metadata.managedFields
  else next.metadata.managedFields = outcome.managedFields
  return next
}

function liveObject(
  { definition, apiVersion }: ServedResource,
  { entry }: Current,
  { document }: Shown,
): JsonObject {
  const metadata = { ...document.metadata, resourceVersion: String(entry.revision) }
  return { ...document, apiVersion, kind: definition.kind, metadata }
}

/** Through the status subresource only the status is applied; the metadata names the object. */
function statusOf(applied: JsonObject): JsonObject {
  const { apiVersion, kind, metadata, status } = applied
  const named: JsonObject = {}
  for (const field of ['name', 'namespace', 'uid', 'resourceVersion']) {
    if (isJsonObject(metadata) && metadata[field] !== undefined) named[field] = metadata[field]
  }
  return { apiVersion, kind, metadata: named, ...(status === undefined ? {} : { status }) }
}

function convert(
  { codec }: ServedResource,
  object: JsonObject,
  from: string,
  to: string,
): JsonObject | undefined {
  if (from === to) return object
  if (!codec.isSpoken(from) || !codec.isSpoken(to)) return undefined
  try {
    return codec.toWire(codec.toHub(cloneJson(object) as ApiObject, from), to)
  } catch (error) {
    // Conversions expect whole objects; one with removed fields may not convert.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Apply creates an object only if the body has its name, and no uid of an earlier object. */
function checkNew({ definition }: ServedResource, { name }: Target, { metadata }: ApiObject): void {
  if (metadata.uid) {
    throw conflict(
      definition,
      name,
      `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`,
    )
  }
  if (!metadata.name) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    )
  }
}
