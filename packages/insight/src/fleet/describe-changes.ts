import { versionNameOf } from '@strata/api'
import { counted } from '../text/counted.ts'
import type { AggregatedStatus } from './aggregated-status.ts'
import { describeServerChanges } from './describe-server-changes.ts'
import type { FleetStatus } from './fleet-status.ts'
import { shownNames } from './group-texts.ts'
import { type ResourceStatus, writeRefusals } from './resource-status.ts'
import { namedServers, type ServerStatus, shownServer } from './server-status.ts'

/**
 * One line per change between two observations. The same change of many resources is one line: a server that joins adds
 * itself to a hundred records. Ages are no change.
 */
export function describeChanges(before: FleetStatus | undefined, after: FleetStatus): string[] {
  if (!before)
    return [
      describeServersAtFirst(after),
      ...describeAll(undefined, after),
      ...describeAggregatedChanges(undefined, after),
      ...verdict(undefined, after),
    ]
  return [
    ...describeSight(before, after),
    ...describeServerChanges(before.servers, after.servers).map(({ text }) => text),
    ...describeAll(before, after),
    ...describeAggregatedChanges(before, after),
    ...verdict(before, after),
  ]
}

/** Each group by itself: its servers may go away, and then nothing is known of its resources. */
function describeAggregatedChanges(before: FleetStatus | undefined, after: FleetStatus): string[] {
  const known = new Map(before?.aggregated?.map((each) => [each.group, each]))
  const now = new Set(after.aggregated?.map(({ group }) => group))
  const gone = [...known.keys()].filter((group) => !now.has(group))
  return [
    ...(after.aggregated ?? []).flatMap((each) => describeGroupChange(known.get(each.group), each)),
    ...gone.map((group) => `aggregated ${group}: not served any more`),
  ]
}

function describeGroupChange(before: AggregatedStatus | undefined, after: AggregatedStatus): string[] {
  const { group, unseen } = after
  if (unseen !== undefined) {
    return before?.unseen === undefined ? [`aggregated ${group}: not seen, nothing is known: ${unseen}`] : []
  }
  const isSeenAgain = before?.unseen !== undefined
  // Against an empty picture each resource would be new: only what is not agreed is named.
  const was = isSeenAgain ? undefined : before
  const changes = describeAll(was, after).map((line) => `aggregated ${line}`)
  return [...(isSeenAgain ? [`aggregated ${group}: seen again`] : []), ...changes]
}

type Resources = Pick<FleetStatus, 'resources' | 'servers'>

function describeServersAtFirst({ servers }: FleetStatus): string {
  const names = servers.map(
    (each) =>
      `${shownServer(each)}${each.release === undefined ? '' : ` ${each.release}`}${each.silentSeconds === undefined ? '' : ' (silent)'}`,
  )
  return names.length === 0
    ? 'no servers'
    : `${names.length === 1 ? 'server' : 'servers'}: ${names.join(', ')}`
}

function describeSight({ unseen: before }: FleetStatus, { unseen }: FleetStatus): string[] {
  if (!before && unseen) return [`cannot see the fleet, trying again: ${unseen.because}`]
  return before && !unseen ? ['the fleet is seen again'] : []
}

function verdict(before: FleetStatus | undefined, after: FleetStatus): string[] {
  if (after.unseen) return []
  const said = (status: FleetStatus): string => {
    if (status.agreed) return 'agreed'
    const bad = status.resources.filter(({ agreed }) => !agreed).length
    return bad > 0
      ? `${bad} of ${counted(status.resources.length, 'resource')} ${bad === 1 ? 'is' : 'are'} not agreed`
      : status.problems.join('; ')
  }
  const now = said(after)
  if (now === '' || (before && !before.unseen && now === said(before))) return []
  return [after.agreed ? `all agreed: ${counted(after.resources.length, 'resource')}` : now]
}

function describeAll(before: Resources | undefined, after: Resources): string[] {
  return groupResourceChanges(before, after).map(({ text, names }) => `${shownNames(names)}: ${text}`)
}

interface ResourceChange {
  readonly text: string
  /** Some clients cannot read or write now, or read what is wrong. */
  readonly isAlarm: boolean
}

/** The same change, and the resources of which that is so. */
export interface GroupedChange extends ResourceChange {
  readonly names: readonly string[]
}

/** What has changed, each change once. */
export function groupResourceChanges(
  before: Resources | undefined,
  after: Resources,
): readonly GroupedChange[] {
  const known = new Map(before?.resources.map((each) => [each.resource, each]))
  const changes: (ResourceChange & { readonly resource: string })[] = []
  for (const each of after.resources) {
    const was = known.get(each.resource)
    known.delete(each.resource)
    for (const change of describeResourceChanges(was, each, after.servers, before === undefined))
      changes.push({ ...change, resource: each.resource })
  }
  for (const resource of known.keys()) changes.push({ ...calm('not served any more'), resource })
  return [...Map.groupBy(changes, ({ text }) => text)].map(([text, same]) => ({
    ...{ text, isAlarm: same.some(({ isAlarm }) => isAlarm) },
    names: same.map(({ resource }) => resource),
  }))
}

