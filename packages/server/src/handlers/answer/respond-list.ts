import type { Clock, HttpResponse } from '@strata/world'
import type { Listed, ServedResource } from '../../registry/index.ts'
import type { Entry } from '../../store/index.ts'
import { inTurns } from '../body/in-turns.ts'
import { type Form, listTypeOf, serveForm } from './forms.ts'
import { respondBytes, respondStream } from './respond.ts'
import { columnDefinitions, tableRow } from './table.ts'

/** One item of the list: a short text, and bytes that are not copied until they are sent. */
interface Item {
  readonly head: string
  readonly tail: Uint8Array
}

const foot = ']}\n'
/** A list up to this size is sent in one piece. A longer one is streamed at the client's pace. */
const pieceBytes = 256 * 1024

/** A list of whole objects joins stored bytes and resourceVersions. Only objects that need a conversion are parsed. */
export function respondList(
  resource: ServedResource,
  form: Form,
  listed: Listed,
  clock: Clock,
): HttpResponse | Promise<HttpResponse> {
  if (!resource.codec.needsWebhook) return respondReady(resource, form, listed, clock)
  const values = listed.entries.map(({ value }) => value)
  return Promise.resolve(resource.codec.ready(values, resource.apiVersion)).then(() =>
    respondReady(resource, form, listed, clock),
  )
}

function respondReady(
  resource: ServedResource,
  form: Form,
  listed: Listed,
  clock: Clock,
): HttpResponse | Promise<HttpResponse> {
  const head = listHead(resource, form, listed)
  // All items before the answer begins: an object that cannot be served makes an error, not a broken stream.
  const itemOf = itemOfForm(resource, form)
  if (form.transform === 'object') return respondItems(head, listed.entries.map(itemOf))
  return inTurns(listed.entries, ({ value }) => value.length, itemOf, clock).then((items) =>
    respondItems(head, items),
  )
}

function respondItems(head: string, items: readonly Item[]): HttpResponse {
  const pieces = piecesOf(head, items)
  const { value: first = new Uint8Array() } = pieces.next()
  const second = pieces.next()
  if (second.done) return respondBytes(200, first)
  return respondStream(streamed(first, second.value, pieces))
}

async function* streamed(
  first: Uint8Array,
  second: Uint8Array,
  rest: Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first
  yield second
  yield* rest
}

function listHead(
  resource: ServedResource,
  form: Form,
  { revision, continueToken, remaining }: Listed,
): string {
  const { kind, apiVersion } = listTypeOf(resource, form)
  const items = form.table ? `${columnDefinitions(resource, form)},"rows"` : '"items"'
  // As upstream, lists of custom resources always have this field; other lists only if it has a value.
  const always = form.transform === 'object' && !resource.definition.typed
  const metadata = {
    resourceVersion: String(revision),
    ...(continueToken !== undefined || always ? { continue: continueToken ?? '' } : {}),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  }
  return `${JSON.stringify({ kind, apiVersion, metadata }).slice(0, -1)},${items}:[`
}

function itemOfForm(resource: ServedResource, form: Form): (entry: Entry) => Item {
  const { definition, codec, apiVersion } = resource
  if (form.table) {
    return ({ value, revision }) => {
      const row = { hub: codec.decodeIn(value, apiVersion), served: codec.serve(value, revision, apiVersion) }
      return { head: '', tail: tableRow(resource, form, row) }
    }
  }
  if (form.transform !== 'object') {
    return ({ value, revision }) => ({ head: '', tail: serveForm(resource, form, value, revision) })
  }
  const type = definition.typed
    ? ''
    : `"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersion)},`
  const head = `{${type}"metadata":{"resourceVersion":"`
  return ({ value, revision }) => ({
    head: `${head}${revision}",`,
    tail: codec.tail(value, revision, apiVersion),
  })
}

/** Each piece is allocated once, in its size, and filled once. */
function* piecesOf(head: string, items: readonly Item[]): Generator<Uint8Array, undefined> {
  let before = head
  for (let from = 0; from < items.length || from === 0; ) {
    let size = Buffer.byteLength(before)
    let to = from
    for (let item = items[to]; item && (size < pieceBytes || to === from); item = items[++to]) {
      size += (to === 0 ? 0 : 1) + item.head.length + item.tail.length
    }
    const last = to >= items.length
    const piece = Buffer.allocUnsafe(size + (last ? foot.length : 0))
    let at = piece.write(before, 0)
    for (let index = from; index < to; index++) {
      const item = items[index]
      if (!item) break
      if (index > 0) piece[at++] = 0x2c
      at += piece.write(item.head, at, 'latin1')
      piece.set(item.tail, at)
      at += item.tail.length
    }
    if (last) piece.write(foot, at)
    yield piece
    if (last) return
    before = ''
    from = to
  }
}
