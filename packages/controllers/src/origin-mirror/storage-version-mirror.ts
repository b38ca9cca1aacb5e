import { isIdentityLease, type Lease, type StorageAgreement, type StorageVersion } from '@strata/api'
import { isAbsence, type ResourceClient } from '@strata/client'
import { type Clock, type Log, timestamp } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import { identityLeaseKey } from '../identity-lease.ts'
import type { AggregatorObjects } from './aggregator-objects.ts'
import {
  behindForMs,
  decideMirroredStorageVersion,
  type MirroredStorageVersionWrite,
} from './decide-mirrored-storage-version.ts'
import type { LeaseMirror } from './lease-mirror.ts'

export interface StorageVersionMirrorOptions {
  readonly origin: string
  readonly agreements: ResourceClient<StorageAgreement>
  /** The store of the informer of the origin's Leases. */
  readonly knownLeases: ReadonlyMap<string, Lease>
  readonly aggregator: AggregatorObjects<StorageVersion>
  readonly leases: Pick<LeaseMirror, 'ensure'>
  readonly clock: Clock
  readonly log: Log
}

/** How soon to retry after a lost race. */
const afterRaceMs = 100
const behindLookMs = 10_000

/** Shows the agreement records of the origin as StorageVersions of the aggregator. Keys are names of records. */
export class StorageVersionMirror implements Reconciler {
  readonly #options: StorageVersionMirrorOptions
  /** Objects that show a newer state than their record has, and since when. */
  readonly #behind = new Map<string, { readonly state: string; readonly sinceMs: number }>()

  constructor(options: StorageVersionMirrorOptions) {
    this.#options = options
  }

  /**
   * Reads the object, then the record, and sends at most one write, which commits only while the object is as it was read. That
   * order alone keeps an older state of the record from replacing a newer one:
   *
   * 1. Leader A reads the object, reads the record in epoch 4, and is frozen. B leads, and shows epoch 5.
   * 2. A thaws and sends its write. The object has changed since A read it: conflict.
   * 3. A reads the object anew, and the record after it. A record that is read later than the object is not older than the one
   *    that the object was made from, because reads of the origin are linearizable (rule 6).
   *
   * If A had read the record first, its write in step 3 would take epoch 5 back.
   */
  async reconcile(name: string, signal: AbortSignal): Promise<Settled> {
    const { origin, aggregator, clock, log } = this.#options
    const shown = await aggregator.read({ name }, signal)
    const record = await this.#readRecord(name, signal)
    const live = await this.#liveServers(record, signal)
    const decision = decideMirroredStorageVersion({
      ...{ origin, name, shown, record },
      hasLease: (serverID) => live.has(serverID),
      behindMs: this.#behindMs(name),
      now: timestamp(clock),
    })
    const { because } = decision
    log[decision.do === 'nothing' ? 'debug' : 'info']('decided', { object: name, do: decision.do, because })
    if (decision.do === 'wait') return this.#wait(name, shown, record)
    this.#behind.delete(name)
    if (decision.do === 'nothing') return undefined
    const isDone = await this.#send(name, decision, signal)
    // One write may not be all: the next one is decided from what is there by then.
    return { lookAgainMs: isDone ? 0 : afterRaceMs }
  }

  #behindMs(name: string): number {
    const seen = this.#behind.get(name)
    return seen ? this.#options.clock.monotonicMs() - seen.sinceMs : 0
  }

  /**
   * The origin's store was restored, and its servers raise the epoch as soon as they notice (rule 19). If they do not, the state
   * that the aggregator shows is lost for good; so it is replaced after a while in which nothing has changed.
   */
  #wait(name: string, shown: StorageVersion | undefined, record: StorageAgreement | undefined): Settled {
    const state = `${shown?.metadata.resourceVersion} ${record?.metadata.resourceVersion}`
    if (this.#behind.get(name)?.state !== state) {
      this.#behind.set(name, { state, sinceMs: this.#options.clock.monotonicMs() })
    }
    return { lookAgainMs: Math.max(0, Math.min(behindLookMs, behindForMs - this.#behindMs(name))) }
  }

  async #readRecord(name: string, signal: AbortSignal): Promise<StorageAgreement | undefined> {
    const { agreements } = this.#options
    try {
      return await agreements.get({ name }, signal)
    } catch (error) {
      if (isAbsence(error, agreements.address, name)) return undefined
      throw error
    }
  }

  /** The servers with an entry whose Lease stands in both places. */
  async #liveServers(
    record: StorageAgreement | undefined,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const { knownLeases, leases } = this.#options
    const live = new Set<string>()
    for (const { serverID } of record?.status.servers ?? []) {
      const lease = knownLeases.get(identityLeaseKey(serverID))
      const isKnown = lease !== undefined && isIdentityLease(lease)
      if (isKnown && (await leases.ensure(serverID, signal))) live.add(serverID)
    }
    return live
  }

  #send(name: string, decision: MirroredStorageVersionWrite, signal: AbortSignal): Promise<boolean> {
    return this.#options.aggregator.write(name, (client) => {
      switch (decision.do) {
        case 'create':
          return client.create(decision.object, signal)
        case 'name':
          return client.update(decision.object, signal)
        case 'show':
          return client.updateSubresource('status', decision.object, signal)
        case 'delete':
          return client.delete({ name }, { preconditions: decision.preconditions }, signal)
      }
    })
  }
}
