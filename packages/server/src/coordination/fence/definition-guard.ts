import type { Codec } from '../../codec/index.ts'
import type { Entry, Guard, Key, Revision } from '../../store/index.ts'

/**
 * What the definition of a custom resource is to its writes (agreement.md, rule 4). Each write, and the publication of
 * this server's entry, is guarded by the revision of the definition that it was made under.
 *
 * Without it: the storage version of a definition moves from v1 to v2 and v1 is pruned from what is stored; a server
 * whose watch is late has its entry for v1 in the record, and the record's guard holds; it stores one more object in v1,
 * which nobody looks for any more.
 */
export interface DefinitionGuard {
  readonly key: Key
  /** Of the newest definition that says what this server works by. */
  readonly revision: Revision
  /** Whether what stands there now says the same: the same definition, though its status may have changed. */
  readonly isSame: (current: Entry) => boolean
  /** What reads and writes by this definition. Writes that were begun by another one are told apart by it. */
  readonly codec: Codec
}

export function guardOf({ key, revision }: DefinitionGuard): Guard {
  return { key, revision }
}

/** A definition has changed under a write. What was asked for is to be looked at again, by the new definition. */
export class DefinitionChanged extends Error {
  override readonly name = 'DefinitionChanged'
  constructor(resource: string) {
    super(`the CRD of ${resource} has changed`)
  }
}
