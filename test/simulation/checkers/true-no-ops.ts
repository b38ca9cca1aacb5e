import type { StorageAgreement } from '@strata/api'
import type { History, Operation } from '../history.ts'
import { fencedPrefixes } from '../keys.ts'
import { isByLostEntry } from './named-versions.ts'
import { recordTimelines } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * Rule 5. An update that changed nothing was answered with "it is so already". That was true at some moment
 * between question and answer: the object stood at that revision, in the version that the entry of the
 * answering process named.
 */
export const trueNoOps: Checker = {
  name: 'true-no-ops',
  *check(history, log) {
    const timelines = recordTimelines(history)
    for (const operation of history.operations) {
      const { kind, key, id, askedRevision, end, startMs } = operation
      if (kind !== 'touch' || end?.outcome !== 'ok' || end.revision !== askedRevision) continue
      const versions = log.of(key)
      const at = versions.findIndex(({ revision }) => revision === end.revision)
      const version = versions[at]
      const fromMs = Math.max(startMs, version?.atMs ?? Number.POSITIVE_INFINITY)
      const toMs = Math.min(end.endMs, versions[at + 1]?.atMs ?? Number.POSITIVE_INFINITY)
      const found = (text: string) => ({
        atMs: end.endMs,
        text: `touch ${id} of ${key} at ${askedRevision}: ${text}`,
      })
      if (!version?.object || fromMs > toMs) {
        yield found('said to be current, but it did not stand in that time')
      } else if (!wasNamed(history, timelines, operation, version.object.apiVersion, fromMs, toMs)) {
        yield found(`said to be current in ${version.object.apiVersion}, which no entry of the server named`)
      }
    }
  },
}

/** Whether an entry of a process that served the operation named the version at some moment in that time. */
function wasNamed(
  history: History,
  timelines: ReturnType<typeof recordTimelines>,
  { key, servedBy }: Operation,
  apiVersion: string,
  fromMs: number,
  toMs: number,
): boolean {
  const runs = history.runs.filter(({ writer }) => servedBy.has(writer))
  const processes = new Set(runs.map(({ process }) => process))
  // A server that does not record is bound to the record that says so, and to the version that it would write (rule 18).
  const isUnrecorded = runs.some(({ part }) => part.records === false)
  // A loose server answers by a view that may be a minute old.
  const isLoose = runs.some(({ part }) => part.guarantee === 'loose')
  const sinceMs = isLoose ? fromMs - 60_000 * history.fastestClock : fromMs
  const [name = ''] = [...fencedPrefixes].find(([, prefix]) => key.startsWith(prefix)) ?? []
  const names = ({ status }: StorageAgreement): boolean =>
    (isUnrecorded && status.encodings.includes('unrecorded')) ||
    status.servers.some(
      ({ process, encodingVersion }) => processes.has(process) && encodingVersion === apiVersion,
    )
  const timeline = timelines.get(name) ?? []
  const asked = { sentMs: fromMs, atMs: toMs }
  if (runs.some((run) => isByLostEntry(history, run, asked, { record: name, apiVersion }))) return true
  return timeline.some(({ atMs, record }, index) => {
    const untilMs = timeline[index + 1]?.atMs ?? Number.POSITIVE_INFINITY
    return atMs <= toMs && untilMs >= sinceMs && record !== undefined && names(record)
  })
}
