import { ApiError, blankObject } from '@strata/api'
import { UndecodableObject } from '../../codec/index.ts'
import { type ServedResource, shownState, type WatchItem, type WatchStream } from '../../registry/index.ts'
import { type Form, formKey, objectTypeOf, serveForm } from './forms.ts'
import { tableOfOne } from './table.ts'

/** Frames are joined up to this size, so that a thousand small events are not a thousand writes. */
const pieceBytes = 64 * 1024

/** A watch on the wire: one JSON object per line, made at the client's pace. */
export async function* watchFrames(
  resource: ServedResource,
  asked: Form,
  { initial, past, revision, live }: WatchStream,
  { bookmarks, onEnd }: { readonly bookmarks: boolean; readonly onEnd: () => void },
): AsyncGenerator<Uint8Array> {
  const nextForm = formPerFrame(asked)
  const frameOf = (item: WatchItem): Uint8Array =>
    item.kind === 'event'
      ? eventFrame(resource, nextForm(), item)
      : bookmarkFrame(resource, nextForm(), item.revision)
  try {
    if (initial) {
      await readyFor(resource, initial)
      yield* pieces(initial, (entry) =>
        frame('ADDED', serveForm(resource, nextForm(), entry.value, entry.revision)),
      )
      if (bookmarks) yield bookmarkFrame(resource, nextForm(), revision, initialEventsEnd)
    }
    await readyFor(resource, past.flatMap(shownBy))
    yield* pieces(past, frameOf)
    for (;;) {
      const items = await live.take()
      if (items.length === 0) return
      if (resource.codec.needsWebhook) await readyFor(resource, items.flatMap(shownBy))
      yield* pieces(items, frameOf)
    }
  } catch (error) {
    // An object that cannot be decoded: watchers get an error event before the watch ends.
    if (error instanceof ApiError) yield errorFrame(error)
    else if (error instanceof UndecodableObject) {
      yield errorFrame(new ApiError(500, 'StorageReadError', error.message))
    } else throw error
  } finally {
    live.end()
    onEnd()
  }
}

/** A conversion webhook may have to be called first. */
async function readyFor(
  { codec, apiVersion }: ServedResource,
  shown: readonly { readonly value: Uint8Array }[],
): Promise<void> {
  if (!codec.needsWebhook) return
  await codec.ready(
    shown.map(({ value }) => value),
    apiVersion,
  )
}

const shownBy = (item: WatchItem): { readonly value: Uint8Array }[] =>
  item.kind === 'event' ? [shownState(item.type, item.event)] : []

const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' }

/** One form for all frames, except for tables, where only the first has column definitions. */
function formPerFrame(asked: Form): () => Form {
  if (!asked.table) return () => asked
  const later: Form = { ...asked, table: { ...asked.table, hasColumns: false } }
  let next = asked
  return () => {
    const form = next
    next = later
    return form
  }
}

function* pieces<T>(items: readonly T[], frameOf: (item: T) => Uint8Array): Generator<Uint8Array> {
  let frames: Uint8Array[] = []
  let size = 0
  for (const item of items) {
    const made = frameOf(item)
    frames.push(made)
    size += made.length
    if (size < pieceBytes) continue
    yield joined(frames)
    frames = []
    size = 0
  }
  if (frames.length > 0) yield joined(frames)
}

/** A single frame is sent as it is: all watchers share its bytes. */
function joined(frames: readonly Uint8Array[]): Uint8Array {
  const [only] = frames
  return frames.length === 1 && only ? only : Buffer.concat(frames)
}

/** Serialised once per event and form. All watchers of that form share the bytes. */
function eventFrame(
  resource: ServedResource,
  form: Form,
  { type, event }: WatchItem & { readonly kind: 'event' },
): Uint8Array {
  const key = `${type} ${formKey(resource, form)}`
  let made = event.forms.get(key)
  if (!made) {
    const { value, writtenAt } = shownState(type, event)
    // In its own memory: the event is cached for long, and would keep all of Node's 64 KiB pool that the frame is in.
    made = new Uint8Array(frame(type, serveForm(resource, form, value, event.revision, writtenAt)))
    event.forms.set(key, made)
  }
  return made
}

function frame(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, Buffer.from('}\n')])
}

function bookmarkFrame(
  resource: ServedResource,
  form: Form,
  revision: number,
  annotations?: Readonly<Record<string, string>>,
): Uint8Array {
  const metadata = { resourceVersion: String(revision), ...(annotations ? { annotations } : {}) }
  // As upstream, where a built-in kind is a struct: nested structs are there, and empty.
  const isStruct = resource.definition.typed === true && form.transform !== 'metadata'
  const blank = isStruct ? blankObject(resource.codec.schemaOf(resource.apiVersion)) : {}
  const object = { ...objectTypeOf(resource, form), ...blank, metadata }
  if (form.table) {
    // As upstream: a bookmark is also a row, so that the end of the initial events can always be sent.
    const include = annotations && form.table.include === 'None' ? 'Metadata' : form.table.include
    const served = Buffer.from(JSON.stringify(object))
    const row = { hub: { metadata }, served, revision, isBookmark: true }
    return frame('BOOKMARK', tableOfOne(resource, { ...form, table: { ...form.table, include } }, row))
  }
  return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
}

export function errorFrame(error: ApiError): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: error.status })}\n`)
}
