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
  unknownVersion,
} from '@strata/api'
import type { MigrationObject } from '../migration/migration-view.ts'
import { counted } from '../text/counted.ts'
import { commandNames, shownNames } from './group-texts.ts'
import type { ResourceStatus } from './resource-status.ts'

/** What was observed of the migration trigger: its StorageStates and migrations. Undefined: not observed. */
export interface TriggerFacts {
  readonly states: readonly StorageState[] | undefined
  /** Of both groups, if both were seen. */
  readonly migrations: readonly MigrationObject[] | undefined
  /** Its Lease. */
  readonly leader: LeaderSight | undefined
  /** Requests that were not answered in time, or failed; absent if there are none. */
  readonly unanswered?: readonly string[] | undefined
}

export type LeaderSight =
  /** The Lease has no holder. */
  | { readonly isHeld: false }
  /** It has a holder, which may have been killed. */
  | { readonly isHeld: true; readonly renewed?: string; readonly durationSeconds: number }

export interface TriggerStatus {
  /** How many resources have a StorageState. */
  readonly watched?: number | undefined
  /** Resources that may have objects in an old version or key, by their StorageStates and records. */
  readonly unclean?: readonly string[] | undefined
  /** Migrations that have not ended, e.g. `things.example.dev (things-epoch-3: Running, 40 %)`. */
  readonly underWay?: readonly string[] | undefined
  readonly controllersAtWork?: boolean | undefined
  /** When the holder last renewed the Lease, if that is too long ago; by the holder's clock. */
  readonly controllersSilentSince?: string | undefined
  /** Requests without an answer. Those that are forbidden are left out. */
  readonly unanswered?: readonly string[] | undefined
}

/** Leaves out what was not observed. */
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
 * The hashes of a StorageState cover versions only. The record also knows keys, and is current when no controllers have run
 * for a while. Versions that an accepted migration has cleared are not counted.
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
 * Where no controllers have ever run there are no StorageStates, only records. Without agreement nothing can be migrated, and
 * status says so already. Events expire within an hour.
 */
function uncleanByRecord(records: readonly StorageAgreement[]): string[] {
  return records
    .filter(({ spec, status }) => {
      if (isFrozenResource(spec) || spec.resource === 'events') return false
      return status.agreedVersion !== undefined && !isAllCurrent(status)
    })
    .map(({ spec }) => groupResourceText(spec))
}

/** A killed holder leaves a Lease with its name. */
function describeLeader(
  leader: LeaderSight,
  nowMs: number,
): Pick<TriggerStatus, 'controllersAtWork' | 'controllersSilentSince'> {
  if (!leader.isHeld || leader.renewed === undefined) return { controllersAtWork: leader.isHeld }
  const { renewed, durationSeconds } = leader
  const isSilent = nowMs - Date.parse(renewed) > 1000 * durationSeconds
  return { controllersAtWork: !isSilent, controllersSilentSince: isSilent ? renewed : undefined }
}

function underWayText({ metadata, spec, status }: MigrationObject): string {
  const { group = '', resource = '' } = spec?.resource ?? {}
  const stage = stateOf(status?.conditions)
  const percent = status?.percent === undefined ? '' : `, ${status.percent} %`
  const text = stage === 'Unknown' ? 'not begun' : `${stage}${percent}`
  return `${groupResourceText({ group, resource })} (${metadata.name}: ${text})`
}

/** A line on migrations, if there are any or some are needed, and a line on requests without an answer. */
export function renderTrigger(
  trigger: TriggerStatus | undefined,
  resources: readonly ResourceStatus[] = [],
): string {
  const { unanswered = [] } = trigger ?? {}
  const unseen =
    unanswered.length === 0 ? '' : `Migrations: no answer about ${unanswered.join(', ')}; there may be more.`
  const stuck = resources.filter(isUnreadableEverywhere).map(({ resource }) => resource)
  const hasEvents = resources.some(({ resource }) => resource === 'events')
  return [renderStates(trigger, stuck, hasEvents), unseen].filter((line) => line !== '').join('\n')
}

/** No server can read all versions that may be stored: a migration fails until one is started that can. */
function isUnreadableEverywhere({ persistedVersions, servers }: ResourceStatus): boolean {
  const readable = Object.values(servers).flatMap((each) => each?.decodes ?? [])
  return persistedVersions.some((each) => each !== unknownVersion && !readable.includes(each))
}

function renderStates(
  trigger: TriggerStatus | undefined,
  stuck: readonly string[],
  hasEvents: boolean,
): string {
  const {
    watched = 0,
    unclean = [],
    underWay = [],
    controllersAtWork,
    controllersSilentSince,
  } = trigger ?? {}
  // Controllers that have just started will migrate them.
  if (watched === 0) return controllersAtWork ? '' : renderUnwatched(unclean, stuck)
  const watchedText = `Migrations: ${counted(watched, 'resource')} ${watched === 1 ? 'is' : 'are'} watched${hasEvents ? ' (not events: they expire)' : ''}, and ${
    unclean.length === 0
      ? 'none may have objects in an old version or key'
      : `${unclean.length} may have objects in an old version or key: ${shownNames(unclean)}`
  }`
  const runs = underWay.length === 0 ? '' : `; under way: ${underWay.slice(0, 5).join(', ')}${more(underWay)}`
  // Two clocks are compared, so the text says so.
  const since =
    controllersSilentSince === undefined
      ? ''
      : `, if this machine's clock is right (their Lease was last renewed at ${controllersSilentSince})`
  const idle =
    controllersAtWork === false
      ? `; no controllers are running${since}: start them with "strata controllers"`
      : ''
  return `${watchedText}${runs}${idle}.`
}

/** No controllers have ever run here. */
function renderUnwatched(unclean: readonly string[], stuck: readonly string[]): string {
  if (unclean.length === 0) return ''
  const first = unclean.some((each) => stuck.includes(each)) ? 'first do what is said above, then ' : ''
  return `Migrations: ${counted(unclean.length, 'resource')} may have objects in an old version or key: ${shownNames(unclean)}. No controllers are running to migrate them: ${first}strata migrate ${commandNames(unclean)}.`
}

const more = (underWay: readonly string[]): string =>
  underWay.length > 5 ? `, and ${underWay.length - 5} more` : ''
