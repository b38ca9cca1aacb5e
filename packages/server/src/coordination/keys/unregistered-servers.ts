import { type GroupResource, keysByRules, unseenServersOf } from '@strata/api'
import type { Guard } from '../../store/index.ts'
import { identityLeaseKey } from '../frozen-kinds.ts'
import { isProcessOf } from '../identity/server-id.ts'
import type { AgreementView, HeldLease } from '../record/agreement-records.ts'
import type { OwnFacts } from '../registration/own-entry.ts'

/** Somebody who is alive, may read what is about to be written, and has no entry in the record. */
export interface UnregisteredServer {
  readonly serverID: string
  /** What it says in its Lease that it reads of the resource; undefined if it says nothing: nobody knows. */
  readonly reads: readonly string[] | undefined
  readonly writes?: string
  /** That it still says so; of whom nobody sees there is nothing to be guarded by. */
  readonly guard?: Guard
}

/**
 * Servers with a Lease and no entry, and those that the record names without a statement (rule 18), but for the one that
 * asks. Not one whose program does not have the resource, which its Lease tells: an upgrade that brings a new kind would
 * otherwise wait for servers that will never speak of it. Custom resources come later, and every server has them.
 */
export function unregisteredServers(
  { leases, entries, stored }: Pick<AgreementView, 'leases' | 'entries' | 'stored'>,
  self: OwnFacts['self'],
  definition: GroupResource & { readonly isCustom?: boolean; readonly bootstrap?: boolean },
): readonly UnregisteredServer[] {
  // Everyone reads them, whatever is configured (rule 0).
  if (definition.bootstrap) return []
  const heard = new Set(entries.map((each) => each.serverID))
  const stated = new Set(stored ? unseenServersOf(stored.record).map(({ process }) => process) : [])
  const silent = (stored?.record.status.unseenProcesses ?? [])
    .filter((process) => !stated.has(process))
    // An earlier run of the server that asks, of a release that states nothing, would keep it waiting for ever.
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
