import { isSealed, parseObject, sealText, unsealingAdvice } from '../codec/index.ts'
import type { ServedResource } from '../registry/index.ts'
import type { Entry, Store } from '../store/index.ts'

/**
 * Whether an instance is deleted like by a client. Not if no version of its CRD can decode it. Nor if it has no finalizers and
 * decoding needs a conversion webhook, which is often gone before the CRDs of its project.
 */
export function isReadHere({ codec, apiVersion }: ServedResource, { value }: Entry): boolean {
  const storedVersion = codec.storedVersion(value)
  if (!codec.decodableVersions.includes(storedVersion)) return false
  return !codec.needsWebhook || storedVersion === apiVersion || finalizersIn(value).length > 0
}

/**
 * Deletes an instance without decoding it, because its CRD is being deleted: an unreadable object must not keep the CRD for ever.
 * Only if the instance has no finalizers, and only while instance and CRD are unchanged: if a version is added back meanwhile,
 * the instance becomes readable and is deleted like any other. Returns why it was not deleted.
 */
export async function deleteUnread(
  store: Pick<Store, 'commit'>,
  { key, value, revision }: Entry,
  definition: Pick<Entry, 'key' | 'revision'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Its finalizers are encrypted and cannot be read.
  if (isSealed(value)) return `${key} cannot be read here (${sealText(value)}); ${unsealingAdvice(value)}`
  const finalizers = finalizersIn(value)
  if (finalizers.length > 0) {
    return `${key} cannot be decoded, and is kept by its finalizers ${finalizers.join(', ')}; add the version in which it is stored to spec.versions again`
  }
  const guards = [
    { key, revision },
    { key: definition.key, revision: definition.revision },
  ]
  const outcome = await store.commit({ writes: [{ kind: 'delete', key }], guards }, signal)
  return outcome.outcome === 'committed' ? undefined : `${key} or its CRD has just changed`
}

function finalizersIn(value: Uint8Array): readonly string[] {
  const { metadata } = parseObject(value) as { metadata?: { finalizers?: readonly string[] } }
  return metadata?.finalizers ?? []
}
