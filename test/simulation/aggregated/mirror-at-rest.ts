import type { MemoryData } from '@strata/server/store'
import { leaseIn, parseBytes, recordIn } from '../checkers/stored-json.ts'
import { aggregatedRecord, agreementPrefix, leasePrefix, storageVersionPrefix } from '../keys.ts'

/** What the aggregator shows otherwise than the origins have it, when nothing goes wrong any more. */
export function unsettledMirror(aggregator: MemoryData, origins: readonly MemoryData[]): readonly string[] {
  const [object] = aggregator.read([`${storageVersionPrefix}${aggregatedRecord}`]).entries
  const { metadata = {}, status = {} } = object ? parseBytes(object.value) : {}
  const { storageVersions = [], commonEncodingVersion: common } = status
  const states = origins.map(stateOf).sort((a, b) => (a.named.origin < b.named.origin ? -1 : 1))
  const want = JSON.stringify(states.map(({ named }) => named))
  const have: string = metadata.annotations?.['strata.dev/origins'] ?? 'nothing'
  const problems = want === have ? [] : [`the mirror names ${have}; the records are ${want}`]
  const servers = mirroredServers(aggregator)
  const shown = storageVersions
    .map((each: Shown) => `${servers.get(each.apiServerID) ?? each.apiServerID}=${each.encodingVersion}`)
    .sort()
  const entries = states.flatMap((each) => each.entries).sort()
  if (shown.join() !== entries.join()) problems.push(`the mirror shows ${shown}; the records have ${entries}`)
  const versions = new Set(entries.map((each) => each.split('=')[1]))
  const [only] = versions
  if (common !== (versions.size === 1 ? only : undefined)) problems.push(`the mirror has ${common} in common`)
  const holders = [...servers.values()].sort()
  const live = states.flatMap((each) => each.leases).sort()
  if (holders.join() !== live.join()) problems.push(`Leases of ${holders} are mirrored; there are ${live}`)
  return problems
}

interface Shown {
  readonly apiServerID: string
  readonly encodingVersion: string
}

const identity = 'apiserver.kubernetes.io/identity'

/** By the names of their mirrored Leases. */
function mirroredServers(data: MemoryData): ReadonlyMap<string, string> {
  const leases = data.list({ prefix: leasePrefix }).entries.map(({ value }) => leaseIn(value))
  return new Map(
    leases
      .filter(({ metadata }) => metadata.labels?.[identity] === 'aggregated-apiserver')
      .map(({ metadata }) => [metadata.name ?? '', metadata.annotations?.['strata.dev/origin-server'] ?? '']),
  )
}

function stateOf(data: MemoryData) {
  const [namespace, entry] = data.read([
    '/registry/namespaces/kube-system',
    `${agreementPrefix}${aggregatedRecord}`,
  ]).entries
  const record = entry && recordIn(entry.value)
  const leases = data.list({ prefix: leasePrefix }).entries.map(({ value }) => leaseIn(value))
  return {
    named: {
      origin: namespace ? parseBytes(namespace.value).metadata.uid : '',
      recordUID: record?.metadata.uid ?? '',
      epoch: record?.status.epoch ?? 0,
      resourceVersion: String(entry?.revision),
    },
    entries: (record?.status.servers ?? []).map((each) => {
      const { encodingVersion, decodableVersions, preferredVersion = encodingVersion } = each
      const version = decodableVersions.includes(encodingVersion) ? encodingVersion : preferredVersion
      return `${each.serverID}=${version}`
    }),
    leases: leases
      .filter(({ metadata }) => metadata.labels?.[identity] === 'kube-apiserver')
      .map(({ metadata }) => metadata.name ?? ''),
  }
}
