import type { DiscoveryDocHash } from '@strata/api'
import { docHashesKind } from '@strata/server'
import type { Change } from '@strata/server/store'
import type { History } from './history.ts'
import { docHashesKey } from './keys.ts'
import type { World } from './world/world.ts'

type Reporting = Pick<World, 'shape' | 'data' | 'fleet' | 'history'>

/** With coordinated discovery, exactly the live servers have a report of their documents, and each has written its own. */
export function unsettledReports({ shape, data, fleet, history }: Reporting): string[] {
  if (!shape.coordinatedDiscovery) return []
  const [entry] = data.read([docHashesKey]).entries
  const servers = (entry ? docHashesKind.decode(entry).hashes : []).map(({ apiServerID }) => apiServerID)
  const reported = servers.map((server) => reporterOf(history, server)).sort()
  // A server without an identity reports nothing.
  const expected = fleet.alive
    .filter(({ part }) => part.identity !== false)
    .map(({ process }) => process.id)
    .sort()
  return reported.join() === expected.join()
    ? []
    : [`${reported} have reported their documents; expected are ${expected}`]
}

/** The simulated process that wrote the report which stands for a server: the report itself names none. */
export function reporterOf({ commits }: History, server: string): string | undefined {
  let standing: string | undefined
  let writer: string | undefined
  for (let at = commits.length - 1; at >= 0; at--) {
    const change = commits[at]?.changes.find(({ key }) => key === docHashesKey)
    if (!change) continue
    const report = JSON.stringify(reportsIn(change).find(({ apiServerID }) => apiServerID === server))
    if (report === undefined || report !== (standing ?? report)) break
    standing = report
    writer = commits[at]?.writer
  }
  return writer
}

const reportsIn = (change: Change): readonly DiscoveryDocHash[] =>
  change.kind === 'put' ? docHashesKind.decode(change).hashes : []
