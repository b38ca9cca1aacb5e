import type { AgreementEntry, AgreementStatus } from '@strata/api'
import type { History, ServerRun } from '../history.ts'
import { fencedPrefixes } from '../keys.ts'
import { replay } from './records.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker } from './violation.ts'

/**
 * With the loose guarantee a server writes by what it knew up to a minute ago, on its own clock; and what it has sent may
 * be on its way for a while, or come a second time.
 */
const looseMs = 60_000
const underWayMs = 10_000

/**
 * In the moment in which an object is stored, the record of its resource has an entry of the process that wrote
 * it, and that entry names exactly the version in the bytes, and does not say that nothing is written. Everything else
 * that is promised rests on this. A process that does not record what it writes (rule 18): the record says that there
 * is one, and, where it has no identity, names it. A process with the loose guarantee: it had such an entry within the
 * last minute.
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
        if (run && wasNamed(named, run, `${record} ${apiVersion}`, commit.atMs, history)) continue
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

/** Until when an entry of a process named a version. */
class NamedVersions {
  readonly #untilMs = new Map<string, number>()
  readonly #standing = new Map<string, readonly AgreementEntry[]>()

  note(record: string, entries: readonly AgreementEntry[], atMs: number): void {
    const before = this.#standing.get(record)
    if (before === entries) return
    this.#standing.set(record, entries)
    for (const { process, encodingVersion, refusesWrites } of before ?? []) {
      if (!refusesWrites) this.#untilMs.set(`${process} ${record} ${encodingVersion}`, atMs)
    }
  }

  untilMs(process: string, recordAndVersion: string): number | undefined {
    return this.#untilMs.get(`${process} ${recordAndVersion}`)
  }
}

function wasNamed(
  named: NamedVersions,
  { process, part }: ServerRun,
  recordAndVersion: string,
  atMs: number,
  { fastestClock }: History,
): boolean {
  const untilMs = named.untilMs(process, recordAndVersion)
  if (part.guarantee !== 'loose' || untilMs === undefined) return false
  return atMs - untilMs <= looseMs * fastestClock + underWayMs
}

function recordName(key: string): string | undefined {
  for (const [name, prefix] of fencedPrefixes) if (key.startsWith(prefix)) return name
  return undefined
}
