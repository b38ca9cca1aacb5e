import { abortable, deadline } from '@strata/world'
import { announceRecoveredWrites } from '../agreement-reporting/index.ts'
import { ensurePolicy } from '../bootstrap-policy/index.ts'
import { keepTrust } from '../cluster-trust/index.ts'
import { serveDefaults } from '../configuration/index.ts'
import { expireEvents } from '../registry/index.ts'
import type { Serving, ServingParts } from './create-serving.ts'
import type { ServerMirror } from './run-mirror.ts'
import type { Progress } from './server-checks.ts'
import type { StrataServer } from './server-options.ts'
import type { StoreMember } from './store-recovery.ts'
import { ensureNamespaces } from './system-namespaces.ts'

/** As often as servers with an identity renew their Leases, by default. */
const incarnationLookMs = 10_000

export interface LifeCycleParts extends ServingParts {
  readonly serving: Serving
  /** Set for an aggregated server. */
  readonly mirror: ServerMirror | undefined
  readonly progress: Progress
  /** Aborted when the server has stopped. */
  readonly running: AbortController
}

export function createLifeCycle(
  parts: LifeCycleParts,
): Pick<StrataServer, 'ready' | 'start' | 'drain' | 'stop'> {
  const { agreement, resources, serving, progress, running, checks } = parts
  return {
    get ready() {
      return (
        !progress.isStopping &&
        checks.every(({ isInformational, check }) => isInformational || check() === undefined)
      )
    },
    start: (signal) => start(parts, signal),
    drain: () => {
      progress.isStopping = true
    },
    stop: async (drainMs) => {
      progress.isStopping = true
      // It releases its Lease while this server still answers, so the next leader need not wait.
      await parts.mirror?.stop()
      serving.watches.endAll(new Error('the server is shutting down'))
      await resources.coordinated?.stop()
      const leftMs = await shareRestore(parts, drainMs)
      const leftClean = await agreement.coordinator.leave(leftMs)
      running.abort(new Error('stopped'))
      serving.yaml.close()
      return leftClean
    },
  }
}

/** Takes at most half of the time for leaving, and returns how much of it is left. */
async function shareRestore({ settings, storage }: LifeCycleParts, drainMs: number): Promise<number> {
  const { clock } = settings.world
  const beganMs = clock.monotonicMs()
  const limit = deadline(clock, drainMs / 2)
  await storage.recovery.shared(limit.signal).finally(limit.dispose)
  return drainMs - (clock.monotonicMs() - beganMs)
}

async function start(parts: LifeCycleParts, signal: AbortSignal): Promise<void> {
  const { settings, storage, agreement, resources, progress, running } = parts
  const { world, coordination, releaseName: release, eventTtlMs = serveDefaults.eventTtlMs } = settings
  const { coordinator, undecodable } = agreement
  const { registry, definitionLifecycle } = resources
  const { serverID } = coordination
  if (settings.agreementEvents) announceAgreement(parts)
  void resources.delegation?.run(running.signal)
  await readStore(parts, signal)
  undecodable.look()
  await abortable(storage.recovery.marked, signal)
  resources.coordinated?.start()
  // The store was restored before this server opened it: handled like a restore under a running server (rule 19).
  const { restored } = settings.store
  if (restored !== undefined) storage.recovery.timeline.noteReplaced(restored)
  await Promise.all([
    coordinator.start(signal),
    ensureNamespaces(registry, signal).then(() => {
      progress.hasNamespaces = true
    }),
  ])
  // The start waits below for as long as these may not be written: the log says why.
  const refuses = coordinator.refusing
  if (refuses.length > 0)
    world.log.warn('started, but not ready: this server may not write some resources yet', {
      serverID,
      release,
      refuses,
    })
  void definitionLifecycle.run(running.signal)
  parts.mirror?.start()
  if (settings.clientTrust) void keepTrust(registry, settings.clientTrust, running.signal)
  if (eventTtlMs > 0) void expireEvents(registry, eventTtlMs, running.signal)
  await Promise.all([createPolicy(parts, signal), registerVersions(parts, signal)])
  await coordinator.writable(signal)
  const { refused = [] } = undecodable
  const untrusting = resources.delegation?.trust.problem
  if (untrusting !== undefined) world.log.warn(`started, but not ready: ${untrusting}`, { serverID, release })
  else if (refused.length === 0) world.log.info('ready', { serverID, release })
  else
    world.log.warn('started, but not ready: this release cannot decode some stored objects', {
      serverID,
      release,
      refused,
    })
}

function announceAgreement({ settings, storage, agreement, resources, running }: LifeCycleParts): void {
  const { registry } = resources
  const { serverID } = settings.coordination
  agreement.reporter.announce(registry, serverID, running.signal)
  storage.writes.onRecovered = (past) =>
    void announceRecoveredWrites(registry, serverID, past, running.signal)
}

/** Resolves when the cache is filled. */
async function readStore(parts: LifeCycleParts, signal: AbortSignal): Promise<void> {
  const { settings, storage, running } = parts
  const { recovery, cache } = storage
  const synced = Promise.withResolvers<void>()
  settings.encryption?.run(running.signal)
  void recovery.start(storeMember(parts), running.signal)
  if (!settings.featureGates.APIServerIdentity) void recovery.look(incarnationLookMs, running.signal)
  void cache.run(running.signal, synced.resolve)
  await abortable(synced.promise, signal)
}

function storeMember({ settings, storage, agreement, resources }: LifeCycleParts): StoreMember {
  const { cache } = storage
  const { coordinator } = agreement
  const { registry, apiServices } = resources
  return {
    stop: (error) => {
      coordinator.suspend(error.message)
      cache.storeReplaced(error)
    },
    forget: (before) => cache.forgetBefore(before),
    mark: (gap, signal) => coordinator.noteGap(gap, signal),
    rejoin: async (gap, signal) => {
      await cache.whenSynced(signal)
      await coordinator.rejoin(gap, signal)
      // The backup may lack the objects that a server creates when it starts.
      await ensureNamespaces(registry, signal)
      if (settings.bootstrapPolicy !== false) await ensurePolicy(registry, signal)
      if (settings.apiServices !== false) apiServices.lookAtAll()
    },
  }
}

async function createPolicy(
  { resources, progress, running }: LifeCycleParts,
  signal: AbortSignal,
): Promise<void> {
  if (progress.hasPolicy) return
  await abortable(ensurePolicy(resources.registry, running.signal), signal)
  progress.hasPolicy = true
}

async function registerVersions(
  { resources: { apiServices }, progress, running }: LifeCycleParts,
  signal: AbortSignal,
): Promise<void> {
  if (progress.hasApiServices) return
  await abortable(apiServices.register(running.signal), signal)
  progress.hasApiServices = true
  void apiServices.run(running.signal)
}
