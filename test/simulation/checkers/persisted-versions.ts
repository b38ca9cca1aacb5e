import { persistedVersionsOf, unknownVersion } from '@strata/api'
import { fencedPrefixes } from '../keys.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * After every commit, each version that something is stored in is among those that the resource's record says may be
 * stored, or the record says that nobody knows. Whether a release can read what is there is decided by that list.
 */
export const persistedVersions: Checker = {
  name: 'persisted-versions',
  *check(history) {
    const stored = new Map([...fencedPrefixes.keys()].map((name) => [name, new Map<string, string>()]))
    for (const { commit, state, apply } of replay(history)) {
      const before = new Map(state.records)
      apply()
      for (const [name, prefix] of fencedPrefixes) {
        const objects = stored.get(name) ?? new Map<string, string>()
        const changed = commit.changes.filter(({ key }) => key.startsWith(prefix))
        for (const change of changed) {
          if (change.kind === 'put') objects.set(change.key, apiVersionOf(change.value))
          else objects.delete(change.key)
        }
        const record = state.records.get(name)
        // Nothing that could break it has changed.
        if (changed.length === 0 && record === before.get(name)) continue
        const may = record ? persistedVersionsOf(record.status) : [unknownVersion]
        if (may.includes(unknownVersion)) continue
        for (const [key, apiVersion] of objects) {
          if (may.includes(apiVersion)) continue
          yield {
            atMs: commit.atMs,
            text: `${key} is stored in ${apiVersion}, and after ${commit.writer} the record says that only ${may.join(', ')} may be`,
          }
        }
      }
    }
  },
}

function apiVersionOf(value: Uint8Array): string {
  const { apiVersion } = JSON.parse(Buffer.from(value).toString())
  return String(apiVersion)
}