function describeResourceChanges(
  before: ResourceStatus | undefined,
  after: ResourceStatus,
  servers: readonly ServerStatus[],
  atFirst: boolean,
): ResourceChange[] {
  const agreement = describeAgreement(before, after, servers)
  // At first only problems have a line; the verdict counts the rest.
  return [
    ...(atFirst && after.agreed ? [] : agreement).map(calm),
    ...describeSelectionChange(before, after).map(calm),
    ...begun(
      before?.unreadable,
      after.unreadable,
      'UNREADABLE OBJECTS ARE BEING WRITTEN',
      'every server can read what is written now',
    ),
    ...begun(before?.notServed, after.notServed, 'NOT SERVED', 'every server serves it again'),
    ...begun(
      before && writeRefusals(before),
      writeRefusals(after),
      'WRITES REFUSED',
      'no server refuses writes any more',
    ),
    ...describeGap(before, after, servers).map(calm),
    ...describeFence(before, after, atFirst).map(calm),
  ]
}

const calm = (text: string): ResourceChange => ({ text, isAlarm: false })

function describeAgreement(
  before: ResourceStatus | undefined,
  after: ResourceStatus,
  servers: readonly ServerStatus[],
): string[] {
  const was = before && standing(before)
  const is = standing(after)
  const why = after.agreed ? '' : `${newEncodings(before, after, servers)}: ${after.problems.join('; ')}`
  if (was === is && (before?.problems.join() ?? '') === after.problems.join()) return []
  if (was === undefined) return [`${is}${why}`]
  return [was === is ? `still ${is}${why}` : `${was} → ${is}${why}`]
}

function standing({ agreedVersion }: ResourceStatus): string {
  return agreedVersion === undefined ? 'disagreed' : `agreed ${versionNameOf(agreedVersion)}`
}

/** ` (S2 (b) encodes v2)`: servers whose entry is new or has changed. */
function newEncodings(
  before: ResourceStatus | undefined,
  after: ResourceStatus,
  servers: readonly ServerStatus[],
): string {
  if (!before) return ''
  const moved = servers.flatMap((server) => {
    const is = after.servers[server.serverID]?.encodes
    if (is === undefined || is === before.servers[server.serverID]?.encodes) return []
    return [`${shownServer(server)} encodes ${versionNameOf(is)}`]
  })
  return moved.length === 0 ? '' : ` (${moved.join(', ')})`
}

function describeSelectionChange(
  before: ResourceStatus | undefined,
  { selection }: ResourceStatus,
): string[] {
  if (!selection) return before?.selection ? ['no server votes any more'] : []
  const was = before?.selection
  const name = versionNameOf(selection.selectedVersion)
  const moved =
    was?.selectedVersion === selection.selectedVersion || (!was && selection.unanimous && !before)
      ? []
      : [was ? `selected ${versionNameOf(was.selectedVersion)} → selected ${name}` : `selected ${name}`]
  const news = selection.notes.filter((note) => !was?.notes.includes(note)).map(voteLine)
  // After a mere freeze no candidate has changed. Without the version the line is the same for all resources.
  const wasOnlyFrozen = moved.length === 0 && was?.notes.every(isAboutFreezing)
  const end = wasOnlyFrozen ? 'the vote is not frozen any more' : `vote: all servers prefer ${name}`
  const settled = was?.unanimous === false && selection.unanimous ? [end] : []
  return [...moved, ...news, ...settled]
}

const isAboutFreezing = (note: string): boolean => note.startsWith('the vote is frozen')

function voteLine(note: string): string {
  return isAboutFreezing(note) ? note : `vote: ${note}`
}

/** An alarm begins in capitals, so that it is not overlooked in a terminal. */
function begun(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  head: string,
  over: string,
): ResourceChange[] {
  const was = before ?? []
  const is = after ?? []
  if (was.length > 0 && is.length === 0) return [calm(over)]
  return is.filter((text) => !was.includes(text)).map((text) => ({ text: `${head}: ${text}`, isAlarm: true }))
}

function describeGap(
  before: ResourceStatus | undefined,
  { recordingGap: gap }: ResourceStatus,
  servers: readonly ServerStatus[],
): string[] {
  if (!gap || !before || before.recordingGap?.epoch === gap.epoch) return []
  return [`recording gap: ${namedServers(gap.message, servers)}`]
}

function describeFence(
  before: ResourceStatus | undefined,
  { fenced }: ResourceStatus,
  atFirst: boolean,
): string[] {
  if (atFirst ? fenced : (before?.fenced ?? true) === fenced) return []
  return [
    fenced
      ? 'every write is guarded again'
      : 'not every write is guarded any more: agreement is observed, not proven',
  ]
}
