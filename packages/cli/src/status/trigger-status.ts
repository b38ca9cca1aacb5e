import {
  groupResourceText,
  isAllCurrent,
  isFrozenResource,
  persistedHashesOf,
  persistedOf,
  persistedSince,
  type StorageAgreement,
  type StorageState,
  stateOf,
} from '@strata/api'
import type { AnyMigration } from '../migration/records/migration-form.ts'
import { counted } from '../output/counted.ts'
import { shownNames } from './group-texts.ts'

/** What can be seen of whoever asks for migrations: its books, and what it has asked for. Undefined is not seen. */
export interface TriggerFacts {
  readonly states: readonly StorageState[] | undefined
  /** Of both groups, if both were seen. */
  readonly migrations: readonly AnyMigration[] | undefined
  /** Its Lease. */
  readonly leader: LeaderSight | undefined
  /** What was asked for and not answered, in time or at all; absent if there is nothing. */
  readonly unanswered?: readonly string[] | undefined
}

export type LeaderSight =
  /** Nobody holds it. */
  | { readonly isHeld: false }
  /** Somebody does, or was killed; when it was last renewed, and for how long that holds. */
  | { readonly isHeld: true; readonly renewed?: string; readonly durationSeconds: number }

export interface TriggerStatus {
  /** How many resources it keeps books of. */
  readonly watched?: number | undefined
  /** Which resources may be stored otherwise than all write now, by the books and by the records. */
  readonly unclean?: readonly string[] | undefined
  /** Migrations that have not ended, e.g. `things.example.dev (things-epoch-3: Running, 40 %)`. */
  readonly underWay?: readonly string[] | undefined
  readonly controllersAtWork?: boolean | undefined
  /** Of a Lease that somebody holds and does not renew: when it last was, by that machine's clock. */
  readonly controllersSilentSince?: string | undefined
  /** What nobody answered about. What may not be seen is not in it: whoever looks knows their rights. */
  readonly unanswered?: readonly string[] | undefined
}

/** What was not seen is left out. */
export function describeTrigger(
  { states, migrations, leader, unanswered }: TriggerFacts,
  records: readonly StorageAgreement[],
  nowMs: number,
): TriggerStatus {
  const recordOf = new Map(records.map((each) => [groupResourceText(each.spec), each]))
  const unclean =
    states?.length === 0
      ? uncleanByRecord(records)
      : states
          ?.filter((each) => !isClean(each, recordOf.get(each.metadata.name ?? '')))
          .map(({ metadata }) => metadata.name ?? '')
  const open = migrations?.filter(
    ({ status }) => !['Succeeded', 'Failed'].includes(stateOf(status?.conditions)),
  )
  return {
    watched: states?.length,
    unclean: unclean?.sort(),
    underWay: open?.map(underWayText).sort(),
    ...(leader && describeLeader(leader, nowMs)),
    unanswered,
  }
}

/**
 * Hashes are of versions: what is under another key has the same one, and so the record is asked as well, about what the books
 * have not left out on a migration's word. It also tells more where nobody has kept the books for a while.
 */
function isClean(state: StorageState, record: StorageAgreement | undefined): boolean {
  const { currentStorageVersionHash: current, accepted } = state.status ?? {}
  if (persistedHashesOf(state).join() !== current) return false
  if (!record) return true
  const { metadata, spec, status } = record
  if (isFrozenResource(spec) && status.agreedVersion !== undefined) return true
  const epoch = accepted?.recordUID === metadata.uid ? Math.min(accepted?.epoch ?? 0, status.epoch) : 0
  return isAllCurrent({ ...status, persisted: persistedSince(persistedOf(status), epoch) })
}

/**
 * Where no controllers have ever run nobody keeps books, and the records alone tell. Only where all write the same: while an
 * upgrade is under way nobody could migrate it, and everybody is told of that already. Events are gone in an hour.
 */
function uncleanByRecord(records: readonly StorageAgreement[]): string[] {
  return records
    .filter(({ spec, status }) => {
      if (isFrozenResource(spec) || spec.resource === 'events') return false
      return status.agreedVersion !== undefined && !isAllCurrent(status)
    })
    .map(({ spec }) => groupResourceText(spec))
}

/** Whoever was killed leaves a Lease that names them. */
function describeLeader(
  leader: LeaderSight,
  nowMs: number,
): Pick<TriggerStatus, 'controllersAtWork' | 'controllersSilentSince'> {
  if (!leader.isHeld || leader.renewed === undefined) return { controllersAtWork: leader.isHeld }
  const { renewed, durationSeconds } = leader
  const isSilent = nowMs - Date.parse(renewed) > 1000 * durationSeconds
  return { controllersAtWork: !isSilent, controllersSilentSince: isSilent ? renewed : undefined }
}

function underWayText({ metadata, spec, status }: AnyMigration): string {
  const { group = '', resource } = spec.resource
  const stage = stateOf(status?.conditions)
  const percent = status?.percent === undefined ? '' : `, ${status.percent} %`
  const text = stage === 'Unknown' ? 'not begun' : `${stage}${percent}`
  return `${groupResourceText({ group, resource })} (${metadata.name}: ${text})`
}

/** One line of what was seen, nothing where nobody keeps books; and one of what nobody answered about. */
export function renderTrigger(trigger: TriggerStatus | undefined): string {
  const { unanswered = [] } = trigger ?? {}
  const unseen =
    unanswered.length === 0 ? '' : `Migrations: no answer about ${unanswered.join(', ')}; there may be more.`
  return [renderBooks(trigger), unseen].filter((line) => line !== '').join('\n')
}

function renderBooks(trigger: TriggerStatus | undefined): string {
  const {
    watched = 0,
    unclean = [],
    underWay = [],
    controllersAtWork,
    controllersSilentSince,
  } = trigger ?? {}
  // Controllers that have just come will see to it.
  if (watched === 0) return controllersAtWork ? '' : renderUnwatched(unclean)
  const books = `Migrations: ${counted(watched, 'resource')} ${watched === 1 ? 'is' : 'are'} watched, and ${
    unclean.length === 0
      ? 'none may have objects in an old version or key'
      : `${unclean.length} may have objects in an old version or key: ${shownNames(unclean)}`
  }`
  const runs = underWay.length === 0 ? '' : `; under way: ${underWay.slice(0, 5).join(', ')}${more(underWay)}`
  // Two clocks are compared, which can be seen only by somebody who is told so.
  const since =
    controllersSilentSince === undefined
      ? ''
      : `, if this machine's clock is right (their Lease was last renewed at ${controllersSilentSince})`
  const idle =
    controllersAtWork === false
      ? `; no controllers are running${since}: start them with "strata controllers"`
      : ''
  return `${books}${runs}${idle}.`
}

/** Nobody has ever asked for migrations here, and nobody will. */
function renderUnwatched(unclean: readonly string[]): string {
  if (unclean.length === 0) return ''
  const names = unclean.length <= namedForMigration ? unclean.join(' ') : '--all'
  return `Migrations: ${counted(unclean.length, 'resource')} may have objects in an old version or key: ${shownNames(unclean)}. No controllers are running to migrate them: strata migrate ${names}.`
}

/** So many names are typed; more are all. */
const namedForMigration = 3

const more = (underWay: readonly string[]): string =>
  underWay.length > 5 ? `, and ${underWay.length - 5} more` : ''
