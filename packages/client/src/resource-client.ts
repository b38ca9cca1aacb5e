import type { ApiList, ApiObject, Status } from '@strata/api'
import { type ObjectReference, type ResourceAddress, resourcePath, withKind } from './address.ts'
import {
  type ApiRequest,
  type ConnectionOptions,
  requestJson,
  requestText,
  sendRequest,
} from './connection.ts'
import { readList, readObject } from './go-nulls.ts'
import { type WatchEvent, watchEvents } from './watch-events.ts'

export interface ListOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** How many objects one page may hold. The pages are joined. */
  readonly pageSize?: number | undefined
}

/** One page of a list. */
export interface PageOptions {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  readonly limit: number
  /** From the page before; default: the first page. */
  readonly continueToken?: string | undefined
}

export interface WriteOptions {
  /** `status`, `scale`… */
  readonly subresource?: string | undefined
  /** Validates and admits the write without storing it. */
  readonly dryRun?: boolean | undefined
  readonly fieldManager?: string | undefined
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string
  /** Takes fields from other managers. Without it, a field with another value and another manager is a conflict. */
  readonly force?: boolean | undefined
}

export interface CreateOptions {
  /** The answer may take many minutes: the caller sets its own deadline. */
  readonly isLong?: boolean
  readonly fieldManager?: string | undefined
}

export interface WatchOptions {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
  /** Sends changes after this one. Default: every object as an addition first, then the changes. */
  readonly resourceVersion?: string | undefined
  readonly bookmarks?: boolean | undefined
  /** The server ends the watch after this long. */
  readonly timeoutSeconds?: number | undefined
}

/** The object is deleted only if its uid and resourceVersion are still these. */
export interface Preconditions {
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
}

/** What happens to the dependents of the deleted object. */
export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export interface DeleteOptions {
  readonly preconditions?: Preconditions | undefined
  /** Default: as the object's finalizers say, else Background. */
  readonly propagation?: Propagation | undefined
  /**
   * Deletes the stored bytes of an object that no server can decode, past finalizers and admission (KEP-3926). Refused for one that
   * can be decoded; a server without the feature gate does not see it.
   */
  readonly ignoresReadError?: boolean | undefined
  readonly dryRun?: boolean | undefined
}

/** A JSON merge patch: its fields replace those of the object, null removes a field. */
export type MergePatch = Readonly<Record<string, unknown>>

/**
 * The requests for one resource. A failed request throws `ApiError` with the server's Status; a request without an
 * answer throws `TransportError`. The predicates of errors.ts say what follows.
 */
export interface ResourceClient<T extends ApiObject = ApiObject> {
  readonly address: ResourceAddress
  get(reference: ObjectReference, signal: AbortSignal): Promise<T>
  /** All pages, at one resourceVersion. */
  list(options: ListOptions, signal: AbortSignal): Promise<ApiList<T>>
  /** One page, for callers that do not hold the whole list. */
  listPage(options: PageOptions, signal: AbortSignal): Promise<ApiList<T>>
  /** The object as text. Sent back with `putText`, no long number loses digits in JavaScript. */
  getText(reference: ObjectReference, signal: AbortSignal): Promise<string>
  /** Creates the object in the namespace that it names. */
  create(object: T, signal: AbortSignal, options?: CreateOptions): Promise<T>
  /** Refused with a conflict if the object's resourceVersion is not the stored one. */
  update(object: T, signal: AbortSignal): Promise<T>
  /** The same for a subresource. */
  updateSubresource(subresource: string, object: T, signal: AbortSignal): Promise<T>
  /** With a resourceVersion in the patch's metadata, refused with a conflict if it is not the stored one. */
  patch(
    reference: ObjectReference,
    patch: MergePatch,
    signal: AbortSignal,
    options?: WriteOptions,
  ): Promise<T>
  /** Server-side apply: what the manager applied before, and no longer does, is removed unless others own it. */
  apply(
    reference: ObjectReference,
    configuration: MergePatch,
    signal: AbortSignal,
    options: ApplyOptions,
  ): Promise<T>
  /** Like `update`, with the text of `getText`. */
  putText(reference: ObjectReference, text: string, signal: AbortSignal, options?: WriteOptions): Promise<T>
  /** Returns the object while finalizers keep it. If it is gone, a Status, or for some kinds its last state. */
  delete(reference: ObjectReference, options: DeleteOptions, signal: AbortSignal): Promise<T | Status>
  /** Deletes everything that a list would return, page by page. */
  deleteCollection(options: ListOptions & DeleteOptions, signal: AbortSignal): Promise<void>
  /** Ends without an error when the server ends the watch: resume from the last resourceVersion. */
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>
}

const pageSizeDefault = 500

/** Metadata only, for an informer of every kind. */
export const metadataOnly = {
  object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
} as const

interface Forms {
  readonly object: string
  readonly list: string
}

const whole: Forms = { object: 'application/json', list: 'application/json' }

