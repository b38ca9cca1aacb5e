import { agreementName, type GroupResource, type StorageVersion, storageVersions } from '@strata/api'
import type { Client } from '@strata/client'

/** The states of a StorageVersion in an unbroken watch since one read of it. */
export interface StorageVersionHistory {
  /** Whether every state from that read up to this one had the common version of the first. */
  isSameUpTo(resourceVersion: string): boolean
}

/**
 * Servers write their StorageVersion whenever one of them starts. With a watch that missed nothing, a write that left the
 * common version alone need not end a migration. As soon as anything is missed, it is broken for good.
 */
export function followStorageVersion(
  client: Client,
  resource: GroupResource,
  from: { readonly resourceVersion: string; readonly commonEncodingVersion: string },
  signal: AbortSignal,
): StorageVersionHistory {
  const name = agreementName(resource)
  const seen = new Set([from.resourceVersion])
  const follow = async (): Promise<void> => {
    let { resourceVersion } = from
    // If the server ends the watch, another one continues from there, and misses nothing.
    while (!signal.aborted) {
      const options = { fieldSelector: `metadata.name=${name}`, resourceVersion, bookmarks: true }
      const events = client.resource<StorageVersion>(storageVersions, 'v1alpha1').watch(options, signal)
      let moved = false
      for await (const { type, object } of events) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion
        moved = true
        if (type === 'BOOKMARK') continue
        const { status } = object as StorageVersion
        if (type === 'DELETED' || status.commonEncodingVersion !== from.commonEncodingVersion) return
        seen.add(resourceVersion)
      }
      // A watch that ends each time without an event would be repeated without a pause.
      if (!moved) return
    }
  }
  // Broken: what was seen until then stays seen, and nothing is added any more.
  follow().catch(() => {})
  return { isSameUpTo: (resourceVersion) => seen.has(resourceVersion) }
}
