import { fencedPrefixes } from '../keys.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * In the moment in which an object is stored, the record of its resource has an entry of the process that wrote
 * it, and that entry names exactly the version in the bytes. Everything else that is promised rests on this.
 */
export const recordedVersion: Checker = {
  name: 'recorded-version',
  *check(history) {
    const processes = new Map(history.runs.map(({ writer, process }) => [writer, process]))
    for (const { commit, state } of replay(history)) {
      for (const change of commit.changes) {
        const record = recordName(change.key)
        if (change.kind !== 'put' || record === undefined) continue
        const { apiVersion } = JSON.parse(Buffer.from(change.value).toString())
        const process = processes.get(commit.writer)
        const entries = state.records.get(record)?.status.servers ?? []
        const entry = entries.find((each) => each.process === process)
        if (entry?.encodingVersion === apiVersion) continue
        const said = entry ? `its entry said ${entry.encodingVersion}` : 'it had no entry'
        yield {
          atMs: commit.atMs,
          text: `${commit.writer} stored ${change.key} in ${apiVersion} while ${said}`,
        }
      }
    }
  },
}

function recordName(key: string): string | undefined {
  for (const [name, prefix] of fencedPrefixes) if (key.startsWith(prefix)) return name
  return undefined
}
