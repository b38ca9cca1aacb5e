import { type StorageState, type StorageStateStatus, settledStatus } from '@strata/api'
import { decideHold, type Hold, type HoldMemory } from './decide-hold.ts'
import { decideMigrations, type MigrationsDecision, type Wanted } from './decide-migrations.ts'
import { decideObservedState } from './decide-observed-state.ts'
import { decideRecordState } from './decide-record-state.ts'
import type { ObservedMigration } from './observed-migration.ts'
import type { CommonHash, RecordView, SourceView, StorageVersionView } from './source-view.ts'
import { staleLimitMs } from './stale-limit.ts'
import type { TriggerOptions } from './trigger-options.ts'

/** All that is known of one resource at one moment. */
export interface Look {
  readonly source: SourceView
  readonly state: StorageState | undefined
  /** A user deleted the state in this term, and it has not been created again. */
  readonly wasDeleted: boolean
  readonly migrations: readonly ObservedMigration[]
  /** The memory of this leader's term. */
  readonly memory: TriggerMemory | undefined
  readonly nowMs: number
  readonly wallMs: number
}

export interface TriggerMemory {
  readonly hold: HoldMemory
  /** The common version of the StorageVersion, and when it last changed. */
  readonly common?: string
  readonly movedAt?: string
}

export interface TriggerDecision extends MigrationsDecision {
  /** The state is deleted and created again: nothing of the old one counts any more. */
  readonly resets: boolean
  /** The wanted status. It is written only if the stored one differs. */
  readonly status: StorageStateStatus
  /** Objects may be stored only in the version and under the key that all servers write now. A hash does not show the key. */
  readonly isClean: boolean
  /** The migration to mark as counted before the list of persisted hashes shrinks because of it. */
  readonly accounted?: ObservedMigration | undefined
  readonly memory: TriggerMemory
}

/**
 * Decides by the migration KEP and, if the cluster has more than discovery, by KEP-2339. Pure, so that tests list the whole
 * policy in tables.
 */
export function decideTrigger(look: Look, options: TriggerOptions): TriggerDecision {
  const { source } = look
  return source.kind === 'record' ? fromRecord(look, source, options) : fromObservation(look, source, options)
}

function fromRecord(look: Look, record: RecordView, options: TriggerOptions): TriggerDecision {
  const { state, migrations, wallMs } = look
  const { persisted, accepted, isClean } = decideRecordState({ ...look, record, accept: options.accept })
  const { common } = record
  // A heartbeat shows whether changes may have been missed. A record keeps all changes, so no write is made for a heartbeat
  // alone.
  const { lastHeartbeatTime, ...before } = state?.status ?? {}
  const wanted = {
    persistedStorageVersionHashes: persisted,
    ...(common.agreed ? { currentStorageVersionHash: common.hash } : {}),
    ...(accepted ? { accepted } : {}),
  }
  const { lastHeartbeatTime: _, ...standing } = settledStatus(before)
  const isSame = state !== undefined && equal(standing, settledStatus(wanted))
  const heartbeat = isSame ? lastHeartbeatTime : secondsOf(wallMs)
  const status = settledStatus({ ...wanted, ...(heartbeat ? { lastHeartbeatTime: heartbeat } : {}) })
  const epoch = `${record.uid} ${record.epoch}`
  const hold = settledHold(look, common, record.isFenced ? 0 : options.settleMs, epoch)
  return {
    ...decideMigrations({
      wanted: wantedOf(common, `epoch ${record.epoch}`),
      ...{ isClean, hold, state, persisted, migrations, wallMs, options },
      ...{ recordUID: record.uid, isNews: false },
    }),
    ...(hold.lookAgainMs === undefined ? {} : { lookAgainMs: hold.lookAgainMs }),
    ...{ status, isClean, resets: false, memory: { hold: hold.memory } },
  }
}

type Observation = Exclude<SourceView, RecordView>

function fromObservation(look: Look, source: Observation, options: TriggerOptions): TriggerDecision {
  const { wallMs, memory } = look
  const isStale = look.state !== undefined && isTooOld(look.state, look, source, options)
  // Reporters have entries in the state, which a reset would lose.
  const resets = isStale && source.kind !== 'reporters'
  const state = resets ? undefined : look.state
  const entries = source.kind === 'reporters' ? (state?.status?.currentStorageVersionHashes ?? []) : []
  const hold = holdOf(look, source, options)
  const { hashes, common } = observed(source, state, hold)
  const before = state?.status?.currentStorageVersionHash
  const isUnsure =
    (isStale && !resets) || (source.kind === 'storageversion' && hasMovedUnseen(source, state, memory))
  const { accept } = options
  const migrations = look.migrations
  const facts = { state, hashes, common, isUnsure, migrations, accept }
  const { persisted, isClean, accounted } = decideObservedState(facts)
  const heartbeat = heartbeatOf(look, source, options)
  const kept = entries.filter(({ reporterID }) => !hold.expired.includes(reporterID))
  const status = settledStatus({
    persistedStorageVersionHashes: persisted,
    ...(common.agreed ? { currentStorageVersionHash: common.hash } : {}),
    ...(heartbeat ? { lastHeartbeatTime: heartbeat } : {}),
    ...(kept.length > 0 ? { currentStorageVersionHashes: kept } : {}),
  })
  const isNews = state === undefined || !common.agreed || before !== common.hash
  return {
    ...decideMigrations({
      wanted: wantedOf(common, common.agreed ? common.hash : ''),
      ...{ isClean, hold, state, persisted, recordUID: undefined, isNews, migrations, wallMs, options },
    }),
    ...(hold.lookAgainMs === undefined ? {} : { lookAgainMs: hold.lookAgainMs }),
    accounted,
    ...{ status, isClean, resets },
    memory: {
      hold: hold.memory,
      ...(common.agreed ? { common: common.hash } : {}),
      ...(source.kind === 'storageversion' && source.movedAt ? { movedAt: source.movedAt } : {}),
    },
  }
}

