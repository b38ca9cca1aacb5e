import { createHash } from 'node:crypto'
import type { History, Observation } from '../history.ts'
import { exampleRecord } from '../keys.ts'
import { replay } from './records.ts'
import type { Checker } from './violation.ts'

/** What was so from a revision on. */
interface Moment {
  readonly revision: number
  readonly value: string | undefined
}

/**
 * What is agreed never goes back to what it was, unless the servers did. Whatever is shown stood in the store: of records and
 * StorageVersions, between question and answer; in discovery, which shows what the answering process writes, at some moment
 * after the one that the same process has shown before. So no client sees v1 after v2 because a store was away.
 */
export const noFlipBack: Checker = {
  name: 'no-flip-back',
  *check(history) {
    const timelines = timelinesOf(history)
    const shownUpTo = new Map<string, number>()
    for (const observation of history.observations) {
      const { view, startRevision, servedBy, end } = observation
      const [writer] = servedBy
      if (!end || writer === undefined || servedBy.size !== 1) continue
      const isDiscovery = view === 'discovery'
      // Before it has an entry a server shows what it would write if it were alone.
      const timeline = timelines.get(isDiscovery ? `discovery ${writer}` : view)
      if (!timeline) continue
      const fromRevision = isDiscovery ? (shownUpTo.get(writer) ?? 0) : startRevision
      const found = firstMoment(timeline, end.shown, fromRevision, end.endRevision)
      if (found !== undefined) {
        if (isDiscovery) shownUpTo.set(writer, found)
        continue
      }
      if (isDiscovery && !hadEntryAt(timeline, startRevision)) continue
      yield { atMs: end.endMs, text: `${writer} showed ${end.shown} as ${view}, ${describe(observation)}` }
    }
  },
}

function timelinesOf(history: History): Map<string, Moment[]> {
  const timelines = new Map<string, Moment[]>()
  const writers = new Map(history.runs.map(({ process, writer }) => [process, writer]))
  const note = (name: string, revision: number, value: string | undefined): void => {
    const all = timelines.get(name) ?? [{ revision: 0, value: undefined }]
    timelines.set(name, all)
    if (all.at(-1)?.value !== value) all.push({ revision, value })
  }
  for (const { commit, state, apply } of replay(history)) {
    apply()
    const revision = commit.changes.at(-1)?.revision ?? 0
    const status = state.records.get(exampleRecord)?.status
    note('record', revision, status?.agreedVersion)
    note('storageVersion', revision, state.projections.get(exampleRecord)?.status.commonEncodingVersion)
    for (const { process, encodingVersion } of status?.servers ?? []) {
      note(`discovery ${writers.get(process)}`, revision, hashOf(encodingVersion))
    }
    // A voter that never learned that its entry is stored shows what is selected. Otherwise this is taken for a lie: the
    // entry of b is stored, b is frozen before it hears of it, taken out, and thaws after the others have moved to v1.
    // Reporters, and voters that know their entry, show what it said until they have another one.
    const { selectedVersion } = status ?? {}
    if (selectedVersion === undefined) continue
    for (const { process, writer, part, toldMs = Number.POSITIVE_INFINITY } of history.runs) {
      if (part.form !== 'vote' || toldMs < commit.atMs) continue
      if (status?.servers.some((each) => each.process === process)) continue
      const name = `discovery ${writer}`
      if (timelines.has(name)) note(name, revision, hashOf(selectedVersion))
    }
  }
  return timelines
}

/** The first revision at which it was so, from the one on and up to the other. */
function firstMoment(
  timeline: readonly Moment[],
  value: string | undefined,
  from: number,
  to: number,
): number | undefined {
  const at = timeline.findLastIndex(({ revision }) => revision <= from)
  const found = timeline.slice(Math.max(0, at)).find((each) => each.value === value && each.revision <= to)
  return found && Math.max(found.revision, from)
}

const hadEntryAt = (timeline: readonly Moment[], at: number): boolean =>
  timeline.findLast(({ revision }) => revision <= at)?.value !== undefined

/** A handful of versions, asked for at every commit. */
const hashes = new Map<string, string>()

/** As upstream makes it from what is stored. */
function hashOf(apiVersion: string): string {
  const known = hashes.get(apiVersion)
  if (known !== undefined) return known
  const made = createHash('sha256').update(`${apiVersion}/Beacon`).digest().subarray(0, 8).toString('base64')
  hashes.set(apiVersion, made)
  return made
}

const describe = ({ startMs, startRevision, end }: Observation): string =>
  `asked at ${startMs.toFixed()} ms; it was never so from revision ${startRevision} to ${end?.endRevision}`
