import { type Codec, resourcePrefix } from '../../codec/index.ts'
import type { Key } from '../../store/index.ts'

/**
 * The prefix to check for objects that are older than a new record. Not for bootstrap kinds: they exist before any record,
 * and have one version for ever.
 */
export function historyOf({ definition }: Codec): { readonly prefix?: Key } {
  return definition.bootstrap ? {} : { prefix: resourcePrefix(definition) }
}
