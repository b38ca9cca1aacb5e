import { type Codec, resourcePrefix } from '../../codec/index.ts'
import type { Key } from '../../store/index.ts'

/**
 * Where to look whether there is a history that a new record does not know. Bootstrap kinds are there before any record
 * is, and have one version for ever: nothing of theirs can have been written in another.
 */
export function historyOf({ definition }: Codec): { readonly prefix?: Key } {
  return definition.bootstrap ? {} : { prefix: resourcePrefix(definition) }
}
