/** An upgrade of a running fleet, as it was observed: docs/pictures/upgrade.json. */
export interface Recording {
  readonly resource: string
  readonly from: string
  readonly to: string
  /** In the order of time; each differs from the one before. The last one is the end. */
  readonly frames: readonly Frame[]
}

export interface Frame {
  /** Since the beginning. */
  readonly ms: number
  /** Sorted by name. */
  readonly servers: readonly ServerFrame[]
  /** How many objects are stored in each version, by census. */
  readonly stored: Readonly<Record<string, number>>
  /** Writes of clients so far that one of the servers acknowledged, and those that none did. */
  readonly acknowledged: number
  readonly refused: number
  /** The version that all servers write, or null if they write different ones. */
  readonly agreed: string | null
}

export interface ServerFrame {
  readonly name: string
  readonly release: string
  /** As `strata playground show` says it. */
  readonly state: string
  /** The version in its entry of the agreement record; null without an entry: it cannot write then. */
  readonly writes: string | null
}
