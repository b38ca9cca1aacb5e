import type { AgreementEntry } from '@strata/api'
import type { History, ObservedCommit, ServerRun } from '../history.ts'
import { replay } from './records.ts'

/**
 * With the loose guarantee a server writes by what it knew up to a minute ago, on its own clock; and what it has sent may
 * be on its way for a while, or come a second time.
 */
const looseMs = 60_000
const underWayMs = 10_000

export interface WrittenVersion {
  /** The name of the agreement record. */
  readonly record: string
  readonly apiVersion: string
}

/** Until when an entry of a process named a version. */
export class NamedVersions {
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

  /** The store was restored: no entry stands any more. */
  end(atMs: number): void {
    for (const record of this.#standing.keys()) this.note(record, [], atMs)
  }

  untilMs(
    { process }: Pick<ServerRun, 'process'>,
    { record, apiVersion }: WrittenVersion,
  ): number | undefined {
    return this.#untilMs.get(`${process} ${record} ${apiVersion}`)
  }
}

/** Whether a commit of a loose server may still arrive, if its entry stood until then. */
export function isSoonAfter(
  untilMs: number | undefined,
  { atMs }: Pick<ObservedCommit, 'atMs'>,
  { fastestClock }: Pick<History, 'fastestClock'>,
): boolean {
  return untilMs !== undefined && atMs - untilMs <= looseMs * fastestClock + underWayMs
}

/**
 * Whether a loose server sent this commit by an entry that a restore has undone, before it noticed the restore. Rule 19 does
 * not cover it:
 *
 * 1. A backup is made. Then B, which is loose, stores its entry: v2.
 * 2. B sends a write in v2. No guard of the record is in it (rule 14).
 * 3. The store is restored. The record does not name B.
 * 4. B's write arrives.
 *
 * What a server sends after it has noticed the restore has no such excuse, and neither has a strict server.
 */
export function isByLostEntry(
  history: History,
  run: ServerRun,
  commit: Pick<ObservedCommit, 'atMs' | 'sentMs'>,
  version: WrittenVersion,
): boolean {
  if (run.part.guarantee !== 'loose') return false
  for (let lost = history.lost; lost; lost = lost.lost) {
    const restoredMs = lost.endMs
    const noticed = history.restoresNoticed.find(
      ({ writer, atMs }) => writer === run.writer && atMs >= restoredMs,
    )
    if (noticed && commit.sentMs > noticed.atMs) return false
    if (isSoonAfter(namedIn(lost).untilMs(run, version), commit, history)) return true
  }
  return false
}

function namedIn(history: History): NamedVersions {
  const named = new NamedVersions()
  for (const { commit, state, written, apply } of replay(history)) {
    apply()
    for (const name of written.keys()) {
      const record = state.records.get(name)
      if (record) named.note(name, record.status.servers, commit.atMs)
    }
  }
  named.end(history.endMs)
  return named
}
