import {
  type GroupResource,
  type StorageCensus,
  type StorageCensusStatus,
  type StorageReencode,
  type StorageReencodeStatus,
  storageCensuses,
  storageReencodes,
} from '@strata/api'
import { type Client, type DiscoveredResource, MalformedAnswer } from '@strata/client'
import { isSameEpoch } from './same-record.ts'
import type { MigrationTarget } from './target.ts'

/** The requests that Strata servers answer next to the data: census and bulk re-encode. */
export class DataSide {
  readonly #censuses
  readonly #reencodes
  #clean: StorageCensusStatus | undefined
  #hasRewritten = false

  constructor(client: Client) {
    this.#censuses = client.resource<StorageCensus>(storageCensuses, 'v1alpha1')
    this.#reencodes = client.resource<StorageReencode>(storageReencodes, 'v1alpha1')
  }

  async census({ group, resource }: GroupResource, signal: AbortSignal): Promise<StorageCensusStatus> {
    const question = { metadata: {}, spec: { group, resource } }
    const { status } = await this.#censuses.create(question, signal, { isLong: true })
    if (!status) throw new MalformedAnswer('a census without an answer')
    if (status.proven && status.stale === 0 && status.unreadable === 0) this.#clean = status
    return status
  }

  /**
   * A census that has proven that everything is stored as it should be, in that epoch of that record. It stays true for as
   * long as the epoch stands: new writes do not change it. So no second census is needed.
   */
  cleanIn(target: Pick<MigrationTarget, 'epoch' | 'recordUID'>): StorageCensusStatus | undefined {
    return this.#clean && isSameEpoch(this.#clean, target) ? this.#clean : undefined
  }

  /** Whether a batch was answered. */
  get hasRewritten(): boolean {
    return this.#hasRewritten
  }

  async reencode(spec: StorageReencode['spec'], signal: AbortSignal): Promise<StorageReencodeStatus> {
    const { status } = await this.#reencodes.create({ metadata: {}, spec }, signal, { isLong: true })
    if (!status) throw new MalformedAnswer('a batch without an answer')
    this.#hasRewritten = true
    return status
  }
}

/** Whether the servers answer both questions. */
export function isOffered(served: readonly DiscoveredResource[]): boolean {
  return [storageCensuses, storageReencodes].every((wanted) =>
    served.some(({ group, resource }) => group === wanted.group && resource === wanted.resource),
  )
}
