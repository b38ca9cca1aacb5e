import type { MigrationTarget, Outcome, Proof } from '@strata/controllers'
import type { Change, Commit, Revision } from '@strata/server/store'
import type { Part } from './world/shape.ts'

/** One commit that the store took, as only the simulation can see it: with its writer and its moment. */
export interface ObservedCommit {
  readonly atMs: number
  /** The simulated process whose connection carried it. */
  readonly writer: string
  readonly commit: Commit
  /** What changed; a delete of an absent key changes nothing. */
  readonly changes: readonly Change[]
  /** The network delivered this very commit before. */
  readonly repeated: boolean
  /** When its sender sent it, for the last time. */
  readonly sentMs: number
}

export type OperationKind = 'create' | 'update' | 'touch' | 'delete' | 'get' | 'list'

/** What a client asked for. `token` is unique to the operation, so that its value is known wherever it turns up. */
export interface Asked {
  readonly kind: OperationKind
  /** The key of the object; for a list, the prefix of the collection. */
  readonly key: string
  readonly token?: string
  /** It writes the status subresource: the token is that of the status, and whatever else it sends is ignored. */
  readonly isStatus?: boolean
  readonly askedRevision?: Revision
  readonly uid?: string
  /** The version in the path: `v1`. */
  readonly versionName?: string
}

export interface Answered {
  /** `failed` promises that nothing was written; `unknown` promises nothing. */
  readonly outcome: 'ok' | 'failed' | 'unknown'
  readonly status: number
  readonly reason: string
  readonly revision?: Revision
  readonly token?: string
  readonly statusToken?: string
  /** For a list: the revision of each object by its key. */
  readonly items?: ReadonlyMap<string, Revision>
}

export interface Operation extends Asked {
  readonly id: string
  readonly startMs: number
  /** The newest revision in the store at that moment, which no client could know. */
  readonly startRevision: Revision
  /** Processes in which it was carried out. */
  readonly servedBy: Set<string>
  end?: Answered & { readonly endMs: number; readonly endRevision: Revision }
}

/** What a client read about agreement. */
export interface Observation {
  readonly view: 'record' | 'storageVersion' | 'discovery' | 'consistent'
  readonly startMs: number
  readonly startRevision: Revision
  readonly servedBy: Set<string>
  end?: { readonly endMs: number; readonly endRevision: Revision; readonly shown: string | undefined }
}

/** One object as a watcher was shown it. */
export interface ShownObject {
  readonly key: string
  readonly revision: Revision
  readonly token: string
  /** Empty where there is no status. */
  readonly statusToken: string
}

/** One list, whole or in pages. */
export interface ListRun {
  readonly watcher: string
  readonly prefix: string
  /** The newest state, any (`resourceVersion=0`), in pages, or that of one revision. */
  readonly how: 'newest' | 'any' | 'pages' | 'pinned'
  /** The revision that a pinned list asks for. */
  readonly asked?: Revision
  readonly limit?: number
  readonly pages: readonly {
    readonly revision: Revision
    readonly count: number
    readonly remaining?: number
  }[]
  readonly items: readonly ShownObject[]
  /** When the first page was asked for. */
  readonly startMs: number
  /** The store's revision when the first page was requested, which no client could know. */
  readonly startRevision: Revision
  /** The revision of the last page. */
  readonly revision: Revision
  readonly endMs: number
  readonly endRevision: Revision
}

/** One watch, and its events. */
export interface WatchRun {
  readonly watcher: string
  readonly server: string
  readonly prefix: string
  readonly from: Revision
  /** When the watcher asked for the list that it follows; absent if that list could be of any age (`resourceVersion=0`). */
  readonly listedMs?: number
  readonly startMs: number
  /** A bookmark has no object: only its revision counts. */
  readonly events: (ShownObject & {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
    readonly atMs: number
  })[]
  end?: { readonly how: 'ended' | 'broken' | 'expired' | 'refused'; readonly endMs: number }
}

/** One run of one server. */
export interface ServerRun {
  /** The name of the simulated process. */
  readonly writer: string
  readonly serverID: string
  /** As Lease and entries name it. */
  readonly process: string
  readonly release: string
  readonly part: Part
  /** When it first knew what it writes of the example kind: that an entry of its own was stored. */
  toldMs?: number
  /** Each time that what it writes of the example kind changed, as far as it knew. */
  readonly encodingTimesMs: number[]
  /** When it was stopped; from then on it may delete its own Lease. */
  leavingMs?: number
  endedMs?: number
}

