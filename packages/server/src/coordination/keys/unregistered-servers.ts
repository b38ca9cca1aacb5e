import { type GroupResource, keysByRules, unseenServersOf } from '@strata/api'
import type { Guard } from '../../store/index.ts'
import { identityLeaseKey } from '../frozen-kinds.ts'
import { isProcessOf } from '../identity/server-id.ts'
import type { AgreementView, HeldLease } from '../record/agreement-records.ts'
import type { OwnFacts } from '../registration/own-entry.ts'

/** A live server that may read the resource and has no entry in its record. */
export interface UnregisteredServer {
  readonly serverID: string
  /** The keys that it reads, as its Lease states them; undefined if the Lease does not. */
  readonly reads: readonly string[] | undefined
  readonly writes?: string
  /** Guards that its Lease is unchanged; undefined for a server without a Lease. */
  readonly guard?: Guard
}

/**
 * Servers with a Lease and no entry, and processes that the record names without a statement (rule 18), except the asking
 * one. Not a server whose Lease says that it is fully registered: its release does not have this resource, and an upgrade
 * with a new kind would otherwise wait for it for ever. That does not hold for custom resources, which every server gets.
 */
export function unregisteredServers(
  { leases, entries, stored }: Pick<AgreementView, 'leases' | 'entries' | 'stored'>,
  self: OwnFacts['self'],
  definition: GroupResource & { readonly isCustom?: boolean; readonly bootstrap?: boolean },
): readonly UnregisteredServer[] {
  // Every server reads bootstrap kinds, whatever is configured (rule 0).
  if (definition.bootstrap) return []
  const heard = new Set(entries.map((each) => each.serverID))
  const stated = new Set(stored ? unseenServersOf(stored.record).map(({ process }) => process) : [])
  const silent = (stored?.record.status.unseenProcesses ?? [])
    .filter((process) => !stated.has(process))
    // An earlier run of the asking server, of a release that states nothing, would keep it waiting for ever.
    .filter((process) => !isProcessOf(self.serverID, process))
    .map((process) => ({ serverID: process, reads: undefined }))
  // A server without an identity may find the Lease of a second process under its server ID.
  const isOwn = (id: string, { holder, isGone }: HeldLease): boolean =>
    id === self.serverID && (holder === self.process || isGone?.() === true)
  const live = [...leases].filter(
    ([id, lease]) =>
      lease.isIdentity &&
      !heard.has(id) &&
      !isOwn(id, lease) &&
      (definition.isCustom === true || lease.isRegistered !== true),
  )
  return [
    ...live.map(([id, { keyRules, revision, holder }]) => ({
      serverID: id === self.serverID && holder !== undefined ? holder : id,
      ...(keyRules ? keysByRules(keyRules, definition) : { reads: undefined }),
      guard: { key: identityLeaseKey(id), revision },
    })),
    ...silent,
  ]
}
