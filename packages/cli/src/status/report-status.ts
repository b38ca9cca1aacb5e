import type { FleetStatus } from '@strata/insight'
import { type ResourceStatus, writeRefusals } from '@strata/insight'
import type { Report, Result } from '../output/report.ts'
import { type RenderOptions, sectionsOfStatus } from './render-status.ts'

/** A status as a report. Where several clusters are shown, each has one row. */
export function reportStatus(status: FleetStatus, options: RenderOptions): Report {
  const { agreed, servers, resources, aggregated = [] } = status
  const results = [
    ...resources.map(resultOf),
    ...status.problems.map((message) => ({
      ...{ level: 'failed' as const, rule: 'incomplete', subject: 'fleet', message },
    })),
    ...aggregated.flatMap(({ group, unseen, resources: theirs }) =>
      unseen === undefined
        ? theirs.map(resultOf)
        : [{ level: 'unknown' as const, rule: 'not seen', subject: group, message: unseen }],
    ),
  ]
  const releases = [...new Set(servers.map(({ release }) => release ?? '?'))].sort().join(', ')
  const disagreed = resources.filter((each) => !each.agreed).length
  return {
    command: 'status',
    sections: sectionsOfStatus(status, Date.parse(status.observedAt), options),
    overview: {
      columns: ['AGREED', 'SERVERS', 'RELEASES', 'RESOURCES', 'NOT AGREED'],
      rows: [
        [
          agreed ? 'yes' : 'NO',
          String(servers.length),
          releases || '-',
          String(resources.length),
          String(disagreed),
        ],
      ],
    },
    results,
    document: status,
  }
}

function resultOf(each: ResourceStatus): Result {
  const { resource, agreed, agreedVersion, problems, unreadable, undecodable = [], notServed = [] } = each
  const alarms = [...unreadable, ...undecodable, ...notServed, ...writeRefusals(each)]
  const found = [...(agreed ? [] : problems), ...alarms]
  if (found.length > 0 || !agreed) {
    const rule = agreed ? 'refused or unreadable' : 'disagreed'
    return { level: 'failed', rule, subject: resource, message: found.join('\n') || 'not agreed' }
  }
  return { level: 'passed', rule: 'agreed', subject: resource, message: `agreed on ${agreedVersion}` }
}
