import { storageRoot } from '../../codec/index.ts'
import type { Key, Write } from '../../store/index.ts'

/** One process of one server: the writer of an object. */
export interface Writer {
  readonly serverID: string
  readonly process: string
}

/** One key per server, put again with each write: the current state is not needed, the history keeps all of them. */
export const writerMarksPrefix: Key = `${storageRoot}strata.dev/writers/`

/**
 * Records that `writer` puts `keys` in the same transaction; test/history-audit reads it. Goes right before its puts. A backend
 * that gives each write its own revision gives the next ones to the objects, in order; the others give all of them the same.
 * Nothing comes between, and the keys show that they belong together.
 */
export function writerMark({ serverID, process }: Writer, ...keys: readonly Key[]): Write {
  const [key, ...more] = keys
  return {
    kind: 'put',
    key: `${writerMarksPrefix}${serverID}`,
    value: Buffer.from(JSON.stringify({ process, key, ...(more.length > 0 ? { more } : {}) })),
  }
}
