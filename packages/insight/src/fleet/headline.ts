import { versionNameOf } from '@strata/api'
import { formatAge } from '../text/age.ts'
import { counted } from '../text/counted.ts'
import type { FleetStatus } from './fleet-status.ts'
import { commandNames, shownNames } from './group-texts.ts'
import { type ResourceStatus, writeRefusals } from './resource-status.ts'
import type { ServerStatus } from './server-status.ts'

/**
 * From the best to the worst: all is agreed and nothing is stale; agreed, and something is left to do; not agreed, which is
 * normal during an upgrade; objects are lost for some clients; nothing is known.
 */
export type Tone = 'good' | 'left' | 'disagreed' | 'alarm' | 'unknown'

/** The one sentence about a fleet, in parts: what is so, since when, of what, why, and what to do. */
export interface Headline {
  readonly tone: Tone
  readonly what: string
  readonly since?: string | undefined
  /** The resources that it is about. Empty if it is about all of them, or about none. */
  readonly resources: readonly string[]
  readonly because?: string | undefined
  readonly advice?: string | undefined
}

/** The worst that is so. The rest stands in the status, and is shown below it. */
export function decideHeadline(status: FleetStatus): Headline {
  return (
    unseen(status) ??
    unreadable(status) ??
    notServed(status) ??
    refused(status) ??
    disagreed(status) ??
    incomplete(status) ??
    undecodable(status) ??
    silent(status) ??
    undecided(status) ??
    stale(status) ?? {
      tone: 'good',
      what: `${all(status)}, and nothing is ${isProven(status) ? '' : 'known to be '}stored in an old version`,
      resources: [],
    }
  )
}

/** A migration that was accepted without a proof is not counted as stale, but its record still lists the old version. */
const isProven = ({ resources }: FleetStatus): boolean =>
  resources.every(({ persistedVersions }) => persistedVersions.length === 1)

/** `1 of 23 resources disagrees, for 42s: beacons. S1 writes v2, S2 and S3 write v1. Finish the upgrade or roll it back.` */
export const headlineText = (headline: Headline, nowMs: number): string =>
  headlineParts(headline, nowMs)
    .filter((part) => part !== '')
    .join(' ')

/** What is so, and why and what to do; the second is empty if there is nothing to say. */
export function headlineParts(
  { what, since, resources, because, advice }: Headline,
  nowMs: number,
): readonly [first: string, rest: string] {
  const age = since === undefined ? '' : `, for ${formatAge(since, nowMs)}`
  const names = resources.length === 0 ? '' : `: ${shownNames(resources)}`
  const rest = [because, advice].filter((part) => part !== undefined && part !== '')
  return [sentence(`${what}${age}${names}`), rest.map(sentence).join(' ')]
}

/** With a capital and a full stop, unless it ends as a question. */
export function sentence(text = ''): string {
  const begun = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
  return /[.?!]$/.test(begun) ? begun : `${begun}.`
}

function unseen({ unseen: sight }: FleetStatus): Headline | undefined {
  if (!sight) return undefined
  return {
    ...{ tone: 'unknown', what: 'no server answers', since: sight.since, resources: [] },
    ...{ because: sight.because, advice: 'what is shown is from before that' },
  }
}

/** About the resources that have such texts; the reason is that of the first. */
function alarm(
  { resources }: FleetStatus,
  textsOf: (each: ResourceStatus) => readonly string[] | undefined,
  what: (count: string, are: 'is' | 'are') => string,
  tone: Tone = 'alarm',
): Headline | undefined {
  const bad = resources.filter((each) => (textsOf(each) ?? []).length > 0)
  const [first] = bad.flatMap((each) => textsOf(each) ?? [])
  if (first === undefined) return undefined
  const count = `${bad.length} of ${counted(resources.length, 'resource')}`
  return {
    ...{ tone, what: what(count, bad.length === 1 ? 'is' : 'are'), because: first },
    resources: bad.map(({ resource }) => resource),
  }
}

const unreadable = (status: FleetStatus): Headline | undefined =>
  alarm(
    status,
    (each) => each.unreadable,
    (count) => `unreadable objects are being written of ${count}`,
  )

const notServed = (status: FleetStatus): Headline | undefined =>
  alarm(
    status,
    (each) => each.notServed,
    (count, are) => `${count} ${are} not served by every server`,
  )

const refused = (status: FleetStatus): Headline | undefined =>
  alarm(status, writeRefusals, (count) => `writes of ${count} are refused`, 'disagreed')

const undecodable = (status: FleetStatus): Headline | undefined =>
  alarm(
    status,
    (each) => each.undecodable,
    (count) => `objects of ${count} may be stored that a server cannot decode`,
    'left',
  )

