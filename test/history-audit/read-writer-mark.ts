import { type Writer, writerMarksPrefix } from '@strata/server/history-for-test'
import type { Change, Key } from '@strata/server/store'

/** Records that `writer` has put `keys`, in the transaction that put the mark itself. */
export interface WriterMark {
  readonly keys: readonly Key[]
  readonly writer: Writer
}

/** Undefined if it is no mark, or one that this release does not understand: then the writer is unknown. */
export function readWriterMark(change: Change): WriterMark | undefined {
  if (change.kind !== 'put' || !change.key.startsWith(writerMarksPrefix)) return undefined
  try {
    const said = JSON.parse(Buffer.from(change.value).toString()) as Record<string, unknown>
    const { process, key, more = [] } = said
    const keys = [key, ...(Array.isArray(more) ? more : [undefined])]
    if (typeof process !== 'string' || !keys.every((each) => typeof each === 'string')) return undefined
    return { keys, writer: { serverID: change.key.slice(writerMarksPrefix.length), process } }
  } catch {
    return undefined
  }
}
