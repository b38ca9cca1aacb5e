import { chance, integer, pick } from '@strata/world'
import type { SimRandom } from '@strata/world/sim'

/** Two releases, mostly neighbours, and the versions in which clients of both can speak. */
export interface ReleasePair {
  readonly older: string
  readonly newer: string
  readonly served: readonly [string, ...string[]]
}

/** Each can decode what the other writes. Between x+1 and x+2 the encoding version changes: the hard one. */
export const releasePairs = {
  first: { older: 'x', newer: 'x+1', served: ['v1'] },
  switch: { older: 'x+1', newer: 'x+2', served: ['v1', 'v2'] },
  last: { older: 'x+2', newer: 'x+3', served: ['v2'] },
} as const satisfies Record<string, ReleasePair>

/** One is left out, and the newer cannot read what the older writes. Operators should not do that; no server may write then. */
export const releasesTooFar: ReleasePair = { older: 'x+1', newer: 'x+3', served: ['v2'] }

/** How a server takes part in agreement. */
export interface Part {
  readonly form: 'report' | 'vote'
  readonly guarantee: 'strict' | 'loose'
  /** False: it does not record what it writes (the gate StorageVersionAPI is off, rule 18). */
  readonly records?: false
  /** False: it has no Lease either (the gate APIServerIdentity is off as well). */
  readonly identity?: false
}

/** What kind of trouble a run is mostly about. One seed gets one of them, so that each is met often. */
export type Theme = 'anything' | 'zombies' | 'twins' | 'rollouts' | 'upgrades' | 'storms' | 'calm'

/** What a world looks like before anything happens in it. */
export interface Shape {
  readonly instances: readonly string[]
  readonly releases: ReleasePair
  readonly firstRelease: string
  readonly leaseDurationSeconds: number
  readonly renewIntervalSeconds: number
  readonly clients: number
  /** How long each of them rests between two operations, on average; drawn for each if not given. */
  readonly clientRestMs?: number
  /** Clients patch and apply, too. */
  readonly patches: boolean
  /** Clients write the status subresource, of a built-in kind too. */
  readonly statuses: boolean
  /** How many follow a collection by list and watch. */
  readonly watchers: number
  /** Several servers on one host, told apart by their instance. */
  readonly oneHost: boolean
  /** No server can prove that another process has ended. */
  readonly cannotTell: boolean
  /** How the store numbers the writes of one commit. */
  readonly revisions: 'shared' | 'each'
  /**
   * Which of the built-in kinds the servers have: all, or those alone that agreement is made of and that clients write.
   * The others are agreed on in the same way, which is most of the work of a world and nothing that is looked at.
   */
  readonly kinds: 'all' | 'few'
  /** Custom resources are defined, changed and deleted while all of this goes on. */
  readonly definitions: boolean
  /** A client changes them all the time. */
  readonly definer: boolean
  /** How long it rests between two changes, on average; drawn if not given. */
  readonly definerRestMs?: number
  /**
   * A migrator runs all the time, and is killed now and then: it works through the API, next to the data, or both by turns. Or
   * the controllers migrate, as in a cluster.
   */
  readonly migrations: 'none' | 'engine' | 'bulk' | 'both' | 'controllers'
  /** A client takes a census of the stored objects, again and again. */
  readonly censuses: boolean
  /** What is stored is encrypted, and an operator rotates the keys all the time. */
  readonly keys: boolean
  /** A KMS holds some of the keys, and rotates its own. */
  readonly kms: boolean
  /** How many times as often as the weather says a commit arrives up to minutes late, also that of a server that has died. */
  readonly lateCommits: number
  /** A server is replaced by one of the same identity that has other gates. */
  readonly gatesChange: boolean
  /** How often the store is restored from a backup. */
  readonly restores: number
  /** --expected-servers of every server; 0 for none. */
  readonly expectedServers: number
  /** EnableCoordinatedDiscoveryDocument: each server says which documents it serves, and whether all serve the same. */
  readonly coordinatedDiscovery: boolean
  /** What removes dead servers: programs of their own, the servers themselves, or both at once. */
  readonly collectors: 'controllers' | 'servers' | 'both'
  /** How the servers take part, in turn. */
  readonly parts: readonly [Part, ...Part[]]
  /** Servers are rolled from reporting to voting and back. */
  readonly rollsForms: boolean
  /** How many servers the fleet behind this one has, over a store of its own; 0: this one is no aggregator. */
  readonly aggregated: number
  /** What happens there mostly; drawn if not given. */
  readonly aggregatedTheme?: Theme
  /** A second fleet, over yet another store, answers for the same kind. */
  readonly twoOrigins?: boolean
  readonly theme: Theme
  readonly troubleMs: number
}

/** No clock runs faster than this, nor slower than its inverse. */
export const fastestClock = 1.04

const report: Part = { form: 'report', guarantee: 'strict' }
const vote: Part = { form: 'vote', guarantee: 'strict' }
const loose = ({ form }: Part): Part => ({ form, guarantee: 'loose' })

