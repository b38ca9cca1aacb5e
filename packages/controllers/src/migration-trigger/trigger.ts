import {
  type ApiObject,
  type GroupResource,
  groupResourceText,
  type StorageState,
  type StorageStateStatus,
  storageStates,
} from '@strata/api'
import {
  type Client,
  compareResourceVersions,
  isAbsence,
  isConflict,
  type ResourceClient,
} from '@strata/client'
import type { Clock, Log } from '@strata/world'
import type { Reconciler, Settled } from '../engine/index.ts'
import type { EventRecorder } from '../migration-events/index.ts'
import { decideTrigger, saysSo, type TriggerDecision, type TriggerMemory } from './decide-trigger.ts'
import type { MigrationHome } from './migration-home.ts'
import { accountedPatch, newMigration } from './new-migration.ts'
import type { ObservedMigration } from './observed-migration.ts'
import type { SourceView } from './source-view.ts'
import { decisionWord, type TriggerMetrics } from './trigger-metrics.ts'
import type { TriggerOptions } from './trigger-options.ts'

/** The facts about one resource, from watches and polls. */
export interface ObservedResource {
  readonly resource: GroupResource
  readonly source: SourceView
  readonly state: StorageState | undefined
  readonly wasDeleted: boolean
  readonly migrations: readonly ObservedMigration[]
  /** The API version through which migrators may access the objects. */
  readonly servedVersion: string
  readonly home: MigrationHome
}

export interface TriggerParts {
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly options: TriggerOptions
  readonly events: Pick<EventRecorder, 'record'>
  readonly metrics: TriggerMetrics
  /** Undefined: there is nothing to decide about it. `unreachable`: its servers do not answer now. */
  readonly see: (key: string, signal: AbortSignal) => Promise<ObservedResource | 'unreachable' | undefined>
}

/** Another client has just written: its event arrives soon. */
const afterRaceMs = 200
const whileUnreachableMs = 30_000

/**
 * Reconciles one resource: cancels migrations, then writes the StorageState, then creates a migration. A trigger that stops
 * in between decides the same again. If it wrote the state first, a crash would leave a finished migration to the old version
 * beside a state that has come back to it, and the migration would count. If it created the migration first, the state could
 * show for ever that nothing has changed. Keys are names of StorageStates.
 */
export function createTrigger(parts: TriggerParts): Reconciler {
  const { client, clock, log, options, events, metrics } = parts
  const states = client.resource<StorageState>(storageStates, 'v1alpha1')
  const memories = new Map<string, TriggerMemory>()
  const writes = new Map<string, StorageState>()

  /** False: the facts of the decision have changed. */
  const act = async (
    sight: ObservedResource,
    decision: TriggerDecision,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const { home, resource, state } = sight
    const migrationsIn = (place: MigrationHome): ResourceClient =>
      client.resource({ ...place, resource: 'storageversionmigrations', kind: 'StorageVersionMigration' })
    for (const { migration, because } of decision.cancel) {
      log.info('cancelling a migration', { migration: migration.name, because })
      await cancel(migrationsIn(migration.home ?? home), migration, signal)
    }
    const { accounted } = decision
    if (accounted && !(await account(migrationsIn(accounted.home ?? home), accounted, signal))) return false
    const written = await writeState(states, resource, state, decision, signal)
    writes.set(groupResourceText(resource), written)
    if (!decision.create) return true
    const stateUID = written.metadata.uid ?? ''
    const object = newMigration(
      home,
      resource,
      sight.servedVersion,
      stateUID,
      decision.create,
      options.accept,
    )
    const { target, attempt } = decision.create
    log.info('requesting a migration', {
      migration: object.metadata.name,
      target,
      attempt,
      because: decision.because,
    })
    const made = await create(migrationsIn(home), object, signal)
    const { name = '', uid = '' } = made?.metadata ?? {}
    if (made) events.record({ ...home, name, uid }, { kind: 'created', because: decision.because })
    return true
  }

  return {
    reconcile: async (key, signal): Promise<Settled> => {
      const sight = await parts.see(key, signal)
      // Everything stays as it was, and nothing starts.
      if (sight === 'unreachable') return { lookAgainMs: whileUnreachableMs }
      if (!sight) {
        // CRDs come and go. After a return, servers have to agree for the whole time again.
        memories.delete(key)
        writes.delete(key)
        metrics.forget(key)
        return undefined
      }
      if (isBehind(sight.state, writes.get(key))) return { lookAgainMs: afterRaceMs }
      const decision = decideTrigger(
        {
          ...sight,
          memory: memories.get(key),
          nowMs: clock.monotonicMs(),
          wallMs: clock.wallMs(),
        },
        options,
      )
      log.debug('checked whether a resource needs a migration', { resource: key, because: decision.because })
      try {
        if (!(await act(sight, decision, signal))) return { lookAgainMs: afterRaceMs }
      } catch (error) {
        if (!isConflict(error) && !isAbsence(error, states.address, key)) {
          metrics.failed()
          throw error
        }
        log.debug('conflict; retrying', { resource: key, error: String(error) })
        return { lookAgainMs: afterRaceMs }
      }
      // Only after success: a decision that failed is made again from the same memory.
      memories.set(key, decision.memory)
      measure(key, sight, decision, metrics)
      return { lookAgainMs: Math.min(decision.lookAgainMs ?? options.periodMs, options.periodMs) }
    },
  }
}