function disagreed({ resources, servers, problems }: FleetStatus): Headline | undefined {
  const bad = resources.filter(({ agreed }) => !agreed)
  // Different versions first: that is what servers have to agree on. Then the rarest reason, which would get lost.
  const groups = [...Map.groupBy(bad, reasonOf(servers)).entries()].sort(
    ([a, first], [b, second]) =>
      rank(first) - rank(second) || first.length - second.length || (a < b ? -1 : 1),
  )
  const [main] = groups
  if (main === undefined) return undefined
  const [because, named] = main
  const since = named.flatMap(({ disagreedSince }) => disagreedSince ?? []).sort()[0]
  const others = groups.length === 1 ? [] : [`${bad.length - named.length} more for other reasons`]
  const isUpgrade = rank(named) === 0
  return {
    tone: 'disagreed',
    what: `${bad.length} of ${counted(resources.length, 'resource')} ${bad.length === 1 ? 'disagrees' : 'disagree'}`,
    since,
    resources: named.map(({ resource }) => resource),
    because: [because, ...others, ...problems].join('; '),
    advice: isUpgrade ? 'finish the upgrade or roll it back' : undefined,
  }
}

const rank = (group: readonly ResourceStatus[]): number =>
  group.some((each) => writersOf(each).size > 1) ? 0 : 1

const reasonOf =
  (servers: readonly ServerStatus[]) =>
  (each: ResourceStatus): string => {
    const writers = writersOf(each)
    return writers.size > 1 ? whoWrites(writers, servers) : each.problems.join('; ')
  }

/** The servers of each version that is written. */
function writersOf({ servers }: ResourceStatus): ReadonlyMap<string, readonly string[]> {
  const writing = Object.entries(servers).flatMap(([serverID, entry]) =>
    entry && !entry.refusesWrites ? [{ serverID, version: versionNameOf(entry.encodes) }] : [],
  )
  const groups = Map.groupBy(writing, ({ version }) => version)
  return new Map([...groups].map(([version, each]) => [version, each.map(({ serverID }) => serverID)]))
}

/** `S1 writes v2, S2 and S3 write v1`: the smallest group first, which is the one that moved or stayed behind. */
function whoWrites(
  writers: ReadonlyMap<string, readonly string[]>,
  servers: readonly ServerStatus[],
): string {
  return [...writers]
    .map(([version, ids]) => ({
      version,
      names: servers.filter(({ serverID }) => ids.includes(serverID)).map(({ name }) => name),
    }))
    .sort((a, b) => a.names.length - b.names.length || (a.version > b.version ? -1 : 1))
    .map(({ version, names }) => `${listed(names)} ${names.length === 1 ? 'writes' : 'write'} ${version}`)
    .join(', ')
}

/** `S1, S2 and S3`. */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

/** Too few servers, no records, a named resource without one. */
function incomplete(status: FleetStatus): Headline | undefined {
  const [what, ...more] = status.problems
  if (what !== undefined) {
    return { tone: 'disagreed', what, resources: [], because: more.join('; ') || undefined }
  }
  const away = status.aggregated?.find((each) => !each.agreed)
  if (status.agreed || !away) return undefined
  return {
    ...{ tone: 'unknown', what: `the aggregated servers of ${away.group} do not agree`, resources: [] },
    because: away.unseen,
  }
}

/** Servers vote, and prefer different versions, or the vote is frozen. All go on writing the selected one. */
function undecided(status: FleetStatus): Headline | undefined {
  const open = status.resources.filter(({ selection }) => selection?.unanimous === false)
  const [note] = open.flatMap(({ selection }) => selection?.notes ?? [])
  if (note === undefined) return undefined
  return {
    tone: 'left',
    what: `${all(status)}; the vote on ${counted(open.length, 'resource')} is open`,
    resources: open.map(({ resource }) => resource),
    because: note,
  }
}

/** All agree, and objects may still be stored as before. */
function stale(status: FleetStatus): Headline | undefined {
  const { resources, migrations } = status
  const names =
    migrations?.unclean ??
    resources.filter((each) => each.persistedVersions.length > 1).map(({ resource }) => resource)
  if (names.length === 0) return undefined
  const { underWay = [], controllersAtWork } = migrations ?? {}
  return {
    tone: 'left',
    what: `${all(status)}; objects of ${counted(names.length, 'resource')} may still be stored in an old version or key`,
    resources: names,
    because: underWay.length === 0 ? undefined : `${counted(underWay.length, 'migration')} under way`,
    advice: adviceOn(names, underWay.length > 0, controllersAtWork),
  }
}

function adviceOn(
  names: readonly string[],
  isUnderWay: boolean,
  controllersAtWork: boolean | undefined,
): string | undefined {
  if (isUnderWay) return undefined
  if (controllersAtWork === true) return 'the controllers migrate them'
  const migrate = `strata migrate ${commandNames(names)}`
  return controllersAtWork === false
    ? `no controllers are running; to migrate them, run: ${migrate}`
    : `run: ${migrate}`
}

function silent(status: FleetStatus): Headline | undefined {
  const [first, ...more] = status.advice
  if (first === undefined) return undefined
  return { tone: 'left', what: all(status), resources: [], advice: [first, ...more].join('; ') }
}

const all = ({ resources: { length } }: FleetStatus): string =>
  length === 1 ? 'the one resource is agreed on' : `all ${length} resources agree`
