import { storageRoot } from '../codec/index.ts'
import type { Change, Key, Write } from '../store/index.ts'

/** One run of one server: who wrote something. */
export interface Writer {
  readonly serverID: string
  readonly process: string
}

/** Says that `writer` has put `keys`, in the transaction in which the mark itself was put. */
export interface WriterMark {
  readonly keys: readonly Key[]
  readonly writer: Writer
}

/** One key per server, put anew with each write: the present needs nothing of it, history keeps them all. */
const marksPrefix: Key = `${storageRoot}strata.dev/writers/`

/**
 * Goes right before the puts that it is about. Homes that give each write a revision of its own give the next ones to the
 * objects, in order; all others give all of them the same. Nothing comes between, and the keys tell that they belong
 * together.
 */
export function writerMark({ serverID, process }: Writer, ...keys: readonly Key[]): Write {
  const [key, ...more] = keys
  return {
    kind: 'put',
    key: `${marksPrefix}${serverID}`,
    value: Buffer.from(JSON.stringify({ process, key, ...(more.length > 0 ? { more } : {}) })),
  }
}

/** Undefined if it is no mark, or none that this release understands: then nobody is said to have written anything. */
export function readWriterMark(change: Change): WriterMark | undefined {
  if (change.kind !== 'put' || !change.key.startsWith(marksPrefix)) return undefined
  try {
    const said = JSON.parse(Buffer.from(change.value).toString()) as Record<string, unknown>
    const { process, key, more = [] } = said
    const keys = [key, ...(Array.isArray(more) ? more : [undefined])]
    if (typeof process !== 'string' || !keys.every((each) => typeof each === 'string')) return undefined
    return { keys, writer: { serverID: change.key.slice(marksPrefix.length), process } }
  } catch {
    return undefined
  }
}
