import { type GroupResource, unseenServersOf } from '@strata/api'
import { type Clock, deadline } from '@strata/world'
import type { Revision, Store } from '../../store/index.ts'
import { agreementKey, identityLeaseKey, leaseKind } from '../frozen-kinds.ts'
import { storedAgreement } from '../record/agreement-records.ts'
import { nonceKey, storedNonce } from '../record/record-nonce.ts'
import type { FenceView } from './decide-broken-guard.ts'

/** The record and the own Lease, as read after the store refused a write because the record has changed. */
export interface FenceReading {
  readonly view: FenceView
  /** The key that this process has stated or registered; undefined if the record has neither. */
  readonly writeKey: string | undefined
  readonly revision: Revision
  /** The nonce that is stored beside that record. */
  readonly nonce: string | undefined
}

/** Reads the record and the own Lease in one transaction: this server could be expelled between two reads. */
export async function readFenceView(
  parts: {
    readonly store: Store
    readonly clock: Clock
    readonly self: { readonly serverID: string; readonly process: string }
  },
  resource: GroupResource,
): Promise<FenceReading> {
  const { serverID, process } = parts.self
  const reading = deadline(parts.clock, 10_000)
  try {
    const keys = [agreementKey(resource), identityLeaseKey(serverID), nonceKey(resource)]
    const { entries } = await parts.store.read(keys, reading.signal)
    const stored = storedAgreement(entries[0])
    const entry = stored?.record.status.servers.find((each) => each.serverID === serverID)
    const lease = entries[1] && leaseKind.decode(entries[1])
    const isOwn = (each: { readonly process: string } | undefined): boolean => each?.process === process
    const statement = stored && unseenServersOf(stored.record).find(isOwn)
    return {
      view: { entry, lease, encodings: stored?.record.status.encodings, statement },
      // Not the key of a second process under the same server ID, which may read other keys.
      writeKey: statement?.writeKey ?? (isOwn(entry) ? entry?.writeKey : undefined),
      revision: stored?.revision ?? 0,
      nonce: storedNonce(entries[2]),
    }
  } finally {
    reading.dispose()
  }
}
