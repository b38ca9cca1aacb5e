import { isSealed, parseObject, sealText, unsealingAdvice } from '../codec/index.ts'
import type { ServedResource } from '../registry/index.ts'
import type { Entry, Store } from '../store/index.ts'

/**
 * Whether an instance is deleted as clients would: not where no version of its definition can read it, nor where a webhook
 * would have to be asked that nobody waits for in the end, and that is often gone before the definitions of its project.
 */
export function isReadHere({ codec, apiVersion }: ServedResource, { value }: Entry): boolean {
  const storedVersion = codec.storedVersion(value)
  if (!codec.decodableVersions.includes(storedVersion)) return false
  return !codec.needsWebhook || storedVersion === apiVersion || finalizersIn(value).length > 0
}

/**
 * Deletes an instance without reading it, because its definition is being deleted: that must not be kept for ever by an
 * object that nobody can reach. Only if nobody has asked to be waited for, and only while object and
 * definition are what they were: a version that is added back meanwhile makes the object readable, and then it is deleted
 * like any other. Returns why it was not deleted.
 */
export async function deleteUnread(
  store: Pick<Store, 'commit'>,
  { key, value, revision }: Entry,
  definition: Pick<Entry, 'key' | 'revision'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Who asks to be waited for stands in it, and cannot be read.
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
