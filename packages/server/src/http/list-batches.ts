import { parseLossless } from '@strata/api'

/** A long list as it streams: the fields before its items, and the items in batches. */
export interface ListBatches {
  readonly head: Readonly<Record<string, unknown>>
  /** The name of the field with the items. */
  readonly field: string
  readonly batches: AsyncIterable<readonly unknown[]>
}

/** Handlers write the items last, and items are objects. Inside a string the quotes would be escaped. */
const beginning = /,?"(items|rows)":\[/

/**
 * Reads a list in parts: each chunk of the stream yields the items that end in it. A consumer at the pace of a socket lets
 * other requests run in between.
 */
export async function readListBatches(body: AsyncIterable<Uint8Array>): Promise<ListBatches> {
  const source = body[Symbol.asyncIterator]()
  const { value } = await source.next()
  const first = asBuffer(value ?? new Uint8Array())
  // One character per byte, so that positions in the text are positions in the bytes.
  const found = beginning.exec(first.toString('latin1'))
  if (!found) throw new Error('a streamed answer is not a list')
  const [whole, field = ''] = found
  const head = parseLossless(`${first.toString('utf8', 0, found.index)}}`) as Record<string, unknown>
  return { head, field, batches: batchesOf(first.subarray(found.index + whole.length), source) }
}

async function* batchesOf(
  first: Uint8Array,
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<readonly unknown[]> {
  const ends = new ItemEnds()
  /** Chunks of an item that has not ended yet. */
  let begun: Uint8Array[] = []
  try {
    for (let piece: Uint8Array | undefined = first; piece; piece = (await source.next()).value) {
      const end = ends.lastIn(piece)
      if (end === 0) {
        begun.push(piece)
        continue
      }
      const text = Buffer.concat([...begun, piece.subarray(0, end)]).toString()
      begun = [piece.subarray(end)]
      yield parseLossless(`[${text.startsWith(',') ? text.slice(1) : text}]`) as readonly unknown[]
    }
  } finally {
    await source.return?.()
  }
}

const [quote, backslash, open, close] = [0x22, 0x5c, 0x7b, 0x7d]

/** Tracks braces and strings across chunks. No opening brace follows the last item. */
class ItemEnds {
  #depth = 0
  #isInString = false
  #isEscaped = false

  /** The position after the last item that ends in this chunk; 0 if none does. */
  lastIn(piece: Uint8Array): number {
    let end = 0
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInString) {
        if (byte === quote) this.#isInString = false
        else if (byte === backslash) this.#isEscaped = true
      } else if (byte === quote) this.#isInString = true
      else if (byte === open) this.#depth++
      else if (byte === close && --this.#depth === 0) end = at + 1
    }
    return end
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
