import type { GroupResource } from '@strata/api'
import { type Clock, deadline } from '@strata/world'
import type { Revision, Store } from '../../store/index.ts'
import { agreementKey, identityLeaseKey, leaseKind } from '../frozen-kinds.ts'
import { storedAgreement } from '../record/agreement-records.ts'
import { nonceKey, storedNonce } from '../record/record-nonce.ts'
import type { AfterBrokenGuard, decideBrokenGuard } from './decide-broken-guard.ts'

/** What was found after the store had refused a write because the record has moved. */
export interface Seen {
  readonly encodingVersion: string
  readonly writeKey: string
  readonly revision: Revision
  /** Of that record, as it stands beside it. */
  readonly nonce: string | undefined
  readonly after: AfterBrokenGuard
}

/** Looks at the record and the own Lease, in one transaction: two reads could straddle an expulsion. */
export async function lookAgain(
  parts: {
    readonly store: Store
    readonly clock: Clock
    readonly self: { readonly serverID: string; readonly process: string }
    readonly decideBrokenGuard: typeof decideBrokenGuard
  },
  resource: GroupResource,
  written: { readonly encodingVersion: string; readonly writeKey: string },
): Promise<Seen> {
  const { serverID, process } = parts.self
  const { encodingVersion } = written
  const reading = deadline(parts.clock, 10_000)
  try {
    const keys = [agreementKey(resource), identityLeaseKey(serverID), nonceKey(resource)]
    const { entries } = await parts.store.read(keys, reading.signal)
    const stored = storedAgreement(entries[0])
    const entry = stored?.record.status.servers.find((each) => each.serverID === serverID)
    const lease = entries[1] && leaseKind.decode(entries[1])
    const after = parts.decideBrokenGuard(
      { process, encodingVersion },
      {
        ...{ entry, lease, encodings: stored?.record.status.encodings },
        unseenProcesses: stored?.record.status.unseenProcesses,
      },
    )
    // Also where the version is the same: what was refused was encrypted under the key of the record before.
    const writeKey = entry?.writeKey ?? written.writeKey
    const nonce = storedNonce(entries[2])
    return { encodingVersion, writeKey, revision: stored?.revision ?? 0, nonce, after }
  } finally {
    reading.dispose()
  }
}
