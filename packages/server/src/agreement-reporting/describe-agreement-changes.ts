import { groupResourceText, type RecordingGap, type StorageAgreement } from '@strata/api'

/** A change of one resource that operators may want to know. */
export interface AgreementChange {
  readonly reason: ChangeReason
  readonly type: 'Normal' | 'Warning'
  readonly message: string
  /** Equal on all servers for one change, and different for any other change of the record. */
  readonly key: string
  readonly about: { readonly name: string; readonly uid: string; readonly resource: string }
}

export type ChangeReason =
  | 'StorageVersionAgreed'
  | 'StorageVersionDisagreed'
  | 'StorageVersionSelected'
  | 'RecordingGap'
  | 'WritesRefused'

/** The part of a record that Events report. */
export interface AgreementState {
  readonly about: AgreementChange['about']
  readonly agreedVersion: string | undefined
  readonly agreedSince: string | undefined
  /** Why there is no agreement, and since when. */
  readonly why: string
  readonly lostSince: string | undefined
  readonly selectedVersion: string | undefined
  readonly selectedSince: string | undefined
  readonly recordingGap: RecordingGap | undefined
  /** The servers that refuse writes, by process. */
  readonly refusing: ReadonlyMap<string, string>
}

export function agreementState({ metadata, spec, status }: StorageAgreement): AgreementState {
  const broken = status.conditions.filter(
    ({ type, status: holds }) =>
      holds === 'False' && (type === 'AllEncodingVersionsEqual' || type === 'AllServersReported'),
  )
  return {
    about: { name: metadata.name ?? '', uid: metadata.uid ?? '', resource: groupResourceText(spec) },
    agreedVersion: status.agreedVersion,
    agreedSince: status.agreedSince,
    why: broken.map(({ message }) => message).join('; '),
    lostSince: broken.map(({ lastTransitionTime }) => lastTransitionTime).sort()[0],
    selectedVersion: status.selectedVersion,
    selectedSince: status.selectedSince,
    recordingGap: status.recordingGap,
    refusing: new Map(
      status.servers
        .filter(({ refusesWrites }) => refusesWrites === true)
        .map(({ serverID, process }) => [process, serverID]),
    ),
  }
}

/**
 * The problems of a record at first sight: a fleet may never have agreed. The keys equal those of a change to that state, so the
 * problem is reported once, even by a server that saw the change.
 */
export function describeProblems(after: AgreementState): AgreementChange[] {
  const { about, agreedVersion, why, lostSince } = after
  const reason = 'StorageVersionDisagreed'
  const refusals = describeChanges({ ...after, refusing: new Map() }, after)
  if (agreedVersion !== undefined) return refusals
  const message = `${about.resource}: ${why}`
  return [{ reason, type: 'Warning', key: `${reason} ${lostSince}`, message, about }, ...refusals]
}

/**
 * The changes between two states of a record, however many states lie in between. Keys derive from the record, so all servers
 * name a change alike, even if one saw fewer states.
 */
export function describeChanges(before: AgreementState, after: AgreementState): AgreementChange[] {
  const { about } = after
  const { resource } = about
  const changes: AgreementChange[] = []
  const add = (reason: ChangeReason, type: AgreementChange['type'], key: string, message: string): void => {
    changes.push({ reason, type, key: `${reason} ${key}`, message: `${resource}: ${message}`, about })
  }
  if (before.agreedVersion !== after.agreedVersion) {
    const was = before.agreedVersion === undefined ? '' : `; before: ${before.agreedVersion}`
    if (after.agreedVersion !== undefined) {
      const key = `${after.agreedVersion} ${after.agreedSince}`
      add('StorageVersionAgreed', 'Normal', key, `all servers write ${after.agreedVersion}${was}`)
    } else add('StorageVersionDisagreed', 'Warning', `${after.lostSince}`, `${after.why}${was}`)
  }
  if (after.selectedVersion !== undefined && before.selectedVersion !== after.selectedVersion) {
    const was = before.selectedVersion === undefined ? '' : `; before: ${before.selectedVersion}`
    const key = `${after.selectedVersion} ${after.selectedSince}`
    add('StorageVersionSelected', 'Normal', key, `the servers have selected ${after.selectedVersion}${was}`)
  }
  const gap = after.recordingGap
  if (gap && gap.epoch !== before.recordingGap?.epoch) {
    add(
      'RecordingGap',
      'Warning',
      `${gap.epoch}`,
      `objects may have been written without being recorded: ${gap.message}`,
    )
  }
  for (const [process, serverID] of after.refusing) {
    if (before.refusing.has(process)) continue
    const key = `${process} ${after.selectedVersion}`
    add(
      'WritesRefused',
      'Warning',
      key,
      `${serverID} refuses writes: it cannot write ${after.selectedVersion}, which is selected`,
    )
  }
  return changes
}
