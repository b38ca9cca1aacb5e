import type { History } from '../history.ts'
import { aggregatedRecord, fencedPrefixes, leasePrefix, storageStatePrefix } from '../keys.ts'
import { hashOf } from './forgotten-on-proof.ts'
import { leaseIn, parseBytes, recordNameOf } from './stored-json.ts'
import type { Checker } from './violation.ts'

/** How long the trigger may take to read the record and to update the StorageState. */
const hearingMs = 30_000
/** A leader that has not renewed for longer was frozen, cut off or killed, and has seen nothing meanwhile. */
const silenceMs = 10_000

const triggerLease = `${leasePrefix}strata-storage-version-migration-trigger`

interface StoredSince {
  /** The name of the record of its resource. */
  readonly name: string
  readonly hash: string
  /** When it came to be stored in that version. */
  readonly atMs: number
}

/**
 * If an object has been stored in one version for a while, in which one process led the trigger without a break, then the
 * StorageState of its resource lists that version, or Unknown. Otherwise a release that cannot read it is called safe.
 * Without a leader the StorageState is not updated; its heartbeat shows that it is old. Nor is that of an aggregated resource
 * while its servers do not answer: there, it has to be so whenever it is written.
 */
export const completeStates: Checker = {
  name: 'complete-states',
  *check({ commits }: History) {
    const listed = new Map<string, readonly string[]>()
    const stored = new Map<string, StoredSince>()
    let term = { holder: '', sinceMs: 0, renewedMs: 0 }
    for (const { atMs, changes } of commits) {
      for (const change of changes) {
        const { key } = change
        const name = [...fencedPrefixes].find(([, prefix]) => key.startsWith(prefix))?.[0]
        if (change.kind === 'delete') stored.delete(key)
        else if (key.startsWith(storageStatePrefix)) {
          const { spec, status = {} } = parseBytes(change.value)
          const { group = '', resource } = spec.resource
          const of = recordNameOf(group, resource)
          listed.set(of, status.persistedStorageVersionHashes ?? ['Unknown'])
          if (of === aggregatedRecord) yield* untold(stored, listed, atMs, (each) => each === of)
        } else if (name !== undefined) {
          const hash = hashOf(change.value)
          if (stored.get(key)?.hash !== hash) stored.set(key, { name, hash, atMs })
        } else if (key === triggerLease) {
          const holder = leaseIn(change.value).spec?.holderIdentity ?? ''
          const isSame = holder === term.holder && atMs - term.renewedMs <= silenceMs
          term = { holder, sinceMs: isSame ? term.sinceMs : atMs, renewedMs: atMs }
          if (holder === '' || atMs - term.sinceMs < hearingMs) continue
          yield* untold(stored, listed, atMs, (each) => each !== aggregatedRecord)
        }
      }
    }
  },
}

function* untold(
  stored: ReadonlyMap<string, StoredSince>,
  listed: ReadonlyMap<string, readonly string[]>,
  nowMs: number,
  isLookedAt: (name: string) => boolean,
) {
  for (const [key, { name, hash, atMs }] of stored) {
    if (!isLookedAt(name)) continue
    const hashes = listed.get(name)
    if (!hashes || hashes.includes(hash) || hashes.includes('Unknown') || atMs > nowMs - hearingMs) continue
    const since = `and ${key} has been stored as ${hash} since ${Math.round(atMs)} ms`
    yield {
      atMs: nowMs,
      text: `the StorageState of ${name} says that only ${hashes} may be stored, ${since}`,
    }
  }
}