/**
 * Migrations and states arrive on two watches. Otherwise: (1) a migration succeeds, the trigger marks it as counted and
 * shrinks the state; (2) the mark arrives before the state; (3) the migration seems to count for nothing, and all objects are
 * migrated again.
 */
function isBehind(seen: StorageState | undefined, written: StorageState | undefined): boolean {
  if (!seen || !written || seen.metadata.uid !== written.metadata.uid) return false
  const [before, after] = [seen.metadata.resourceVersion ?? '', written.metadata.resourceVersion ?? '']
  return (compareResourceVersions(before, after) ?? 0) < 0
}

function measure(
  key: string,
  { resource, source }: ObservedResource,
  { create: asked, cancel: cancelled, isClean }: TriggerDecision,
  metrics: TriggerMetrics,
): void {
  const decision = decisionWord({ create: asked !== undefined, cancel: cancelled.length, isClean })
  const counts = { asked: Number(asked !== undefined), cancelled: cancelled.length }
  metrics.decided(key, { ...resource, source: source.kind, decision }, counts)
}

async function cancel(
  migrations: ResourceClient,
  { name, uid }: ObservedMigration,
  signal: AbortSignal,
): Promise<void> {
  try {
    await migrations.delete({ name }, { preconditions: { uid } }, signal)
  } catch (error) {
    // Gone already, or another one of the same name.
    if (!isAbsence(error, migrations.address, name) && !isConflict(error)) throw error
  }
}

/** Marks a migration as counted. False if it is gone: then the list of persisted hashes must not shrink because of it. */
async function account(
  migrations: ResourceClient,
  { name, uid }: ObservedMigration,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await migrations.patch({ name }, accountedPatch(uid), signal)
    return true
  } catch (error) {
    // Gone, or another one of the same name.
    if (!isAbsence(error, migrations.address, name) && !isConflict(error)) throw error
    return false
  }
}

async function create(
  migrations: ResourceClient,
  object: ApiObject,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  try {
    return await migrations.create(object, signal)
  } catch (error) {
    // It exists: its event has not arrived yet. If it is an old one that is being deleted, the next reconcile sees that.
    if (!isConflict(error)) throw error
    return undefined
  }
}

/** Returns the stored state. A create cannot set the status: until the status is written, the state counts as Unknown. */
async function writeState(
  states: ResourceClient<StorageState>,
  resource: GroupResource,
  before: StorageState | undefined,
  { resets, status }: { readonly resets: boolean; readonly status: StorageStateStatus },
  signal: AbortSignal,
): Promise<StorageState> {
  if (before && !resets) {
    return saysSo(before, status) ? before : states.updateSubresource('status', { ...before, status }, signal)
  }
  const name = groupResourceText(resource)
  if (before) {
    const { uid = '', resourceVersion = '' } = before.metadata
    await states.delete({ name }, { preconditions: { uid, resourceVersion } }, signal)
  }
  const { group, resource: plural } = resource
  const made = await states.create(
    { metadata: { name }, spec: { resource: { group, resource: plural } } },
    signal,
  )
  return states.updateSubresource('status', { ...made, status }, signal)
}
