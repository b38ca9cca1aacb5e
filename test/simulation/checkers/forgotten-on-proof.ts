import { createHash } from 'node:crypto'
import type { History } from '../history.ts'
import { fencedPrefixes, isClientKey, storageStatePrefix } from '../keys.ts'
import { replay } from './records.ts'
import { parseBytes, recordNameOf } from './stored-json.ts'
import type { Checker } from './violation.ts'

/** How long the trigger may take to read the record and to update the StorageState. */
const hearingMs = 60_000

/** When each epoch of a record began, by its uid and number. */
function epochsBegun(history: History): ReadonlyMap<string, number> {
  const begun = new Map<string, number>()
  for (const { commit, state, written, apply } of replay(history)) {
    apply()
    for (const name of written.keys()) {
      const record = state.records.get(name)
      if (!record) continue
      const epoch = `${record.metadata.uid} ${record.status.epoch}`
      if (!begun.has(epoch)) begun.set(epoch, commit.atMs)
    }
  }
  return begun
}

/**
 * When a hash goes from the persistedStorageVersionHashes of a StorageState, nothing is stored in that version that was
 * there before the epoch that was accepted, or for long enough to be known of. Otherwise a release that cannot read it is
 * called safe.
 */
export const forgottenOnProof: Checker = {
  name: 'forgotten-on-proof',
  *check(history: History) {
    const { commits } = history
    let begun: ReadonlyMap<string, number> | undefined
    const listed = new Map<string, readonly string[]>()
    const stored = new Map<string, { readonly hash: string; readonly atMs: number }>()
    for (const { atMs, writer, changes } of commits) {
      for (const change of changes) {
        if (change.key.startsWith(storageStatePrefix) && change.kind === 'put') {
          const { spec, status = {} } = parseBytes(change.value)
          const name = recordNameOf(spec.resource.group ?? '', spec.resource.resource)
          const hashes: readonly string[] = status.persistedStorageVersionHashes ?? []
          const gone = (listed.get(name) ?? []).filter((each) => !hashes.includes(each))
          listed.set(name, hashes)
          const prefix = fencedPrefixes.get(name)
          if (prefix === undefined || gone.length === 0 || hashes.includes('Unknown')) continue
          const { recordUID, epoch } = status.accepted ?? {}
          begun ??= epochsBegun(history)
          const sinceMs = Math.max(atMs - hearingMs, begun.get(`${recordUID} ${epoch}`) ?? 0)
          const left = [...stored].find(
            ([key, each]) => key.startsWith(prefix) && gone.includes(each.hash) && each.atMs < sinceMs,
          )
          if (left)
            yield { atMs, text: `${writer} has the StorageState of ${name} forget how ${left[0]} is stored` }
        }
        if (change.kind === 'delete') stored.delete(change.key)
        else if (isClientKey(change.key)) {
          stored.set(change.key, { hash: hashOf(change.value), atMs })
        }
      }
    }
  },
}

/** A handful of versions and kinds, asked for at every write. */
const hashes = new Map<string, string>()

/** As discovery shows it. */
export function hashOf(value: Uint8Array): string {
  const { apiVersion, kind } = parseBytes(value)
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  const hashed = `${groupVersion}/${kind}`
  const known = hashes.get(hashed)
  if (known !== undefined) return known
  const made = createHash('sha256').update(hashed).digest().subarray(0, 8).toString('base64')
  hashes.set(hashed, made)
  return made
}
