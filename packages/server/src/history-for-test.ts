/** A store that is read without a server, and the meaning of its keys and bytes: for test/history-audit. */
import type { World } from '@strata/world'
import { explainStore } from './assembly/explain-failure.ts'
import { type EncryptionFlags, openEncryption } from './assembly/open-encryption.ts'
import { encryptStore } from './assembly/reload-encryption.ts'
import { type PlacedResource, placedResource } from './codec/index.ts'
import { builtInResources } from './configuration/index.ts'
import type { ReadableStore, Store } from './store/index.ts'
import type { StoreChoice } from './store/open.ts'
import { openReadable } from './store/open-readable-for-test.ts'

export {
  clearTextSeal,
  isSealed,
  type PlacedResource,
  ResourcePlaces,
  resourcePrefix,
  sealText,
  storedVersionIn,
} from './codec/index.ts'
export { type Writer, writerMark, writerMarksPrefix } from './registry/index.ts'

export const builtInPlaces: readonly PlacedResource[] = builtInResources
  .filter(({ isReview }) => !isReview)
  .map(placedResource)

/** Opens a store read-only: nothing is created, written or compacted. */
export async function openHistory(
  choice: Exclude<StoreChoice, { readonly kind: 'memory' }>,
  world: World,
  signal: AbortSignal,
  flags: EncryptionFlags = {},
): Promise<ReadableStore> {
  const encrypted = await openEncryption(flags, { world }, signal)
  const store = await openReadable(choice, world, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw explainStore(choice, error)
  })
  if (!encrypted) return store
  const refused = (): Promise<never> => Promise.reject(new Error('this store is read-only'))
  const whole: Store = {
    list: (...asked) => store.list(...asked),
    currentRevision: (...asked) => store.currentRevision(...asked),
    watch: (...asked) => store.watch(...asked),
    close: () => store.close(),
    ...{ read: refused, commit: refused, compact: refused },
  }
  return encryptStore(whole, encrypted.encryption, { known: builtInPlaces, world, signal })
}
