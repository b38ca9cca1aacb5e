import type { Revision } from '../store.ts'
import { RpcError } from './classify-error.ts'
import type { EtcdClient } from './client.ts'
import { decodeWatch, FIRST_KEY } from './etcd-messages.ts'

/**
 * The revision that etcd was last compacted to. etcd does not include it in the error of a read, but reports it to a watch that
 * starts too early, so one is started at the first revision. Called only after `asked` was answered with "compacted", so the
 * watch is certain to be refused.
 */
export async function observeCompactedRevision(
  client: EtcdClient,
  asked: Revision,
  signal: AbortSignal,
): Promise<Revision> {
  // If the connection breaks meanwhile: the oldest revision is at least newer than the requested one.
  const atLeast = asked + 1
  try {
    const stream = await client.watch({ key: FIRST_KEY, startRevision: 1 }, signal)
    try {
      for (let message = await stream.next(); message; message = await stream.next()) {
        const { canceled, compactRevision } = decodeWatch(message)
        if (canceled) return Math.max(compactRevision, atLeast)
      }
    } finally {
      stream.close()
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
  }
  return atLeast
}