function wantedOf(common: CommonHash, target: string): Wanted {
  if (common.agreed) return { kind: 'target', target }
  return { kind: common.waits ? 'wait' : 'nothing', because: common.because }
}

function observed(source: Observation, state: StorageState | undefined, { memory, because }: Hold) {
  if (source.kind === 'discovery') {
    return { hashes: [source.hash], common: { agreed: true, hash: source.hash } as const }
  }
  if (source.kind === 'storageversion') return source
  const hashes =
    state?.status?.currentStorageVersionHashes?.map((each) => each.currentStorageVersionHash) ?? []
  const common: CommonHash =
    memory.hash === undefined ? { agreed: false, because } : { agreed: true, hash: memory.hash }
  return { hashes, common }
}

/** A leader that polls discovery counts as the only reporter. */
function holdOf(look: Look, source: Observation, options: TriggerOptions): Hold & { lookAgainMs?: number } {
  const { state, memory, nowMs, wallMs } = look
  if (source.kind === 'storageversion') return settledHold(look, source.common, options.settleMs)
  const entries =
    source.kind === 'reporters'
      ? (state?.status?.currentStorageVersionHashes ?? [])
      : [
          {
            reporterID: 'discovery',
            currentStorageVersionHash: source.hash,
            // Each poll is another heartbeat, even two within a second.
            lastHeartbeatTime: new Date(source.polledAtMs).toISOString(),
          },
        ]
  return decideHold({ entries, memory: memory?.hold, nowMs, wallMs, options })
}

/**
 * A watched source counts at once if a fence enforces it; else after a while, which starts again with each epoch. Otherwise:
 * loose servers change to the next encryption key, the hash stays, and a migration starts at once, while writes under the
 * old key are still under way.
 */
function settledHold(
  { memory, nowMs }: Look,
  common: CommonHash,
  settleMs: number,
  epoch?: string,
): Hold & { lookAgainMs?: number } {
  const hash = common.agreed ? common.hash : undefined
  const isSame = memory !== undefined && memory.hold.hash === hash && memory.hold.epoch === epoch
  const sinceMs = isSame ? memory.hold.sinceMs : nowMs
  const leftMs = settleMs - (nowMs - sinceMs)
  const isReady = hash !== undefined && leftMs <= 0
  return {
    memory: { hash, epoch, sinceMs, reporters: {} },
    isReady,
    because: isReady ? 'agreed' : 'agreed, but not fenced: waiting until all servers know it',
    expired: [],
    ...(hash !== undefined && leftMs > 0 ? { lookAgainMs: leftMs } : {}),
  }
}

/** The migration KEP: a controller that was away cannot know what it has missed. A heartbeat of the future is too old as well. */
function isTooOld(
  state: StorageState,
  { wallMs, memory }: Look,
  source: Observation,
  options: TriggerOptions,
): boolean {
  const { lastHeartbeatTime, currentStorageVersionHashes = [] } = state.status ?? {}
  const beats =
    source.kind === 'reporters' ? currentStorageVersionHashes.map((each) => each.lastHeartbeatTime) : []
  const times = (beats.length > 0 ? beats : [lastHeartbeatTime]).map((each) => Date.parse(each ?? ''))
  const latest = Math.max(...times.map((each) => (Number.isNaN(each) ? 0 : each)))
  const limitMs = staleLimitMs(options, memory !== undefined)
  const lookedAtMs = source.kind === 'discovery' ? source.polledAtMs : wallMs
  return latest === 0 ? state.status !== undefined : Math.abs(lookedAtMs - latest) > limitMs
}

/** The common version changed and changed back, and the states in between were not seen. */
function hasMovedUnseen(
  { common, movedAt }: StorageVersionView,
  state: StorageState | undefined,
  memory: TriggerMemory | undefined,
): boolean {
  if (!common.agreed || movedAt === undefined || state === undefined) return false
  if (memory)
    return memory.common === common.hash && memory.movedAt !== undefined && memory.movedAt !== movedAt
  const { currentStorageVersionHash, lastHeartbeatTime = '' } = state.status ?? {}
  return currentStorageVersionHash === common.hash && Date.parse(movedAt) > Date.parse(lastHeartbeatTime)
}

/** The time of the last read. Reporters have heartbeats of their own. */
function heartbeatOf(look: Look, source: Observation, { periodMs }: TriggerOptions): string | undefined {
  if (source.kind === 'discovery') return secondsOf(source.polledAtMs)
  const { state, wallMs } = look
  const last = state?.status?.lastHeartbeatTime
  if (source.kind === 'reporters') return last
  const isDue = last === undefined || Math.abs(wallMs - Date.parse(last)) >= periodMs
  const isNew = source.common.agreed && state?.status?.currentStorageVersionHash !== source.common.hash
  return isDue || isNew ? secondsOf(wallMs) : last
}

/** The form of times on the wire. */
export function secondsOf(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`
}

/** Whether the state already has this status. */
export function saysSo({ status }: StorageState, wanted: StorageStateStatus): boolean {
  return status !== undefined && equal(status, wanted)
}

function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, each]) => [field, sorted(each)]),
  )
}
