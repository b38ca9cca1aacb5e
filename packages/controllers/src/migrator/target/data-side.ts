import {
  apiVersionOf,
  type GroupResource,
  type StorageCensus,
  type StorageCensusStatus,
  type StorageReencode,
  type StorageReencodeStatus,
  storageCensuses,
  storageReencodes,
} from '@strata/api'
import { type Client, MalformedAnswer } from '@strata/client'
import type { DataAddresses } from './origin.ts'
import { isSameEpoch } from './same-record.ts'
import type { MigrationTarget } from './target.ts'

/**
 * The kinds in the questions. They are sent with each of them: in a group of aggregated servers they belong to another group than
 * their path.
 */
export const [censusKind, reencodeKind] = [storageCensuses, storageReencodes].map(({ group, kind }) => ({
  ...{ apiVersion: apiVersionOf(group, 'v1alpha1'), kind },
})) as [TypeMeta, TypeMeta]

interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** The requests that Strata servers answer next to the data: census and bulk re-encode. */
export class DataSide {
  readonly #censuses
  readonly #reencodes
  #clean: StorageCensusStatus | undefined
  #hasRewritten = false

  constructor(client: Client, { censuses, reencodes }: DataAddresses) {
    this.#censuses = client.resource<StorageCensus>(censuses)
    this.#reencodes = client.resource<StorageReencode>(reencodes)
  }

  async census({ group, resource }: GroupResource, signal: AbortSignal): Promise<StorageCensusStatus> {
    const question = { ...censusKind, metadata: {}, spec: { group, resource } }
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
    const { status } = await this.#reencodes.create({ ...reencodeKind, metadata: {}, spec }, signal, {
      isLong: true,
    })
    if (!status) throw new MalformedAnswer('a batch without an answer')
    this.#hasRewritten = true
    return status
  }
}
