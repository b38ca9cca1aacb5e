import type { Codec } from '../../codec/index.ts'
import type { Entry, Guard, Key, Revision } from '../../store/index.ts'

/**
 * Guards writes of a custom resource by its CRD (agreement.md, rule 4). Each write, and the publication of this server's
 * entry, commits only under the revision of the CRD that it was made by. Without it:
 *
 * 1. The storage version of a CRD moves from v1 to v2, and v1 is pruned from `status.storedVersions`.
 * 2. Server A, whose watch is late, has an entry for v1 in the record, and its guard of the record holds.
 * 3. A stores one more object in v1, and no migration looks for it.
 */
export interface DefinitionGuard {
  readonly key: Key
  /** The newest revision of the CRD with the definition that this server uses. */
  readonly revision: Revision
  /** Whether the stored CRD still has the same definition. Its status may have changed. */
  readonly isSame: (current: Entry) => boolean
  /** Reads and writes objects by this definition. It tells writes apart that began under another definition. */
  readonly codec: Codec
}

export function guardOf({ key, revision }: DefinitionGuard): Guard {
  return { key, revision }
}

/** A CRD has changed during a write. The request is handled again, by the new definition. */
export class DefinitionChanged extends Error {
  override readonly name = 'DefinitionChanged'
  constructor(resource: string) {
    super(`the CRD of ${resource} has changed`)
  }
}
