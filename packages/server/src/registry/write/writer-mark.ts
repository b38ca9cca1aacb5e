import { storageRoot } from '../../codec/index.ts'
import type { Change, Key, Write } from '../../store/index.ts'

/** One process of one server: the writer of an object. */
export interface Writer {
  readonly serverID: string
  readonly process: string
}

/** Records that `writer` has put `keys`, in the transaction that put the mark itself. */
export interface WriterMark {
  readonly keys: readonly Key[]
  readonly writer: Writer
}

/** One key per server, put again with each write: the current state is not needed, the history keeps all of them. */
const marksPrefix: Key = `${storageRoot}strata.dev/writers/`

/**
 * Goes right before its puts. A backend that gives each write its own revision gives the next ones to the objects, in order; the
 * others give all of them the same. Nothing comes between, and the keys show that they belong together.
 */
export function writerMark({ serverID, process }: Writer, ...keys: readonly Key[]): Write {
  const [key, ...more] = keys
  return {
    kind: 'put',
    key: `${marksPrefix}${serverID}`,
    value: Buffer.from(JSON.stringify({ process, key, ...(more.length > 0 ? { more } : {}) })),
  }
}

/** Undefined if it is no mark, or one that this release does not understand: then the writer is unknown. */
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