/** One try to migrate a resource. */
export interface MigrationRun {
  /** The name of the agreement record. */
  readonly record: string
  readonly target: MigrationTarget
  /** When the look began that found its target. */
  readonly askedMs?: number
  readonly startMs: number
  /** When the last look at the target that had an answer was begun. */
  lastLookMs: number
  /** The store's revision of the read, if it had one. */
  revision?: Revision
  end?: { readonly endMs: number; readonly outcome: Outcome; readonly proof: Proof }
}

/** A runner has changed a migration, and got the answer. */
export interface MigrationWrite {
  readonly atMs: number
  /** The simulated process, and what claims call it. */
  readonly writer: string
  readonly pid: number
  readonly name: string
  /** As it stands on the object afterwards; empty if it is not claimed. */
  readonly claim: string
  readonly revision: Revision
}

/** A server has taken over a file that lacks keys which the one before had. */
export interface KeysDropped {
  readonly writer: string
  readonly dropped: readonly string[]
  readonly startRevision: Revision
  readonly endMs: number
  readonly endRevision: Revision
}

/** A server was shown bytes that stand in the store, and has no key for them. */
export interface Unopened {
  readonly atMs: number
  readonly writer: string
  readonly key: string
}

/** The store went back to what it was. */
export interface Restore {
  readonly atMs: number
  /** The revision of the backup. */
  readonly revision: Revision
  /** The newest revision that the store had before. */
  readonly highest: Revision
  /** How many commits came before it. */
  readonly commitsBefore: number
}

/** A time in which a process could not be expected to do its work. */
export interface Disturbance {
  /** `*`: everyone. */
  readonly writer: string
  readonly fromMs: number
  toMs: number
}

/** Everything that the checkers look at. */
export interface History {
  readonly leaseDurationMs: number
  readonly renewIntervalMs: number
  /** No clock runs faster than this. */
  readonly fastestClock: number
  readonly commits: ObservedCommit[]
  readonly operations: Operation[]
  readonly observations: Observation[]
  readonly lists: ListRun[]
  readonly watches: WatchRun[]
  readonly runs: ServerRun[]
  readonly disturbances: Disturbance[]
  readonly migrations: MigrationRun[]
  readonly migrationWrites: MigrationWrite[]
  readonly keysDropped: KeysDropped[]
  readonly unopened: Unopened[]
  readonly restores: Restore[]
  /** Those of aggregated fleets behind this one, each with a store of its own. */
  readonly origins: History[]
  /** When the backup was restored, if this timeline begins with one. Its commits from the backup are older. */
  readonly resumedMs?: number
  /** The timeline that this restore ended. */
  readonly lost?: History
  /** Servers that have noticed one. */
  readonly restoresNoticed: { readonly atMs: number; readonly writer: string }[]
  /** Servers that had seen a change which a backup lacks, and got an answer from the store after so many restores. */
  readonly restoresShown: { readonly atMs: number; readonly writer: string; readonly timeline: number }[]
  /** Migrations run, which write the same objects again. */
  isMigrated: boolean
  /** What clients write is encrypted; here it is shown in the clear, with the key that it is under. */
  isEncrypted: boolean
  /** How often each fault happened, and which way decisions went; for `--stats`. */
  readonly counts: Record<string, number>
  /** What must never happen, seen as it happened: answers that name a bug, uncaught errors. */
  readonly bugs: { readonly atMs: number; readonly text: string }[]
  /** Set when the faults have stopped and everything has come to rest, or has not in time. */
  convergence?: { readonly atMs: number; readonly problems: readonly string[] }
  endMs: number
}

export function createHistory(
  leases: Pick<History, 'leaseDurationMs' | 'renewIntervalMs'>,
  fastestClock: number,
): History {
  return {
    ...leases,
    fastestClock,
    commits: [],
    operations: [],
    observations: [],
    lists: [],
    watches: [],
    runs: [],
    disturbances: [],
    migrations: [],
    migrationWrites: [],
    keysDropped: [],
    unopened: [],
    restores: [],
    restoresNoticed: [],
    restoresShown: [],
    origins: [],
    isMigrated: false,
    isEncrypted: false,
    counts: {},
    bugs: [],
    endMs: 0,
  }
}
