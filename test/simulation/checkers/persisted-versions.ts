import type { AgreementStatus } from '@strata/api'
import { fencedPrefixes, isClientKey } from '../keys.ts'
import { isByLostEntry } from './named-versions.ts'
import { replay } from './records.ts'
import { mayBeStored, parseBytes, unknown } from './stored-json.ts'
import type { Checker } from './violation.ts'

/** How something is stored, and in which epoch of its record it came there; 0 before there was one. */
interface StoredIn {
  readonly apiVersion: string
  readonly epoch: number
  /** It was sent by an entry that a restore has undone, and the record has not told of the restore since it arrived. */
  readonly isByLostEntry?: boolean
}

/**
 * After every commit, each version that something is stored in is among those that the resource's record says may be stored, with
 * an epoch that is not earlier than that in which it was stored; or the list has Unknown. Whether a release can read what is
 * there is decided by that list, and by its epochs what a proof may forget.
 *
 * But for a loose server that stays: what it sent by its earlier entry may arrive in the epoch after, and is named with the
 * earlier one. `recorded-version` checks how late that may be; every claim waits for as long (rule 14). And but for what a loose
 * server sent by an entry that a restore has undone: it is Unknown from the recording gap of that restore on, and if it comes
 * after the gap nothing is promised of it (rule 19).
 */
export const persistedVersions: Checker = {
  name: 'persisted-versions',
  *check(history) {
    const runs = new Map(history.runs.map((run) => [run.writer, run]))
    const stored = new Map([...fencedPrefixes.keys()].map((name) => [name, new Map<string, StoredIn>()]))
    for (const { commit, state, written, apply } of replay(history)) {
      apply()
      if (written.size === 0 && !commit.changes.some(({ key }) => isClientKey(key))) continue
      for (const [name, prefix] of fencedPrefixes) {
        const objects = stored.get(name) ?? new Map<string, StoredIn>()
        const changed = commit.changes.filter(({ key }) => key.startsWith(prefix))
        const record = state.records.get(name)
        const before = written.has(name) ? written.get(name) : record
        const isAnew = record?.metadata.uid !== before?.metadata.uid
        // Its epochs are counted again from 1, and the time before is Unknown.
        if (isAnew) for (const [key, each] of objects) objects.set(key, { ...each, epoch: 0 })
        const gap = record?.status.recordingGap
        const toldFrom = gap?.reason === 'StoreRestored' ? gap.epoch : 0
        for (const [key, each] of objects) {
          if (each.isByLostEntry && each.epoch < toldFrom) objects.set(key, { ...each, isByLostEntry: false })
        }
        const run = runs.get(commit.writer)
        const isLoose = run?.part.guarantee === 'loose'
        for (const change of changed) {
          if (change.kind === 'delete') objects.delete(change.key)
          else {
            const apiVersion = apiVersionOf(change.value)
            const status = record?.status
            const entry = isLoose ? status?.servers.find(({ process }) => process === run.process) : undefined
            const isLate = entry !== undefined && entry.encodingVersion !== apiVersion
            objects.set(change.key, {
              apiVersion,
              epoch: (isLate ? namedEpochOf(status, apiVersion) : status?.epoch) ?? status?.epoch ?? 0,
              isByLostEntry:
                run !== undefined &&
                entry?.encodingVersion !== apiVersion &&
                isByLostEntry(history, run, commit, { record: name, apiVersion }),
            })
          }
        }
        // Nothing that could break it has changed.
        if (!record || (changed.length === 0 && !written.has(name))) continue
        const may = mayBeStored(record.status)
        for (const [key, { apiVersion, epoch, isByLostEntry }] of objects) {
          if (isByLostEntry) continue
          const isNamed = may.some(
            (each) => each.epoch >= epoch && [apiVersion, unknown].includes(each.encodingVersion),
          )
          if (isNamed) continue
          const said = may.map((each) => `${each.encodingVersion} in epoch ${each.epoch}`).join(', ')
          yield {
            atMs: commit.atMs,
            text: `${key} is stored in ${apiVersion} since epoch ${epoch}, and after ${commit.writer} the record says that only ${said} may be`,
          }
        }
      }
    }
  },
}

function namedEpochOf(status: AgreementStatus | undefined, apiVersion: string): number | undefined {
  const named = (status?.persisted ?? []).filter((each) => each.encodingVersion === apiVersion)
  return named.length === 0 ? undefined : Math.max(...named.map(({ epoch }) => epoch))
}

function apiVersionOf(value: Uint8Array): string {
  const { apiVersion } = parseBytes(value)
  return String(apiVersion)
}
