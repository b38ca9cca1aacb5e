import { groupResourceText, type Lease, type StorageAgreement, versionNameOf } from '@strata/api'
import { type FleetStatus, shownNames, shownServer } from '@strata/insight'
import type { Observed } from '../../live/observed.ts'
import type { TimelineEvent } from './timeline-event.ts'

/** What the objects themselves tell of the time before the page was opened. */
export function eventsBefore(observed: Observed, { servers }: FleetStatus): readonly TimelineEvent[] {
  const joined = servers.flatMap((server): readonly TimelineEvent[] => {
    const since = server.since ?? createdAt(observed.leases.objects, server.serverID)
    if (since === undefined) return []
    const release = server.release === undefined ? '' : `, release ${server.release}`
    const text = `${shownServer(server)} joined${release}`
    return [
      { id: `joined ${server.serverID}`, atMs: Date.parse(since), lane: 'servers', tone: 'plain', text },
    ]
  })
  return [...joined, ...agreements(observed.records.objects), ...gaps(observed.records.objects)]
}

const createdAt = (leases: readonly Lease[], name: string): string | undefined =>
  leases.find(({ metadata }) => metadata.name === name)?.metadata.creationTimestamp

/** Many records change in the same second: those are one event. */
function agreements(records: readonly StorageAgreement[]): readonly TimelineEvent[] {
  const known = records.flatMap(({ spec, status: { agreedVersion, agreedSince } }) =>
    agreedVersion === undefined || agreedSince === undefined
      ? []
      : [{ resource: groupResourceText(spec), version: versionNameOf(agreedVersion), since: agreedSince }],
  )
  return [...Map.groupBy(known, ({ version, since }) => `${since} ${version}`)].map(([id, each]) => {
    const [{ resource, version, since } = { resource: '', version: '', since: '' }] = each
    const text = `${shownNames(each.map((one) => one.resource))}: agreed ${version}`
    const event = { id, atMs: Date.parse(since), lane: 'resources', tone: 'good', text } as const
    return each.length > 1 ? event : { ...event, layer: { resource, version } }
  })
}

function gaps(records: readonly StorageAgreement[]): readonly TimelineEvent[] {
  const known = records.flatMap(({ spec, status: { recordingGap: gap } }) =>
    gap ? [{ resource: groupResourceText(spec), gap }] : [],
  )
  return [...Map.groupBy(known, ({ gap }) => `${gap.at} ${gap.message}`)].map(([id, each]) => ({
    ...{ id, atMs: Date.parse(each[0]?.gap.at ?? ''), lane: 'faults', tone: 'left' },
    text: `${shownNames(each.map(({ resource }) => resource))}: recording gap: ${each[0]?.gap.message ?? ''}`,
  }))
}
