import { fencedPrefixes } from '../keys.ts'
import { isByLostEntry } from './named-versions.ts'
import { mayWriteLoosely, replay } from './records.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker } from './violation.ts'

/**
 * The core promise: once a record is agreed on V at epoch E, with every entry strict and no loose one gone a moment ago,
 * nothing is stored in another version until the epoch has changed. A migration that begins and ends in E has left nothing
 * behind. Not covered is what a loose server sent by an entry that a restore has undone (rule 19).
 */
export const migrationProof: Checker = {
  name: 'migration-proof',
  *check(history) {
    const runs = new Map(history.runs.map((run) => [run.writer, run]))
    const promised = new Map<string, { epoch: number; version: string }>()
    for (const { commit, state, written, apply } of replay(history)) {
      apply()
      for (const name of written.keys()) {
        const status = state.records.get(name)?.status
        if (!status) continue
        const before = promised.get(name)
        if (before && before.epoch !== status.epoch) promised.delete(name)
        if (status.agreedVersion !== undefined && !mayWriteLoosely(status)) {
          // Within one epoch the first promise stands, whatever the record says later.
          const standing = promised.get(name)
          if (!standing) promised.set(name, { epoch: status.epoch, version: status.agreedVersion })
        }
      }
      for (const change of commit.changes) {
        if (change.kind !== 'put') continue
        for (const [name, prefix] of fencedPrefixes) {
          const promise = promised.get(name)
          if (!promise || !change.key.startsWith(prefix)) continue
          const { apiVersion } = parseBytes(change.value)
          if (apiVersion === promise.version) continue
          const run = runs.get(commit.writer)
          if (run && isByLostEntry(history, run, commit, { record: name, apiVersion: String(apiVersion) }))
            continue
          const { epoch, version } = promise
          yield {
            atMs: commit.atMs,
            text: `${commit.writer} stored ${change.key} in ${apiVersion} although epoch ${epoch} was agreed on ${version}`,
          }
        }
      }
    }
  },
}
