import type { ApiList, ApiObject, Status } from '@strata/api'
import { type ObjectReference, type ResourceAddress, resourcePath, withKind } from './address.ts'
import { type Ask, ask, askJson, askText, type ConnectionOptions } from './connection.ts'
import { type WatchEvent, watchEvents } from './watch-events.ts'

export interface ListOptions {
  /** Left out: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** How many objects one answer may hold; the pages are put together. */
  readonly pageSize?: number
}

/** One answer of a list that goes on where another ended. */
export interface PageOptions {
  readonly namespace?: string
  readonly limit: number
  /** Of the page before; left out: the first one. */
  readonly continueToken?: string
}

export interface WriteOptions {
  /** A part of the object that has a path of its own. */
  readonly subresource?: string
  /** Everything is checked and nothing is stored. */
  readonly dryRun?: boolean
  readonly fieldManager?: string
}

export interface CreateOptions {
  /** A question that may take the server many minutes: whoever asks sets a limit of its own. */
  readonly isLong?: boolean
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

/** What becomes of the objects that name the deleted one as their owner. */
export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export interface DeleteOptions {
  readonly preconditions?: Preconditions
  /** Left out: what the object's own finalizers say, else in the background. */
  readonly propagation?: Propagation
}

/** A merge patch: fields take the place of those that are there, null takes them away. */
export type MergePatch = Readonly<Record<string, unknown>>

/**
 * One resource, as any client sees it. Failed requests throw `ApiError` with the server's Status; requests
 * without an answer throw `TransportError`.
 */
export interface ResourceClient<T extends ApiObject = ApiObject> {
  readonly address: ResourceAddress
  get(reference: ObjectReference, signal: AbortSignal): Promise<T>
  /** All pages, at one resourceVersion. */
  list(options: ListOptions, signal: AbortSignal): Promise<ApiList<T>>
  /** One page, for those who do not want to hold them all. */
  listPage(options: PageOptions, signal: AbortSignal): Promise<ApiList<T>>
  /** The object as it was sent: whoever sends it back changes no number that is too long for this language. */
  getText(reference: ObjectReference, signal: AbortSignal): Promise<string>
  /** Into the namespace that the object names. */
  create(object: T, signal: AbortSignal, options?: CreateOptions): Promise<T>
  /** Refused with a conflict if the object's resourceVersion is not the stored one. */
  update(object: T, signal: AbortSignal): Promise<T>
  /** The same for a part of the object that has a path of its own. */
  updateSubresource(subresource: string, object: T, signal: AbortSignal): Promise<T>
  /** With a resourceVersion in the patch's metadata, refused with a conflict if it is not the stored one. */
  patch(
    reference: ObjectReference,
    patch: MergePatch,
    signal: AbortSignal,
    options?: WriteOptions,
  ): Promise<T>
  /** As `update`, with the words of `getText`. */
  putText(reference: ObjectReference, text: string, signal: AbortSignal, options?: WriteOptions): Promise<T>
  /** A Status when the object is gone, the object itself while finalizers keep it. */
  delete(reference: ObjectReference, options: DeleteOptions, signal: AbortSignal): Promise<T | Status>
  /** Everything that a list would give, page by page; each page is deleted before the next is asked for. */
  deleteCollection(options: ListOptions & DeleteOptions, signal: AbortSignal): Promise<void>
  /** Ends without an error when the server ends it; resume from the last resourceVersion. */
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>
}

const pageSizeDefault = 500

/** Metadata only: what an informer needs that looks at every kind there is, and spares it the rest. */
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
  const at = (reference: Partial<ObjectReference>): string => resourcePath(address, reference)
  const placeOf = ({ metadata: { namespace } }: T): Partial<ObjectReference> =>
    namespace === undefined ? {} : { namespace }
  const pathOf = (object: T): string => at({ ...placeOf(object), name: object.metadata.name ?? '' })
  const send = <A = T>(request: Omit<Ask, 'accept'>, signal: AbortSignal): Promise<A> =>
    askJson(connection, { ...request, accept: forms.object }, signal)

  return {
    address,
    get: (reference, signal) => send({ method: 'GET', path: at(reference) }, signal),
    list: (options, signal) => listPages(connection, at(options), forms.list, options, signal),
    listPage: ({ limit, continueToken, ...place }, signal) => {
      const query = { limit: String(limit), continue: continueToken }
      return askJson(connection, { method: 'GET', path: at(place), query, accept: forms.list }, signal)
    },
    // Whatever form the client asks for otherwise: this is to be sent back.
    getText: (reference, signal) => askText(connection, { method: 'GET', path: at(reference) }, signal),
    create: (object, signal, options = {}) =>
      send(
        { method: 'POST', path: at(placeOf(object)), body: withKind(object, address), ...options },
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
): Pick<Ask, 'path' | 'query'> {
  return {
    path: subresource === undefined ? path : `${path}/${encodeURIComponent(subresource)}`,
    query: { dryRun: dryRun === true ? 'All' : undefined, fieldManager },
  }
}

function deleteBody({ preconditions, propagation }: DeleteOptions): unknown {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(preconditions ? { preconditions } : {}),
    ...(propagation ? { propagationPolicy: propagation } : {}),
  }
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
    const page: ApiList<T> = await askJson(connection, { method: 'GET', path, query, accept }, signal)
    for (const item of page.items) items.push(item)
    next = page.metadata.continue
    if (next === undefined || next === '') {
      const { continue: _, remainingItemCount: __, ...metadata } = page.metadata
      return { ...page, metadata, items }
    }
  }
}

/**
 * In pages, so that no request takes longer than the server allows, however many objects there are: what is deleted
 * stays deleted when a later page fails. Metadata is enough of an answer.
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
    const page: Partial<ApiList> = await askJson(connection, request, signal)
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
  const { body } = await ask(connection, { method: 'GET', path, query, accept }, signal)
  yield* watchEvents<T>(body)
}
