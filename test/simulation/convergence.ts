import { isIdentityLease, type Lease, type StorageAgreement } from '@strata/api'
import { leaseIn, recordIn } from './checkers/stored-json.ts'
import { definitionsIn, unsettledDefinitions } from './definitions-at-rest.ts'
import { agreementPrefix, customGroup, leasePrefix } from './keys.ts'
import { unsettledReports } from './reports-at-rest.ts'
import type { World as WholeWorld } from './world/world.ts'

/** One fleet and its store. */
type World = Pick<WholeWorld, 'fleet' | 'data' | 'shape' | 'controllers' | 'history'>

/** Where no program collects and every server has its gates off, what dead servers left stays until one has them on. */
export function isCollected({ fleet, controllers }: World): boolean {
  return (
    controllers().length > 0 ||
    fleet.alive.some(({ part }) => part.records !== false && part.identity !== false)
  )
}

/**
 * Names of processes without an identity that have ended, by record: each keeps all servers from agreeing (rule 18). A
 * later run of its server removes it, whether or not anything collects.
 */
export function endedNames(world: World): ReadonlyMap<string, readonly string[]> {
  const { fleet, data } = world
  const alive = fleet.alive.map(({ run }) => run.process)
  const isReplaced = (name: string): boolean =>
    fleet.alive.some(({ run }) => name.startsWith(`${run.serverID}_`))
  const mustGo = (name: string): boolean => !alive.includes(name) && (isCollected(world) || isReplaced(name))
  const all = data.list({ prefix: agreementPrefix }).entries.map(({ value }) => recordIn(value))
  return new Map(
    all
      .map(
        ({ metadata, status }) =>
          [metadata.name ?? '', (status.unseenProcesses ?? []).filter(mustGo)] as const,
      )
      .filter(([, names]) => names.length > 0),
  )
}

/**
 * What is still not as it must be when nothing goes wrong any more: all servers ready, the records show exactly
 * them, and what they say is agreed if they all say the same. Empty when everything has come to rest.
 */
export function unsettled(world: World, instances: readonly string[] = world.shape.instances): string[] {
  const { fleet, data } = world
  const problems: string[] = unsettledDefinitions(world)
  const established = new Set(
    [...definitionsIn(data)]
      .filter(([, each]) => each.isEstablished)
      .map(([plural]) => `${customGroup}.${plural}`),
  )
  for (const instance of instances) {
    const members = fleet.alive.filter((member) => member.instance === instance)
    if (members.length !== 1) problems.push(`${members.length} processes run as ${instance}`)
    for (const { server, process } of members) if (!server.ready) problems.push(`${process.id} is not ready`)
  }
  const alive = fleet.alive.map(({ run }) => run.process).sort()
  const recording = fleet.alive
    .filter(({ part }) => part.records !== false)
    .map(({ run }) => run.process)
    .sort()

  const counts = (process: string): boolean => isCollected(world) || alive.includes(process)
  const leases = data
    .list({ prefix: leasePrefix })
    .entries.map((entry) => leaseIn(entry.value))
    .filter(isIdentityLease)
  // A server without an identity holds no Lease.
  const seen = fleet.alive
    .filter(({ part }) => part.identity !== false)
    .map(({ run }) => run.process)
    .sort()
  const holders = leases
    .map(({ spec }: Lease) => spec?.holderIdentity ?? '')
    .filter(counts)
    .sort()
  if (holders.join() !== seen.join()) problems.push(`Leases of ${holders}; alive are ${seen}`)

  problems.push(...unsettledReports(world))

  const records = data.list({ prefix: agreementPrefix }).entries.map((entry) => recordIn(entry.value))
  if (records.length === 0) problems.push('there is no agreement record')
  for (const [name, ended] of endedNames(world)) {
    problems.push(`${name} names ${ended}, without an identity; they have ended`)
  }
  for (const { metadata, status } of records as StorageAgreement[]) {
    const entries = status.servers
      .map(({ process }) => process)
      .filter(counts)
      .sort()
    const { name = '' } = metadata
    // No server writes a resource whose CRD is gone.
    const expected = name.startsWith(customGroup) && !established.has(name) ? [] : recording
    if (entries.join() !== expected.join())
      problems.push(`${name} shows ${entries}; expected are ${expected}`)
    const writers = status.servers.filter(({ refusesWrites }) => !refusesWrites)
    const versions = new Set(writers.map(({ encodingVersion }) => encodingVersion))
    const [only] = versions
    const candidates = new Set(status.servers.map((each) => each.preferredVersion ?? each.encodingVersion))
    const [wanted] = candidates
    // While one lives that has no candidate, nothing is selected anew (rule 12).
    const isFrozen = status.encodings.includes('unrecorded')
    const isMoved = status.selectedVersion !== undefined && status.selectedVersion !== wanted
    if (isMoved && candidates.size === 1 && !isFrozen) {
      problems.push(`${name} has ${status.selectedVersion} selected, although all are for ${wanted}`)
    }
    const writeKeys = new Set(writers.map(({ writeKey }) => writeKey))
    // Nor is a key used while a live server does not state its keys (rule 17): a late server waits, and its entry says so.
    const mayWait = isFrozen && writers.some(({ wantedKey }) => wantedKey !== undefined)
    if (writeKeys.size > 1 && !mayWait)
      problems.push(`${name} is written under ${[...writeKeys].join(' and ')}`)
    const isUnrecorded = recording.length < alive.length
    if (isUnrecorded && status.agreedVersion !== undefined) {
      problems.push(`${name} is agreed on although a server writes without recording it`)
    }
    if (!isUnrecorded && versions.size === 1 && status.agreedVersion !== only) {
      const why = status.conditions.map(({ type, message }) => `${type}: ${message}`).join('; ')
      problems.push(`${metadata.name} is not agreed although all say ${only}: ${why}`)
    }
    if (versions.size > 1 && status.agreedVersion !== undefined) {
      problems.push(`${metadata.name} is agreed on ${status.agreedVersion}, but some say otherwise`)
    }
  }
  return problems
}