export function createResourceClient<T extends ApiObject>(
  connection: ConnectionOptions,
  address: ResourceAddress,
  forms: Forms = whole,
): ResourceClient<T> {
  const at = (place: Parameters<typeof resourcePath>[1]): string => resourcePath(address, place)
  const pathOf = ({ metadata: { namespace, name = '' } }: T): string => at({ namespace, name })
  const send = <A = T>(request: Omit<ApiRequest, 'accept'>, signal: AbortSignal): Promise<A> =>
    requestJson<A>(connection, { ...request, accept: forms.object }, signal).then(readObject)

  return {
    address,
    get: (reference, signal) => send({ method: 'GET', path: at(reference) }, signal),
    list: (options, signal) => listPages(connection, at(options), forms.list, options, signal),
    listPage: ({ limit, continueToken, labelSelector, fieldSelector, ...place }, signal) => {
      const query = { labelSelector, fieldSelector, limit: String(limit), continue: continueToken }
      return requestList(connection, { method: 'GET', path: at(place), query, accept: forms.list }, signal)
    },
    // Always the whole object: it will be sent back.
    getText: (reference, signal) => requestText(connection, { method: 'GET', path: at(reference) }, signal),
    create: (object, signal, { fieldManager, ...options } = {}) =>
      send(
        {
          method: 'POST',
          path: at({ namespace: object.metadata.namespace }),
          ...(fieldManager === undefined ? {} : { query: { fieldManager } }),
          body: withKind(object, address),
          ...options,
        },
        signal,
      ),
    update: (object, signal) =>
      send({ method: 'PUT', path: pathOf(object), body: withKind(object, address) }, signal),
    updateSubresource: (subresource, object, signal) => {
      const path = `${pathOf(object)}/${encodeURIComponent(subresource)}`
      return send({ method: 'PUT', path, body: withKind(object, address) }, signal)
    },
    patch: (reference, patch, signal, options = {}) => {
      const contentType = 'application/merge-patch+json'
      const where = writePath(at(reference), options)
      return send({ method: 'PATCH', ...where, body: patch, contentType }, signal)
    },
    apply: (reference, configuration, signal, { force, ...options }) => {
      // JSON is YAML.
      const contentType = 'application/apply-patch+yaml'
      const { path, query = {} } = writePath(at(reference), options)
      const forced = force === undefined ? query : { ...query, force: String(force) }
      return send({ method: 'PATCH', path, query: forced, body: configuration, contentType }, signal)
    },
    putText: (reference, text, signal, options = {}) =>
      send({ method: 'PUT', ...writePath(at(reference), options), text }, signal),
    delete: (reference, options, signal) =>
      send({ method: 'DELETE', path: at(reference), body: deleteBody(options) }, signal),
    deleteCollection: (options, signal) => deletePages(connection, at(options), options, signal),
    watch: (options, signal) => watch(connection, at(options), forms.object, options, signal),
  }
}

function writePath(
  path: string,
  { subresource, dryRun, fieldManager }: WriteOptions,
): Pick<ApiRequest, 'path' | 'query'> {
  return {
    path: subresource === undefined ? path : `${path}/${encodeURIComponent(subresource)}`,
    query: { dryRun: dryRun === true ? 'All' : undefined, fieldManager },
  }
}

function deleteBody({ preconditions, propagation, ignoresReadError, dryRun }: DeleteOptions): unknown {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(preconditions ? { preconditions } : {}),
    ...(propagation ? { propagationPolicy: propagation } : {}),
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(ignoresReadError ? { ignoreStoreReadErrorWithClusterBreakingPotential: true } : {}),
  }
}

async function requestList<T extends ApiObject>(
  connection: ConnectionOptions,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ApiList<T>> {
  return readList(await requestJson<ApiList<T>>(connection, request, signal))
}

async function listPages<T extends ApiObject>(
  connection: ConnectionOptions,
  path: string,
  accept: string,
  { labelSelector, fieldSelector, pageSize = pageSizeDefault }: ListOptions,
  signal: AbortSignal,
): Promise<ApiList<T>> {
  const items: T[] = []
  let next: string | undefined
  for (;;) {
    const query = { labelSelector, fieldSelector, limit: String(pageSize), continue: next }
    const page = await requestList<T>(connection, { method: 'GET', path, query, accept }, signal)
    for (const item of page.items) items.push(item)
    next = page.metadata.continue
    if (next === undefined || next === '') {
      const { continue: _, remainingItemCount: __, ...metadata } = page.metadata
      return { ...page, metadata, items }
    }
  }
}

/**
 * In pages, so that no request takes longer than the server allows. Deleted pages stay deleted if a later page fails. The
 * answers contain metadata only.
 */
async function deletePages(
  connection: ConnectionOptions,
  path: string,
  { labelSelector, fieldSelector, pageSize = pageSizeDefault, ...options }: ListOptions & DeleteOptions,
  signal: AbortSignal,
): Promise<void> {
  let next: string | undefined
  do {
    const query = { labelSelector, fieldSelector, limit: String(pageSize), continue: next }
    const request = {
      method: 'DELETE',
      path,
      query,
      body: deleteBody(options),
      accept: metadataOnly.list,
    } as const
    const page: Partial<ApiList> = await requestJson(connection, request, signal)
    next = page.metadata?.continue
  } while (next !== undefined && next !== '')
}

async function* watch<T extends ApiObject>(
  connection: ConnectionOptions,
  path: string,
  accept: string,
  { labelSelector, fieldSelector, resourceVersion, bookmarks = false, timeoutSeconds }: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void> {
  const query = {
    watch: 'true',
    labelSelector,
    fieldSelector,
    resourceVersion,
    allowWatchBookmarks: bookmarks ? 'true' : undefined,
    timeoutSeconds: timeoutSeconds === undefined ? undefined : String(timeoutSeconds),
  }
  const { body } = await sendRequest(connection, { method: 'GET', path, query, accept }, signal)
  yield* watchEvents<T>(body)
}
