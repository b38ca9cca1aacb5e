/** In a list of persisted hashes: the list may be incomplete, and no decision may rely on it. */
export const unknownHash = 'Unknown'

/** What one reporter read from the discovery documents of its API server. */
export interface ReportedHash {
  /** The id with which the reporter stands for leader election. */
  readonly reporterID: string
  readonly currentStorageVersionHash: string
  readonly lastHeartbeatTime?: string
}

/** An epoch of one agreement record. */
export interface AcceptedEpoch {
  /** The UID of the agreement record: a record that was recreated counts its epochs anew. */
  readonly recordUID: string
  readonly epoch: number
}

export interface StorageStateStatus {
  /** The hashes of versions that stored objects may be in. */
  readonly persistedStorageVersionHashes?: readonly string[]
  /** The hash in discovery; with reporters, the hash that all of them read, absent while they differ. */
  readonly currentStorageVersionHash?: string
  /** With reporters, when the one that has been silent for longest was last heard of. */
  readonly lastHeartbeatTime?: string
  readonly currentStorageVersionHashes?: readonly ReportedHash[]
  /**
   * With agreement records: versions that were written before this epoch count as gone, because a migration that is bound to
   * the epoch was accepted, although the record still lists them. Absent if there is no such migration.
   */
  readonly accepted?: AcceptedEpoch
}

/**
 * The hashes that stored objects may be in. A state without a status, or with an empty list, means Unknown, not that
 * nothing is stored.
 */
export function persistedHashesOf({
  status,
}: {
  readonly status?: StorageStateStatus
}): readonly [string, ...string[]] {
  const [first, ...rest] = status?.persistedStorageVersionHashes ?? []
  return first === undefined ? [unknownHash] : [first, ...rest]
}

/**
 * The status in normal form, for every writer: each hash once, and `Unknown` if none is named. It always contains the hashes
 * that servers write now; without them the state would call an unsafe downgrade safe. With reporters, the single
 * fields follow from their list: otherwise a client could believe a summary that its own entries contradict.
 */
export function settledStatus(status: StorageStateStatus): StorageStateStatus {
  const { currentStorageVersionHash: hash, lastHeartbeatTime: heartbeat, ...others } = status
  const reported = status.currentStorageVersionHashes ?? []
  const current = reported.length > 0 ? commonHash(reported) : hash
  const lastHeartbeatTime = reported.length > 0 ? oldestHeartbeat(reported) : heartbeat
  const written = reported.length > 0 ? reported.map((each) => each.currentStorageVersionHash) : [hash]
  const named = new Set(status.persistedStorageVersionHashes)
  const known = named.size === 0 ? new Set([unknownHash]) : named
  if (!known.has(unknownHash)) for (const each of written) if (each) known.add(each)
  return {
    ...others,
    persistedStorageVersionHashes: [...known],
    ...(current === undefined ? {} : { currentStorageVersionHash: current }),
    // A client without a time sends null, as Go does.
    ...(lastHeartbeatTime ? { lastHeartbeatTime } : {}),
  }
}

function commonHash(reported: readonly ReportedHash[]): string | undefined {
  const [first, ...rest] = reported.map((each) => each.currentStorageVersionHash)
  return rest.every((each) => each === first) ? first : undefined
}

/** Undefined if one of the reporters has no heartbeat yet. */
function oldestHeartbeat(reported: readonly ReportedHash[]): string | undefined {
  const times = reported.map((each) => each.lastHeartbeatTime ?? '')
  return times.includes('')
    ? undefined
    : times.reduce((oldest, each) => (Date.parse(each) < Date.parse(oldest) ? each : oldest))
}
