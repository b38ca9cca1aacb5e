import { type AgreementEntry, type StorageAgreement, unseenServersOf } from '@strata/api'
import type { Guard } from '../../store/index.ts'
import { identityLeaseKey } from '../frozen-kinds.ts'
import { serverOf } from '../identity/server-id.ts'
import type { AgreementView } from '../record/agreement-records.ts'
import type { OwnFacts } from '../registration/own-entry.ts'

/** The keys of one process in a record: in its entry, or, without an identity, in its statement (rule 18). */
export type StatedKeys = Pick<
  AgreementEntry,
  'serverID' | 'process' | 'writeKey' | 'readableKeys' | 'refusesWrites'
>

/** Each is a guard, and a transaction takes only so many. */
const mostEnded = 50

/**
 * Entries of processes that have ended: their Lease is absent, or its holder has ended on this host. A server without an
 * identity leaves them to the collector and does not count them while these Leases stay unchanged. Otherwise: A is killed,
 * and comes back with its gates off; the entry of its earlier run, which reads no newer key, keeps A from writing until the
 * Lease expires, or for ever where no server collects.
 */
export function endedEntries({ entries, leases }: Pick<AgreementView, 'entries' | 'leases'>): readonly {
  readonly process: string
  readonly guard: Guard
}[] {
  const ended = entries.flatMap(({ serverID, process }): { process: string; guard: Guard }[] => {
    const key = identityLeaseKey(serverID)
    const lease = leases.get(serverID)
    if (!lease) return [{ process, guard: { key, revision: 'absent' } }]
    const isEnded = lease.holder === process && lease.isGone?.() === true
    return isEnded ? [{ process, guard: { key, revision: lease.revision } }] : []
  })
  return ended.slice(0, mostEnded)
}

/**
 * The stated keys that a server with an identity decides on. It holds the Lease, so the entry of an earlier run of this
 * server belongs to no process. A statement under its server ID may belong to a live one.
 */
export function statedKeysForHolder(
  record: StorageAgreement | undefined,
  entries: readonly StatedKeys[],
  self: OwnFacts['self'],
): readonly StatedKeys[] {
  const isEarlierRun = ({ serverID, process }: StatedKeys): boolean =>
    serverID === self.serverID && process !== self.process
  return [...entries.filter((each) => !isEarlierRun(each)), ...statements(record)]
}

/**
 * The stated keys that a server without an identity decides on. No Lease keeps a second process from running under its
 * server ID, so that one counts like any other. Otherwise: A and B run under one server ID, B cannot write the old key any
 * more and takes another, and A cannot read what B writes.
 */
export function statedKeysForUnseen(
  record: StorageAgreement | undefined,
  entries: readonly StatedKeys[],
): readonly StatedKeys[] {
  return [...entries, ...statements(record)]
}

function statements(record: StorageAgreement | undefined): readonly StatedKeys[] {
  if (!record) return []
  return unseenServersOf(record).map(({ process, writeKey, readableKeys, keyProblem }) => ({
    ...{ serverID: serverOf(process), process, writeKey, readableKeys },
    ...(keyProblem === undefined ? {} : { refusesWrites: true }),
  }))
}
