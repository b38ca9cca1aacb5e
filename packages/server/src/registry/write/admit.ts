import { type ApiObject, invalid, invalidObject, isKind, type JsonObject, namespaces } from '@strata/api'
import { deadline } from '@strata/world'
import type { AdmissionRequest, Operation } from '../../admission/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { adoptNamespace } from './metadata.ts'
import type { ClientRequester, WriteRequester, WriteWay } from './write-options.ts'

/** A client's write, as admission webhooks see it. */
export interface AdmittedWrite extends WriteWay {
  readonly namespace: string
  readonly name: string
  /** In the version of the request; undefined for a deletion. */
  readonly object: () => ApiObject | undefined
  /** The stored object in the version of the request; undefined for a create. */
  readonly oldObject: (() => ApiObject) | undefined
  readonly requester: WriteRequester
  readonly dryRun: boolean
  /** DeleteOptions; for other operations the options derive from the request. */
  readonly options?: JsonObject
  readonly signal: AbortSignal
}

/** The object as mutating webhooks change it, before validation; the same object, without waiting, if no webhook matches. */
export function mutated(
  registry: Registry,
  resource: ServedResource,
  object: ApiObject,
  write: Omit<AdmittedWrite, 'object'>,
): ApiObject | Promise<ApiObject> {
  const { requester } = write
  if (requester === 'system') return object
  const request = requestOf(resource, { ...write, object: () => object }, requester)
  const asked = registry.admission.mutate(request)
  return asked === undefined ? object : asked.then((changed) => changed ?? object)
}

/** Lets validating webhooks refuse a write right before it is stored. Undefined if no webhook matches. */
export function validated(
  registry: Registry,
  resource: ServedResource,
  write: AdmittedWrite,
): Promise<void> | undefined {
  const { requester } = write
  if (requester === 'system') return undefined
  return registry.admission.validate(requestOf(resource, write, requester))
}

/** Calls mutating, then validating webhooks about a deletion. */
export function deletionAdmitted(
  registry: Registry,
  resource: ServedResource,
  write: AdmittedWrite,
): Promise<void> | undefined {
  const { requester } = write
  if (requester === 'system') return undefined
  const { admission } = registry
  const request = requestOf(resource, write, requester)
  const asked = admission.mutate(request)
  return asked === undefined ? admission.validate(request) : asked.then(() => admission.validate(request))
}

/** The longest time a finished write waits for its configuration to take effect. */
const inForceMs = 1_000

/**
 * After a write of a webhook configuration: waits until the watch has brought it, so that this server calls the webhook for the
 * very next request. The write stands in any case.
 */
export async function inForce(
  { cache, world }: Registry,
  revision: number,
  signal: AbortSignal,
): Promise<void> {
  const limit = deadline(world.clock, inForceMs, signal)
  try {
    await cache.barrier.reach(revision, limit.signal)
  } catch {
    // The watch is behind; the configuration takes effect when it catches up.
  } finally {
    limit.dispose()
  }
}

/** A webhook may not turn an update into one of another object. */
export function checkUnmoved(
  { definition }: ServedResource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  object: ApiObject,
): ApiObject {
  const { name: found } = object.metadata
  if (found !== name) {
    const error = invalid('metadata.name', found ?? '', 'field is immutable')
    throw invalidObject(definition, name, [error])
  }
  adoptNamespace(object, definition, namespace)
  return object
}

function requestOf(
  resource: ServedResource,
  write: AdmittedWrite,
  { user, request: { info, warnings, audit } }: ClientRequester,
): AdmissionRequest {
  const { name, namespace, view, subresource = '', object, oldObject, dryRun, signal } = write
  const { definition } = resource
  const operation = operationOf(write)
  const seen = (whole: ApiObject | undefined) => (whole && view ? view.of(whole) : whole)
  return {
    operation,
    resource,
    subresource,
    shown: view?.shown ?? resource,
    namespace: isKind(definition, namespaces) ? name : namespace,
    name,
    object: () => seen(object()),
    oldObject: () => seen(oldObject?.()),
    options: write.options ?? optionsOf(operation, info.query, dryRun),
    dryRun,
    user,
    warnings,
    annotate: audit && ((key, value, level) => audit.annotate(key, value, level)),
    signal,
  }
}

function operationOf({ options, oldObject }: AdmittedWrite): Operation {
  if (options) return 'DELETE'
  return oldObject ? 'UPDATE' : 'CREATE'
}

/** As upstream: the options of the operation that is performed, whatever the request was. */
function optionsOf(operation: Operation, query: URLSearchParams, dryRun: boolean): JsonObject {
  const [fieldManager, fieldValidation] = [query.get('fieldManager'), query.get('fieldValidation')]
  return {
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  }
}
