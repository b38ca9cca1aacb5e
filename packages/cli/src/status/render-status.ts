import { versionNameOf } from '@strata/api'
import { formatAge } from '../output/age.ts'
import { formatTable } from '../output/table.ts'
import type { FleetStatus } from './fleet-status.ts'

/** Servers × resources. A cell is what the server encodes, and in brackets what it decodes besides. */
export function renderStatus(status: FleetStatus, nowMs: number): string {
  const ids = status.servers.map(({ serverID }) => serverID)
  const known = [...new Set([...ids, ...status.resources.flatMap(({ servers }) => Object.keys(servers))])]
  const short = new Map(known.map((id, index) => [id, `S${index + 1}`]))
  const servers = formatTable(
    ['', 'SERVER', 'HOST', 'RENEWED'],
    known.map((id) => {
      const server = status.servers.find(({ serverID }) => serverID === id)
      return [
        short.get(id) ?? '',
        id,
        server?.hostname ?? '-',
        server ? `${formatAge(server.renewed, nowMs)} ago` : 'no Lease',
      ]
    }),
  )
  const resources = formatTable(
    ['RESOURCE', 'AGREED', 'SINCE', 'EPOCH', 'FENCED', ...known.map((id) => short.get(id) ?? '')],
    status.resources.map((each) => [
      each.resource,
      each.agreedVersion === undefined ? 'NO' : versionNameOf(each.agreedVersion),
      formatAge(each.agreedSince, nowMs),
      String(each.epoch),
      each.proven ? 'yes' : 'no',
      ...known.map((id) => cell(each.servers[id])),
    ]),
  )
  const problems = status.resources
    .filter((each) => each.problems.length > 0)
    .flatMap((each) => each.problems.map((problem) => `  ${each.resource}: ${problem}`))
  const verdict = status.agreed
    ? 'All servers agree on the version of every resource.'
    : `No agreement on ${status.resources.filter((each) => each.problems.length > 0).length} of ${status.resources.length} resources:\n${problems.join('\n')}`
  return `${servers}\n\n${resources}\n\n${verdict}`
}

function cell(entry: FleetStatus['resources'][number]['servers'][string]): string {
  if (!entry) return '-'
  const encodes = versionNameOf(entry.encodes)
  const others = entry.decodes.map(versionNameOf).filter((each) => each !== encodes)
  return others.length === 0 ? encodes : `${encodes} (${others.join(', ')})`
}
