import { identityNamespace, type Lease, mirroredServerId } from '@strata/api'
import { isAbsence, type ResourceClient } from '@strata/client'
import type { Log } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import type { AggregatorObjects } from './aggregator-objects.ts'
import {
  decideMirroredLease,
  type MirroredLeaseDecision,
  type MirroredLeaseWrite,
} from './decide-mirrored-lease.ts'

export interface LeaseMirrorOptions {
  readonly origin: string
  readonly leases: ResourceClient<Lease>
  readonly aggregator: AggregatorObjects<Lease>
  readonly log: Log
  /** A mirrored Lease came or went, so the entries of its server may do the same. */
  readonly onChange: () => void
}

/** How soon to retry after a lost race. */
const afterRaceMs = 100

/** Copies the identity Leases of the origin into the aggregator. Keys are IDs of servers in the origin. */
export class LeaseMirror implements Reconciler {
  readonly #options: LeaseMirrorOptions
  /** Servers whose mirrored Lease was there when this leader last looked. */
  readonly #there = new Set<string>()

  constructor(options: LeaseMirrorOptions) {
    this.#options = options
  }

  /**
   * Whether the mirrored Lease of a server stands, after trying to write it if this leader has not seen it yet. An entry is shown
   * only then, as a server writes an entry only after it has its Lease (rule 1). Throws if it is not known.
   */
  async ensure(serverID: string, signal: AbortSignal): Promise<boolean> {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (this.#there.has(serverID)) return true
      if ((await this.reconcile(serverID, signal)) === undefined) return this.#there.has(serverID)
    }
    throw new Error(`the Lease of ${serverID} in the aggregator keeps changing`)
  }

  async reconcile(serverID: string, signal: AbortSignal): Promise<Settled> {
    const { origin, aggregator, log } = this.#options
    const name = mirroredServerId(origin, serverID)
    // The order of these reads keeps a renewal from being taken back (see `decideMirroredLease`).
    const shown = await aggregator.read({ namespace: identityNamespace, name }, signal)
    const lease = await this.#readLease(serverID, signal)
    const decision = decideMirroredLease({ origin, serverID, shown, lease })
    const isRenewal = decision.do === 'nothing' || decision.do === 'update'
    log[isRenewal ? 'debug' : 'info']('decided', { lease: name, serverID, ...spoken(decision) })
    if (decision.do !== 'nothing' && !(await this.#send(name, decision, signal))) {
      return { lookAgainMs: afterRaceMs }
    }
    this.#note(serverID, decision.do === 'nothing' ? decision.isThere : decision.do !== 'delete')
    return undefined
  }

  async #readLease(serverID: string, signal: AbortSignal): Promise<Lease | undefined> {
    const { leases } = this.#options
    try {
      return await leases.get({ namespace: identityNamespace, name: serverID }, signal)
    } catch (error) {
      if (isAbsence(error, leases.address, serverID)) return undefined
      throw error
    }
  }

  #send(name: string, decision: MirroredLeaseWrite, signal: AbortSignal): Promise<boolean> {
    return this.#options.aggregator.write(name, (client) => {
      switch (decision.do) {
        case 'create':
          return client.create(decision.lease, signal)
        case 'update':
          return client.update(decision.lease, signal)
        case 'delete': {
          const { preconditions } = decision
          return client.delete({ namespace: identityNamespace, name }, { preconditions }, signal)
        }
      }
    })
  }

  #note(serverID: string, isThere: boolean): void {
    if (isThere === this.#there.has(serverID)) return
    if (isThere) this.#there.add(serverID)
    else this.#there.delete(serverID)
    this.#options.onChange()
  }
}

const spoken = ({ because, ...decision }: MirroredLeaseDecision): { do: string; because: string } => ({
  ...{ do: decision.do, because },
})
