import type { AgreementEntry, AgreementStatus, StorageAgreement } from '@strata/api'
import type { History, ObservedCommit } from '../history.ts'
import { customGroup, fencedPrefixes } from '../keys.ts'
import { type AgreementState, type Ballot, replay } from './records.ts'
import type { Checker } from './violation.ts'

/** A server that took its Lease a moment before is as one that comes a moment after: it has written nothing. */
const justCameMs = 10_000

/**
 * Rules 12 and 13. A selection moves only if everyone who is there wants the same other version: each live Lease has an
 * entry in the record, and each entry is for it, be it a voter's preference or what a reporter writes. It is never
 * forgotten while something is stored.
 */
export const unanimousSelection: Checker = {
  name: 'unanimous-selection',
  *check(history) {
    const since = new Map<string, number>()
    const stored = new Map<string, Set<string>>()
    for (const { commit, state, written, apply } of replay(history)) {
      const { leaseTurns } = state
      apply()
      if (state.leaseTurns !== leaseTurns) noteLeases(since, state, commit.atMs)
      noteStored(stored, commit)
      for (const [name, before] of written) {
        const was = before?.status.selectedVersion
        const status = state.records.get(name)?.status
        if (!status || was === undefined || was === status.selectedVersion) continue
        const problem =
          status.selectedVersion === undefined
            ? forgotten(was, stored.get(name)?.size ?? 0)
            : notUnanimous(status, state, (server) => commit.atMs - (since.get(server) ?? 0))
        if (problem) yield { atMs: commit.atMs, text: `${name} by ${commit.writer}, was ${was}: ${problem}` }
      }
    }
  },
}

function forgotten(was: string, count: number): string | undefined {
  return count === 0 ? undefined : `${was} was selected, and is forgotten though ${count} objects are stored`
}

function notUnanimous(
  { selectedVersion = '', servers }: AgreementStatus,
  { leases }: AgreementState,
  ageMs: (server: string) => number,
): string | undefined {
  const heard = new Map(servers.map((entry) => [entry.serverID, candidateOf(entry)]))
  for (const server of leases.keys()) {
    const candidate = heard.get(server)
    if (candidate === undefined && ageMs(server) > justCameMs) {
      return `${selectedVersion} was selected without ${server}, who is there and has said nothing`
    }
    if (candidate !== undefined && candidate !== selectedVersion) {
      return `${selectedVersion} was selected against ${server}, who is for ${candidate}`
    }
  }
  return undefined
}

const candidateOf = ({ preferredVersion, encodingVersion }: AgreementEntry): string =>
  preferredVersion ?? encodingVersion

function noteLeases(since: Map<string, number>, { leases }: AgreementState, atMs: number): void {
  for (const server of leases.keys()) if (!since.has(server)) since.set(server, atMs)
  for (const server of since.keys()) if (!leases.has(server)) since.delete(server)
}

function noteStored(stored: Map<string, Set<string>>, { changes }: ObservedCommit): void {
  for (const { kind, key } of changes) {
    for (const [name, prefix] of fencedPrefixes) {
      if (!key.startsWith(prefix)) continue
      const keys = stored.get(name) ?? new Set()
      stored.set(name, keys)
      if (kind === 'put') keys.add(key)
      else keys.delete(key)
    }
  }
}

/**
 * Rules 12, 13 and 14, of what stands in a record after each commit: a voter writes what is selected, or says that it
 * writes nothing because it cannot; where there is a voter something is selected; and no server
 * falsely says that it votes, or that its writes are guarded.
 */
export const honestSelection: Checker = {
  name: 'honest-selection',
  *check(history) {
    for (const { commit, state, written, apply } of replay(history)) {
      apply()
      for (const name of written.keys()) {
        const record = state.records.get(name)
        if (!record) continue
        for (const text of [...strange(name, record, history), ...ballot(record, state.ballots.get(name))]) {
          yield { atMs: commit.atMs, text: `${name} by ${commit.writer}: ${text}` }
        }
      }
    }
  },
}

/** The ballot shows what is selected, and who is for what. */
function* ballot({ status }: StorageAgreement, shown: Ballot | undefined): Iterable<string> {
  const { selectedVersion, servers } = status
  if (shown?.selectedVersion !== selectedVersion) {
    yield `the ballot says ${shown?.selectedVersion}, the record ${selectedVersion}`
  }
  for (const { apiServerID, preferredVersion } of shown?.candidateVersions ?? []) {
    const entry = servers.find(({ serverID }) => serverID === apiServerID)
    if (entry && candidateOf(entry) === preferredVersion) continue
    yield `the ballot has ${apiServerID} for ${preferredVersion}, the record ${entry && candidateOf(entry)}`
  }
}

function* strange(name: string, { status }: StorageAgreement, { runs }: History): Iterable<string> {
  const { selectedVersion, servers } = status
  for (const entry of servers) {
    const { process, preferredVersion, encoders = [], encodingVersion, guarantee } = entry
    const { refusesWrites, keyProblem } = entry
    const part = runs.find((run) => run.process === process)?.part
    if (part && part.guarantee !== guarantee) yield `${process} is ${part.guarantee} and says ${guarantee}`
    const votes = part?.form === 'vote' && !name.startsWith(customGroup)
    if (part && votes !== (preferredVersion !== undefined)) {
      yield `${process} ${votes ? 'votes' : 'does not vote'}, and its entry says otherwise`
    }
    if (preferredVersion === undefined) {
      if (refusesWrites && keyProblem === undefined) yield `${process} does not vote, and refuses writes`
      continue
    }
    if (encodingVersion !== selectedVersion) {
      yield `${process} says ${encodingVersion}, and ${selectedVersion ?? 'nothing'} is selected`
    }
    const canWrite = encoders.find((each) => each.encodingVersion === encodingVersion)
    if (canWrite && refusesWrites && keyProblem === undefined)
      yield `${process} refuses to write ${encodingVersion}, which it can`
    if (!canWrite && !refusesWrites) yield `${process} is to write ${encodingVersion}, which it cannot`
    if (canWrite && canWrite.fingerprint !== entry.encoderFingerprint) yield `${process} has another encoder`
  }
}
