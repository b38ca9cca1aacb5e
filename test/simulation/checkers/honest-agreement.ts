import type { AgreementEntry, AgreementStatus, StorageAgreement, StorageVersion } from '@strata/api'
import type { History, ObservedCommit } from '../history.ts'
import { mayWriteLoosely, replay } from './records.ts'
import type { Checker } from './violation.ts'

/**
 * What a record says is true of what stands in it: after every commit, agreed means that all entries say so; its
 * projection shows the same entries; entries are one per server, in order, and each written by its own
 * process; and the epoch moves exactly when the set of encodings does, one of which may say that a server writes without
 * recording it (rule 18).
 */
export const honestAgreement: Checker = {
  name: 'honest-agreement',
  *check(history) {
    for (const { commit, state, written, apply } of replay(history)) {
      apply()
      for (const name of new Set([...written.keys(), ...projectionsWritten(commit)])) {
        const record = state.records.get(name)
        if (!record) continue
        const previous = written.has(name) ? written.get(name) : record
        const problems = [
          ...claim(record.status),
          ...projection(record, state.projections.get(name)),
          ...epoch(record.status, previous?.status),
          ...authorship(history, commit.writer, record.status.servers, previous?.status.servers ?? []),
        ]
        for (const text of problems) yield { atMs: commit.atMs, text: `${name} by ${commit.writer}: ${text}` }
      }
    }
  },
}

/** The records whose StorageVersion or ballot a commit writes or deletes. */
function projectionsWritten({ changes }: ObservedCommit): readonly string[] {
  return changes.flatMap(({ key }) =>
    key.includes('/storageversions/') ? [key.slice(key.lastIndexOf('/') + 1)] : [],
  )
}

function* claim({ agreedVersion, servers, conditions, encodings: all }: AgreementStatus): Iterable<string> {
  const ids = servers.map(({ serverID }) => serverID)
  if (new Set(ids).size !== ids.length) yield `two entries of one server: ${ids}`
  if (ids.toSorted().join() !== ids.join()) yield `entries out of order: ${ids}`
  if (agreedVersion === undefined) return
  if (all.includes('unrecorded'))
    yield `agreed on ${agreedVersion} while a server writes without recording it`
  // A server that refuses writes votes, and encodes nothing.
  const writers = writersOf(servers)
  const others = writers.filter(({ encodingVersion }) => encodingVersion !== agreedVersion)
  if (writers.length === 0) yield `agreed on ${agreedVersion} by no server`
  for (const { serverID, encodingVersion } of others) {
    yield `agreed on ${agreedVersion}, but ${serverID} encodes ${encodingVersion}`
  }
  for (const type of ['AllEncodingVersionsEqual', 'AllServersReported'] as const) {
    if (conditions.find((each) => each.type === type)?.status !== 'True') yield `agreed although not ${type}`
  }
}

function* projection({ status }: StorageAgreement, shown: StorageVersion | undefined): Iterable<string> {
  // Every server is listed, with a version that it can decode; what is common is said of those that write, if any do.
  const writers = writersOf(status.servers)
  const counted = writers.length > 0 ? writers : status.servers
  const versions = new Set(counted.map(shownVersion))
  const [only] = versions
  const common = versions.size === 1 ? only : undefined
  const want = status.servers.map((each) => `${each.serverID}=${shownVersion(each)}`).join()
  const entries = shown?.status.storageVersions ?? []
  const have = entries.map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`).join()
  if (want !== have) yield `the StorageVersion shows ${have || 'nothing'}, the record ${want || 'nothing'}`
  if (shown?.status.commonEncodingVersion !== common) {
    yield `the StorageVersion has ${shown?.status.commonEncodingVersion} in common, the record ${common}`
  }
}

function shownVersion({ encodingVersion, decodableVersions, preferredVersion }: AgreementEntry): string {
  return decodableVersions.includes(encodingVersion) ? encodingVersion : (preferredVersion ?? encodingVersion)
}

function* epoch(now: AgreementStatus, before: AgreementStatus | undefined): Iterable<string> {
  if (!before) return
  const was = encodings(before)
  // Without a server the last encodings still count, until the record forgets them because nothing is stored.
  const isForgotten = now.encodings.length === 0
  const is = writersOf(now.servers).length > 0 ? encodings(now) : isForgotten ? '' : recorded(before)
  const since = writersOf(before.servers).length === 0 ? recorded(before) : was
  // Epochs that were lost with a restore must not come again (rule 19).
  const gap = now.recordingGap
  const isRestored = gap?.reason === 'StoreRestored' && gap.epoch >= before.epoch + 1_000
  const step = isRestored ? gap.epoch - before.epoch : 1
  const isNewGap = now.recordingGap?.epoch === before.epoch + step && before.recordingGap !== now.recordingGap
  // A late commit without a guard belongs to an epoch that is not called fenced.
  const becomesFenced = mayWriteLoosely(before) && !mayWriteLoosely(now)
  const same = !becomesFenced && is === since && unrecorded(before, now) === unrecorded(now, now) && !isNewGap
  const expected = same ? before.epoch : before.epoch + step
  if (now.epoch !== expected) yield `the epoch went from ${before.epoch} to ${now.epoch}, not to ${expected}`
}

/** Without a report, the mark `unrecorded` stays until a server reports. */
function unrecorded({ encodings: all }: AgreementStatus, { servers }: AgreementStatus): boolean {
  return servers.length > 0 && all.includes('unrecorded')
}

const recorded = ({ encodings: all }: AgreementStatus): string =>
  all.filter((each) => each !== 'unrecorded').join()

function encodings({ servers }: AgreementStatus): string {
  const all = writersOf(servers).map(({ encodingVersion, writeKey, encoderFingerprint, guarantee }) =>
    [encodingVersion, writeKey, encoderFingerprint, guarantee].join(' '),
  )
  return [...new Set(all)].sort().join()
}

const writersOf = (servers: readonly AgreementEntry[]): readonly AgreementEntry[] =>
  servers.filter(({ refusesWrites }) => !refusesWrites)

/** What a server says of itself. The server that changes the selection fills in what a voter writes. */
function ownWords(entry: AgreementEntry): string {
  if (entry.preferredVersion === undefined) return JSON.stringify(entry)
  const { encodingVersion: _, encoderFingerprint: __, refusesWrites: ___, ...own } = entry
  return JSON.stringify(own)
}

/** No process writes for another: it stores only new or changed entries of its own. */
function* authorship(
  { runs }: History,
  writer: string,
  now: readonly AgreementEntry[],
  before: readonly AgreementEntry[],
): Iterable<string> {
  const known = new Set(before.map(ownWords))
  const own = runs.find((run) => run.writer === writer)?.process
  for (const entry of now) {
    if (known.has(ownWords(entry)) || entry.process === own) continue
    yield `wrote an entry of ${entry.process}`
  }
}
