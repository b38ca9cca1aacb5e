import { invariant } from '@strata/world'
import { type Commit, storeLimits } from './store.ts'

/**
 * Refuses a commit that some backend would not accept, with the same error on all of them. Each case is a bug of the caller:
 * client input is checked long before. A backend that silently accepted more than the others would hide the bug until the fleet
 * moves to etcd.
 */
export function checkCommit({ writes, guards }: Commit): void {
  const operations = Math.max(writes.length, guards.length)
  invariant(
    operations <= storeLimits.operationsPerCommit,
    `a commit of ${operations} operations exceeds the limit of ${storeLimits.operationsPerCommit}`,
  )
  let bytes = 0
  for (const { key, value } of guards) {
    checkKey(key)
    bytes += Buffer.byteLength(key) + (value?.byteLength ?? 0)
  }
  for (const write of writes) {
    checkKey(write.key)
    bytes += Buffer.byteLength(write.key)
    if (write.kind === 'put') bytes += write.value.byteLength
  }
  invariant(
    bytes <= storeLimits.bytesPerCommit,
    `a commit of ${bytes} bytes exceeds the limit of ${storeLimits.bytesPerCommit}`,
  )
  checkNoRepeat(writes)
}

// Half a surrogate pair has no UTF-8 form: it would be stored as U+FFFD, and two keys would become one.
function checkKey(key: string): void {
  invariant(key !== '' && key.isWellFormed(), `${JSON.stringify(key)} is not a key`)
}

function checkNoRepeat(writes: Commit['writes']): void {
  if (writes.length < 2) return
  const keys = new Set<string>()
  for (const { key } of writes) keys.add(key)
  invariant(keys.size === writes.length, 'a commit writes one key twice')
}
