import type { AgreementEntry, AgreementStatus } from '@strata/api'
import type { ServerRun } from '../history.ts'
import { fencedPrefixes } from '../keys.ts'
import { isByLostEntry, isSoonAfter, NamedVersions } from './named-versions.ts'
import { replay } from './records.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker } from './violation.ts'

/**
 * In the moment in which an object is stored, the record of its resource has an entry of the process that wrote
 * it, and that entry names exactly the version in the bytes, and does not say that nothing is written. Everything else
 * that is promised rests on this. A process that does not record what it writes (rule 18): the record says that there
 * is one, and, where it has no identity, names it. A process with the loose guarantee: it had such an entry within the
 * last minute, in this timeline or in one that a restore has ended.
 */
export const recordedVersion: Checker = {
  name: 'recorded-version',
  *check(history) {
    const runs = new Map(history.runs.map((run) => [run.writer, run]))
    const named = new NamedVersions()
    for (const { commit, state, written, apply } of replay(history)) {
      for (const change of commit.changes) {
        const record = recordName(change.key)
        if (change.kind !== 'put' || record === undefined) continue
        const { apiVersion } = parseBytes(change.value)
        const run = runs.get(commit.writer)
        const status = state.records.get(record)?.status
        if (run?.part.records === false && status && saysUnrecorded(status, run)) continue
        const entries = status?.servers ?? []
        const entry = entries.find((each) => each.process === run?.process)
        if (names(entry, apiVersion)) continue
        const version = { record, apiVersion: String(apiVersion) }
        if (run?.part.guarantee === 'loose') {
          if (isSoonAfter(named.untilMs(run, version), commit, history)) continue
          if (isByLostEntry(history, run, commit, version)) continue
        }
        const said = entry
          ? `its entry said ${entry.refusesWrites ? 'that it writes nothing' : entry.encodingVersion}`
          : 'it had no entry'
        yield {
          atMs: commit.atMs,
          text: `${commit.writer} stored ${change.key} in ${apiVersion} while ${said}`,
        }
      }
      apply()
      for (const name of written.keys()) {
        const record = state.records.get(name)
        if (record) named.note(name, record.status.servers, commit.atMs)
      }
    }
  },
}

/** Without an identity, by the name of the process: nothing else would break the guard of a write that comes late. */
function saysUnrecorded({ encodings, unseenProcesses = [] }: AgreementStatus, { part, process }: ServerRun) {
  return encodings.includes('unrecorded') && (part.identity !== false || unseenProcesses.includes(process))
}

const names = (entry: AgreementEntry | undefined, apiVersion: string): boolean =>
  entry?.encodingVersion === apiVersion && !entry.refusesWrites

function recordName(key: string): string | undefined {
  for (const [name, prefix] of fencedPrefixes) if (key.startsWith(prefix)) return name
  return undefined
}
