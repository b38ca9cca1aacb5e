import type { AgreementEntry, AgreementStatus } from '@strata/api'
import type { AgreementChange, AgreementView, HeldLease, StoredAgreement } from './agreement-records.ts'
import type { AgreementFacts } from './decide-agreement.ts'

/** The facts that a change of a record is decided on. Pure, so that the model check decides on the same ones. */
export function agreementFacts(
  { stored, leases }: AgreementView,
  wanted: AgreementChange,
  now: Pick<AgreementFacts, 'gap' | 'now' | 'restoredEpochStep'>,
): AgreementFacts {
  const idsOf = (holds: (lease: HeldLease) => boolean | undefined): ReadonlySet<string> =>
    new Set([...leases].filter(([, lease]) => holds(lease)).map(([id]) => id))
  return {
    previous: wanted.forgetsSelection ? withoutSelection(stored) : stored?.record.status,
    previousRevision: stored?.revision,
    entries: wanted.entries,
    liveServers: idsOf(({ isIdentity }) => isIdentity),
    registered: idsOf(({ isRegistered }) => isRegistered),
    unrecorded: unrecordedServers(leases, wanted.entries),
    unseen: wanted.unseen,
    ...now,
    isSettled: wanted.isSettled,
    leavingProcess: wanted.leavingProcess,
    settledLoose: wanted.settledLoose,
    proof: wanted.proof,
    isEmptied: wanted.isEmptied,
  }
}

function withoutSelection(stored: StoredAgreement | undefined): AgreementStatus | undefined {
  if (!stored) return undefined
  const { selectedVersion: _, selectedSince: __, ...status } = stored.record.status
  return status
}

/** Servers whose Lease says that they do not record, and foreign servers with a Lease and no entry. */
export function unrecordedServers(
  leases: ReadonlyMap<string, HeldLease>,
  entries: readonly AgreementEntry[],
): ReadonlySet<string> {
  const reported = new Set(entries.map(({ serverID }) => serverID))
  const writes = ([id, { isIdentity, records }]: [string, HeldLease]): boolean =>
    isIdentity && (records === false || (records === undefined && !reported.has(id)))
  return new Set([...leases].filter(writes).map(([id]) => id))
}
