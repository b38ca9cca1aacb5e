import { type ApiObject, invalid, invalidObject, isKind, type JsonObject, namespaces } from '@strata/api'
import { deadline } from '@strata/world'
import type { AdmissionRequest, Operation } from '../../admission/index.ts'
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../served/served-api.ts'
import { adoptNamespace } from './metadata.ts'
import type { ClientRequester, WriteRequester, WriteWay } from './write-options.ts'

/** What a client wants to be written, as those see it who have a say in it. */
export interface AdmittedWrite extends WriteWay {
  readonly namespace: string
  readonly name: string
  /** In the version of the request; undefined for a deletion. */
  readonly object: () => ApiObject | undefined
  /** What stands, in the version of the request; undefined for something new. */
  readonly oldObject: (() => ApiObject) | undefined
  readonly requester: WriteRequester
  readonly dryRun: boolean
  /** DeleteOptions; of other operations they follow from the request. */
  readonly options?: JsonObject
  readonly signal: AbortSignal
}

/** What webhooks make of an object before it is checked; the object as it is, at once, where none is asked. */
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

/** Lets webhooks refuse what is about to be stored. Undefined where none is asked. */
export function validated(
  registry: Registry,
  resource: ServedResource,
  write: AdmittedWrite,
): Promise<void> | undefined {
  const { requester } = write
  if (requester === 'system') return undefined
  return registry.admission.validate(requestOf(resource, write, requester))
}

/** Whoever may change objects and whoever may refuse requests is told what is about to be deleted, in this order. */
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

/** Longer than this nobody is kept waiting for something that is done. */
const inForceMs = 1_000

/**
 * Whoever has configured a webhook wants it to be asked about the very next request: by this server it is, once the
 * watch has brought the configuration. The write stands in any case.
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
    // It is behind, and will come.
  } finally {
    limit.dispose()
  }
}

/** An update is of the object that the path names, whatever became of it on the way. */
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
    ...(audit ? { annotate: (key, value, level) => audit.annotate(key, value, level) } : {}),
    signal,
  }
}

function operationOf({ options, oldObject }: AdmittedWrite): Operation {
  if (options) return 'DELETE'
  return oldObject ? 'UPDATE' : 'CREATE'
}

/** As upstream has them: whatever the request was, those of the operation that became of it. */
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
