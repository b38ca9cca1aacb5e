import { versionNameOf } from '@strata/api'
import { formatAge, formatSeconds } from '../output/age.ts'
import { formatTable } from '../output/table.ts'
import type { FleetStatus } from './fleet-status.ts'
import type { ResourceStatus } from './resource-status.ts'
import type { ServerStatus } from './server-status.ts'

const legend = 'v1 (v2) means: this server writes v1 and can also read v2.'

/** Servers × resources. A cell is what the server encodes, and in brackets what it decodes besides. */
export function renderStatus(status: FleetStatus, nowMs: number): string {
  const servers = formatTable(
    ['', 'INSTANCE', 'SERVER', 'HOST', 'RENEWED'],
    status.servers.map((server) => [
      server.name,
      server.instance ?? '-',
      server.serverID,
      server.hostname ?? '-',
      renewed(server, nowMs),
    ]),
  )
  const resources = formatTable(
    ['RESOURCE', 'AGREED', 'SINCE', 'EPOCH', 'FENCED', ...status.servers.map(({ name }) => name)],
    status.resources.map((each) => [
      each.resource,
      each.agreedVersion === undefined ? 'NO' : versionNameOf(each.agreedVersion),
      formatAge(each.agreedSince, nowMs),
      String(each.epoch),
      each.fenced ? 'yes' : 'no',
      ...status.servers.map(({ serverID }) => cell(each.servers[serverID])),
    ]),
  )
  const parts = [servers, `${resources}\n${legend}`, unreadable(status), verdict(status), advice(status)]
  return parts.filter((part) => part !== '').join('\n\n')
}

const lines = (status: FleetStatus, of: (each: ResourceStatus) => readonly string[]): string =>
  status.resources.flatMap((each) => of(each).map((text) => `  ${each.resource}: ${text}`)).join('\n')

function unreadable(status: FleetStatus): string {
  const found = lines(status, (each) => each.unreadable)
  return found === '' ? '' : `UNREADABLE OBJECTS ARE BEING WRITTEN:\n${found}`
}

function verdict(status: FleetStatus): string {
  if (status.agreed) return 'All servers agree on the version of every resource.'
  const count = status.resources.filter((each) => each.problems.length > 0).length
  return `No agreement on ${count} of ${status.resources.length} resources:\n${lines(status, (each) => each.problems)}`
}

const advice = ({ advice: all, withdrawn }: FleetStatus): string =>
  [...all, ...(withdrawn.length === 0 ? [] : [kept(withdrawn)])].map((each) => `Note: ${each}.`).join('\n')

function kept(withdrawn: readonly string[]): string {
  const [first, ...others] = withdrawn
  const names = others.length > 2 ? `${first} and ${others.length} more` : withdrawn.join(', ')
  return `nobody serves ${names} any more; the records stay for the case that they are defined again`
}

function renewed({ hasLease, silentSeconds, renewed: at }: ServerStatus, nowMs: number): string {
  if (!hasLease) return 'no Lease'
  if (silentSeconds !== undefined) return `silent for ${formatSeconds(silentSeconds)}`
  return `${formatAge(at, nowMs)} ago`
}

function cell(entry: ResourceStatus['servers'][string]): string {
  if (!entry) return '-'
  const encodes = versionNameOf(entry.encodes)
  const others = entry.decodes.map(versionNameOf).filter((each) => each !== encodes)
  return others.length === 0 ? encodes : `${encodes} (${others.join(', ')})`
}
