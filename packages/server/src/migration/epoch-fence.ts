import { commonWriteKey, type GroupResource, serviceUnavailable } from '@strata/api'
import { agreementKey, nonceKey, nonceOf, recordGuards, type WriteTicket } from '../coordination/index.ts'
import type { BrokenGuard, Guard, Key, Revision, Store } from '../store/index.ts'
import { standsStill, type WantedEpoch } from './decide-epoch.ts'
import { readRecord, type StoredRecord } from './find-stored.ts'

/** The servers write otherwise by now: what was asked for would not be what they agree on. */
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
 * The guards of what is written in bulk: this server's own fence (rules 3 and 4), and besides it the record in which the
 * epoch stands that the caller named. Also where this server is loose: its writes by themselves carry no guard, those of a
 * migration always do. Otherwise: a definition goes back to v1 while its objects are brought to v2; the caller hears of it
 * seconds later; meanwhile what was v1 again is written in v2.
 */
export class EpochFence {
  readonly #options: EpochFenceOptions
  readonly #key: Key
  #record: StoredRecord | undefined

  constructor(options: EpochFenceOptions) {
    this.#options = options
    this.#key = agreementKey(options.resource)
  }

  /** Of the newest record that was looked at; 0 if there is none. */
  get epoch(): number {
    return this.#record?.record.status.epoch ?? 0
  }

  /** Of that record. */
  get recordUID(): string | undefined {
    return this.#record?.record.metadata.uid
  }

  /**
   * The key that all who write do so under, in that epoch (rule 17). Never a guess: a loose server whose entry was collected
   * has no guard of its own, and would store secrets in the clear under a record in which nobody writes.
   */
  get writeKey(): string {
    const key = commonWriteKey(this.#record?.record.status.servers ?? [])
    if (key === undefined) throw new EpochMoved()
    return key
  }

  /** Throws `EpochMoved` if the epoch is another one. */
  async begin(): Promise<void> {
    const { store, resource, wanted, signal } = this.#options
    this.#record = await readRecord(store, resource, signal)
    if (!standsStill(this.#record?.record.status, wanted)) throw new EpochMoved()
  }

  /** Of the record as it was looked at, and whatever else this server's own writes are guarded by. */
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
      // One of the two is behind: the record has moved, which means nothing unless the epoch has.
      await this.begin()
      if (this.#record && this.#record.revision !== own.revision) {
        await ticket.broken([{ guard: own, current: undefined }], signal)
      }
    }
    throw serviceUnavailable('the agreement record is being changed too often; try again later', 1)
  }

  /** A server whose guarantee is loose has no guards of the record itself; another one has both of them (rule 19). */
  #withRecord(revision: Revision | 'absent', guards: readonly Guard[]): readonly Guard[] {
    if (guards.some(({ key }) => key === this.#key)) return guards
    const nonce = this.#record && nonceOf(this.#record.record)
    return [...recordGuards(this.#options.resource, revision, nonce), ...guards]
  }

  /** A transaction was refused. Throws if that was because the epoch has moved, or this server may not write any more. */
  async broken(guards: readonly BrokenGuard[]): Promise<void> {
    await this.#options.ticket.broken(guards, this.#options.signal)
    if (guards.some(({ guard }) => this.#isOfRecord(guard.key))) await this.begin()
  }

  #isOfRecord(key: Key): boolean {
    return key === this.#key || key === nonceKey(this.#options.resource)
  }
}
