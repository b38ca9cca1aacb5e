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
    ...(stored ? { previousRevision: stored.revision } : {}),
    entries: wanted.entries,
    liveServers: idsOf(({ isIdentity }) => isIdentity),
    registered: idsOf(({ isRegistered }) => isRegistered),
    unrecorded: unrecordedServers(leases, wanted.entries),
    ...(wanted.unseen ? { unseen: wanted.unseen } : {}),
    ...now,
    ...(wanted.isSettled ? { isSettled: true } : {}),
    ...(wanted.leavingProcess === undefined ? {} : { leavingProcess: wanted.leavingProcess }),
    ...(wanted.settledLoose ? { settledLoose: wanted.settledLoose } : {}),
    ...(wanted.proof ? { proof: wanted.proof } : {}),
    ...(wanted.isEmptied ? { isEmptied: true } : {}),
  }
}

function withoutSelection(stored: StoredAgreement | undefined): AgreementStatus | undefined {
  if (!stored) return undefined
  const { selectedVersion: _, selectedSince: __, ...status } = stored.record.status
  return status
}

/** Who says that it does not record, and who is no server of ours and has no entry either. */
export function unrecordedServers(
  leases: ReadonlyMap<string, HeldLease>,
  entries: readonly AgreementEntry[],
): ReadonlySet<string> {
  const reported = new Set(entries.map(({ serverID }) => serverID))
  const writes = ([id, { isIdentity, records }]: [string, HeldLease]): boolean =>
    isIdentity && (records === false || (records === undefined && !reported.has(id)))
  return new Set([...leases].filter(writes).map(([id]) => id))
}
