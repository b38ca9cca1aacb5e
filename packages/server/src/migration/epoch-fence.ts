import { commonWriteKey, type GroupResource, serviceUnavailable } from '@strata/api'
import { agreementKey, nonceKey, nonceOf, recordGuards, type WriteTicket } from '../coordination/index.ts'
import type { BrokenGuard, Guard, Key, Revision, Store } from '../store/index.ts'
import { standsStill, type WantedEpoch } from './decide-epoch.ts'
import { readRecord, type StoredRecord } from './find-stored.ts'

/** The servers write differently by now: the requested encoding is no longer the agreed one. */
export class EpochMoved extends Error {
  override readonly name = 'EpochMoved'
}

const attempts = 20

export interface EpochFenceOptions {
  readonly store: Store
  readonly resource: GroupResource
  readonly wanted: WantedEpoch
  readonly ticket: WriteTicket
  readonly signal: AbortSignal
}

/**
 * The guards of bulk writes: this server's own fence (rules 3 and 4), and the record with the epoch that the caller named. Also
 * on a loose server: its own writes have no guard, those of a migration always do. Otherwise:
 *
 * 1. A CRD goes back to v1 while its objects are migrated to v2.
 * 2. The caller learns of it seconds later.
 * 3. Meanwhile objects that were v1 again are written in v2.
 */
export class EpochFence {
  readonly #options: EpochFenceOptions
  readonly #key: Key
  #record: StoredRecord | undefined

  constructor(options: EpochFenceOptions) {
    this.#options = options
    this.#key = agreementKey(options.resource)
  }

  /** The epoch of the newest record that was read; 0 if there is none. */
  get epoch(): number {
    return this.#record?.record.status.epoch ?? 0
  }

  /** The uid of that record. */
  get recordUID(): string | undefined {
    return this.#record?.record.metadata.uid
  }

  /**
   * The key that all writers use in that epoch (rule 17). Never a guess: a loose server whose entry was collected has no guard of
   * its own, and would store secrets in clear text under a record without writers.
   */
  get writeKey(): string {
    const key = commonWriteKey(this.#record?.record.status.servers ?? [])
    if (key === undefined) throw new EpochMoved()
    return key
  }

  /** Throws `EpochMoved` if the servers no longer write as in the wanted epoch. */
  async begin(): Promise<void> {
    const { store, resource, wanted, signal } = this.#options
    this.#record = await readRecord(store, resource, signal)
    if (!standsStill(this.#record?.record.status, wanted)) throw new EpochMoved()
  }

  /** The guard of the record as it was read, and the guards of this server's own writes. */
  async guards(): Promise<readonly Guard[]> {
    const { ticket, wanted, signal } = this.#options
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { encodingVersion, writeKey, guards } = ticket.permit()
      if (encodingVersion !== wanted.encodingVersion) throw new EpochMoved()
      const revision = this.#record?.revision ?? 'absent'
      const own = guards.find(({ key }) => key === this.#key)
      if (!own || own.revision === revision) {
        if (writeKey !== this.writeKey) throw new EpochMoved()
        return this.#withRecord(revision, guards)
      }
      // One of the two is behind: the record has changed, which does not matter unless the epoch has.
      await this.begin()
      if (this.#record && this.#record.revision !== own.revision) {
        await ticket.broken([{ guard: own, current: undefined }], signal)
      }
    }
    throw serviceUnavailable('the agreement record is being changed too often; try again later', 1)
  }

  /** A loose server has no guards of the record itself; a strict one has both of them (rule 19). */
  #withRecord(revision: Revision | 'absent', guards: readonly Guard[]): readonly Guard[] {
    if (guards.some(({ key }) => key === this.#key)) return guards
    const nonce = this.#record && nonceOf(this.#record.record)
    return [...recordGuards(this.#options.resource, revision, nonce), ...guards]
  }

  /** A transaction was refused. Throws if the epoch has changed, or this server may not write any more. */
  async broken(guards: readonly BrokenGuard[]): Promise<void> {
    await this.#options.ticket.broken(guards, this.#options.signal)
    if (guards.some(({ guard }) => this.#isOfRecord(guard.key))) await this.begin()
  }

  #isOfRecord(key: Key): boolean {
    return key === this.#key || key === nonceKey(this.#options.resource)
  }
}
