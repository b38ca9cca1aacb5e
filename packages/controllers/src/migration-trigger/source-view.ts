/** The versions that servers write, from the strongest source that the cluster has for a resource. */
export type SourceView = RecordView | StorageVersionView | ReportersView | DiscoveryView

/** Whether all servers write the same, and what. */
export type CommonHash =
  | { readonly agreed: true; readonly hash: string }
  | {
      readonly agreed: false
      readonly because: string
      /** Servers write as before, but one has not reported yet. Running migrations continue. */
      readonly waits?: boolean | undefined
    }

/** An agreement record. It keeps what was written, so that nothing is missed between two reads. */
export interface RecordView {
  readonly kind: 'record'
  readonly uid: string
  readonly createdAt: string
  readonly epoch: number
  /** The versions that may be stored, the latest first, each with the latest epoch in which it may have been written. */
  readonly persisted: readonly {
    /** `Unknown` for writes that were not recorded. */
    readonly hash: string
    readonly writeKey: string
    readonly epoch: number
  }[]
  readonly common: CommonHash
  /** The key that all servers write under, if it is the same. */
  readonly writeKey?: string | undefined
  readonly isFenced: boolean
  /** A kind that agreement itself uses: it has one version for ever (agreement.md, rule 0). */
  readonly isFrozen?: boolean
}

/** A StorageVersion object: watched, and without a memory. */
export interface StorageVersionView {
  readonly kind: 'storageversion'
  /** The hashes that servers write, each once. */
  readonly hashes: readonly string[]
  readonly common: CommonHash
  /** When the common version last changed, by the clock of some server. */
  readonly movedAt?: string | undefined
}

/** The StorageState itself says what the reporters beside the servers have read. */
export interface ReportersView {
  readonly kind: 'reporters'
}

/** One look at the discovery of whichever server answered. */
export interface DiscoveryView {
  readonly kind: 'discovery'
  readonly hash: string
  /** When discovery was read. */
  readonly polledAtMs: number
}
