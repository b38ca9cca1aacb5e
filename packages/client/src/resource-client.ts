import type { ApiList, ApiObject, Status } from '@strata/api'
import { type ObjectReference, type ResourceAddress, resourcePath, withKind } from './address.ts'
import { ask, askJson, type ConnectionOptions } from './connection.ts'
import { type WatchEvent, watchEvents } from './watch-events.ts'

export interface ListOptions {
  /** Left out: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** How many objects one answer may hold; the pages are put together. */
  readonly pageSize?: number
}

export interface WatchOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Everything after this; left out: what there is, as additions, and then everything after. */
  readonly resourceVersion?: string
  readonly bookmarks?: boolean
  /** The server ends the watch after this long. */
  readonly timeoutSeconds?: number
}

/** The object is deleted only if it is still this one, in this state. */
export interface Preconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

/**
 * One resource, as any client sees it. Failed requests throw `ApiError` with the server's Status; requests
 * without an answer throw `TransportError`.
 */
export interface ResourceClient<T extends ApiObject = ApiObject> {
  readonly address: ResourceAddress
  get(reference: ObjectReference, signal: AbortSignal): Promise<T>
  /** All pages, at one resourceVersion. */
  list(options: ListOptions, signal: AbortSignal): Promise<ApiList<T>>
  /** Into the namespace that the object names. */
  create(object: T, signal: AbortSignal): Promise<T>
  /** Refused with a conflict if the object's resourceVersion is not the stored one. */
  update(object: T, signal: AbortSignal): Promise<T>
  /** A Status when the object is gone, the object itself while finalizers keep it. */
  delete(
    reference: ObjectReference,
    options: { readonly preconditions?: Preconditions },
    signal: AbortSignal,
  ): Promise<T | Status>
  /** Ends without an error when the server ends it; resume from the last resourceVersion. */
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>
}

const pageSizeDefault = 500

export function createResourceClient<T extends ApiObject>(
  connection: ConnectionOptions,
  address: ResourceAddress,
): ResourceClient<T> {
  const at = (reference: Partial<ObjectReference>): string => resourcePath(address, reference)
  const placeOf = ({ metadata: { namespace } }: T): Partial<ObjectReference> =>
    namespace === undefined ? {} : { namespace }

  return {
    address,
    get: (reference, signal) => askJson(connection, { method: 'GET', path: at(reference) }, signal),
    list: (options, signal) => listPages(connection, at(options), options, signal),
    create: (object, signal) =>
      askJson(
        connection,
        { method: 'POST', path: at(placeOf(object)), body: withKind(object, address) },
        signal,
      ),
    update: (object, signal) => {
      const path = at({ ...placeOf(object), name: object.metadata.name ?? '' })
      return askJson(connection, { method: 'PUT', path, body: withKind(object, address) }, signal)
    },
    delete: (reference, { preconditions }, signal) => {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...(preconditions ? { preconditions } : {}) }
      return askJson(connection, { method: 'DELETE', path: at(reference), body }, signal)
    },
    watch: (options, signal) => watch(connection, at(options), options, signal),
  }
}

async function listPages<T extends ApiObject>(
  connection: ConnectionOptions,
  path: string,
  { labelSelector, fieldSelector, pageSize = pageSizeDefault }: ListOptions,
  signal: AbortSignal,
): Promise<ApiList<T>> {
  const items: T[] = []
  let next: string | undefined
  for (;;) {
    const query = { labelSelector, fieldSelector, limit: String(pageSize), continue: next }
    const page: ApiList<T> = await askJson(connection, { method: 'GET', path, query }, signal)
    for (const item of page.items) items.push(item)
    next = page.metadata.continue
    if (next === undefined || next === '') {
      const { continue: _, remainingItemCount: __, ...metadata } = page.metadata
      return { ...page, metadata, items }
    }
  }
}

async function* watch<T extends ApiObject>(
  connection: ConnectionOptions,
  path: string,
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
  const { body } = await ask(connection, { method: 'GET', path, query }, signal)
  yield* watchEvents<T>(body)
}