/** Some worlds of each kind, and some in which the servers are not of one kind. */
export const partsOf = {
  report: [report],
  vote: [vote],
  mixed: [vote, report, vote],
  loose: [loose(vote)],
  'loose-report': [loose(report)],
  'some-loose': [vote, loose(vote), report],
  /** One loose server: once it is gone, the others can reach a fenced agreement. */
  'one-loose': [report, loose(report)],
  'some-unrecorded': [report, { ...report, records: false }, vote],
  'some-unseen': [report, { ...report, records: false, identity: false }, vote],
  /** What each of them reads stands in another place: an entry, a Lease, a statement in the record (rules 17 and 18). */
  'each-gate': [report, { ...report, records: false }, { ...report, records: false, identity: false }],
} as const satisfies Record<string, readonly [Part, ...Part[]]>

export function partOf({ instances, parts }: Pick<Shape, 'instances' | 'parts'>, instance: string): Part {
  return parts[Math.max(0, instances.indexOf(instance)) % parts.length] ?? parts[0]
}

function chooseParts(random: SimRandom): Pick<Shape, 'parts' | 'rollsForms'> {
  const { report, vote, mixed, loose, 'loose-report': looseReport, 'some-loose': someLoose } = partsOf
  const { 'one-loose': oneLoose, 'some-unrecorded': someUnrecorded, 'some-unseen': someUnseen } = partsOf
  const parts = pick(random, [
    report,
    report,
    report,
    vote,
    vote,
    vote,
    mixed,
    mixed,
    loose,
    looseReport,
    someLoose,
    oneLoose,
    someUnrecorded,
    someUnseen,
  ])
  return { parts, rollsForms: chance(random, 0.4) }
}

/** In some worlds a server of each kind of gates writes under keys; chance alone hardly puts these together. */
function chooseGates(random: SimRandom): Partial<Shape> {
  if (!chance(random, 0.04)) return {}
  return {
    parts: partsOf['each-gate'],
    instances: ['a', 'b', 'c', 'd', 'e'].slice(0, 3 + integer(random, 3)),
    keys: true,
  }
}

/** In some worlds another fleet is behind this one. Of the rest, those have what matters there. */
function chooseAggregated(random: SimRandom, { aggregated }: Partial<Shape>): Partial<Shape> {
  const servers = aggregated ?? (chance(random, 1 / 8) ? 1 + integer(random, 3) : 0)
  if (servers === 0) return { aggregated: 0 }
  return {
    ...{
      aggregated: servers,
      keys: false,
      definitions: false,
      restores: 0,
      kinds: 'few',
      gatesChange: false,
    },
    migrations: pick(random, ['both', 'both', 'controllers', 'controllers']),
  }
}

export function chooseShape(random: SimRandom, fixed: Partial<Shape> = {}): Shape {
  const releases = pick(random, [
    releasePairs.switch,
    releasePairs.switch,
    releasePairs.switch,
    releasePairs.first,
    releasePairs.last,
  ])
  const themes = ['anything', 'anything', 'zombies', 'twins', 'rollouts', 'storms', 'calm'] as const
  const chosen = {
    instances: ['a', 'b', 'c', 'd', 'e'].slice(0, 2 + integer(random, 4)),
    releases,
    leaseDurationSeconds: 20 + 10 * integer(random, 4),
    renewIntervalSeconds: 5,
    clients: 2 + integer(random, 2),
    oneHost: chance(random, 0.3),
    cannotTell: chance(random, 0.3),
    revisions: chance(random, 0.5) ? ('shared' as const) : ('each' as const),
    theme: pick(random, themes),
    kinds: chance(random.fork('kinds'), 0.04) ? ('all' as const) : ('few' as const),
    definitions: chance(random.fork('definitions'), 0.5),
    definer: true,
    watchers: 2,
    patches: chance(random.fork('patches'), 0.5),
    statuses: chance(random.fork('statuses'), 0.4),
    migrations: pick(random.fork('migrations'), ['none', 'none', 'both', 'controllers'] as const),
    censuses: chance(random.fork('censuses'), 0.3),
    keys: chance(random.fork('keys'), 0.25),
    kms: chance(random.fork('kms'), 0.4),
    collectors: pick(random.fork('collectors'), ['controllers', 'controllers', 'servers', 'both'] as const),
    lateCommits: chance(random.fork('late commits'), 0.5) ? 1 : 0,
    gatesChange: chance(random.fork('gates'), 0.2),
    ...chooseParts(random.fork('parts')),
    troubleMs: 1000 * (80 + integer(random, 100)),
    ...chooseGates(random.fork('each gate')),
    aggregated: 0,
    ...chooseAggregated(random.fork('aggregated'), fixed),
    ...fixed,
  }
  const { older, newer } = chosen.releases
  const expectedServers = chance(random.fork('expected servers'), 0.15) ? chosen.instances.length : 0
  // A server without an identity takes no part in coordinated discovery, and does not serve its kinds.
  const isUnseen = chosen.gatesChange || chosen.parts.some((part) => 'identity' in part)
  const coordinatedDiscovery = !isUnseen && chance(random.fork('coordinated discovery'), 0.15)
  // A backup brings back what is under keys that were dropped since, on proof: no rotation survives that.
  const mayRestore = !chosen.keys && chance(random.fork('restores'), 0.2)
  const restores = mayRestore ? 1 + integer(random.fork('how many restores'), 2) : 0
  const drawn = {
    restores,
    firstRelease: chance(random, 0.7) ? older : newer,
    expectedServers,
    coordinatedDiscovery,
  }
  return { ...drawn, ...chosen }
}
