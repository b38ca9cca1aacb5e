import {
  agreementResource,
  type GroupResource,
  groupResourceText,
  type StorageState,
  storageAgreements,
  storageStates,
  storageVersions,
} from '@strata/api'
import { type Client, isAbsence, isConflict, type ResourceClient } from '@strata/client'
import { InvariantBroken, jitter, sleep, type World } from '@strata/world'
import { findOrigin } from '../migrator/index.ts'
import { decideReport, type SeenEntry } from './decide-report.ts'
import { saysSo } from './decide-trigger.ts'
import { type HashPoll, observeHashes } from './observe-hashes.ts'
import type { TriggerOptions } from './trigger-options.ts'

export interface ReporterOptions {
  readonly world: World
  /** Must reach only the server that this reporter runs beside. */
  readonly client: Client
  /** The identity of this process in leader election. */
  readonly reporterID: string
  readonly options: TriggerOptions
}

interface Remembered {
  readonly lastLookMs: number
  readonly seen: Readonly<Record<string, SeenEntry>>
}

const attemptsPerState = 8

/**
 * Reads the hashes of its server once in a period, and writes them into the StorageStates (the migration KEP, "Extended API
 * proposal for HA cluster"). Every reporter does so, leader or not. The trigger decides about migrations.
 */
export async function runReporter(options: ReporterOptions, signal: AbortSignal): Promise<void> {
  const { world } = options
  const { clock, random } = world
  const log = world.log.with({ reporter: options.reporterID })
  const memories = new Map<string, Remembered>()
  const { periodMs } = options.options
  while (!signal.aborted) {
    const startMs = clock.monotonicMs()
    let waitMs = periodMs
    try {
      await report({ ...options, world: { ...world, log } }, memories, signal)
    } catch (error) {
      if (error instanceof InvariantBroken) throw error
      if (signal.aborted) return
      log.warn('reporting failed; retrying', { error: String(error) })
      waitMs = Math.min(periodMs, jitter(random, periodMs / 20, 0.25))
    }
    const leftMs = startMs + waitMs - clock.monotonicMs()
    await sleep(clock, Math.max(leftMs, 1), signal).catch(() => {})
  }
}

async function report(
  options: ReporterOptions,
  memories: Map<string, Remembered>,
  signal: AbortSignal,
): Promise<void> {
  const { client, world } = options
  const poll = await observeHashes(client, signal)
  const serves = ({ group, resource }: GroupResource): boolean =>
    poll.resources.some((each) => each.group === group && each.resource === resource)
  if (serves(storageAgreements)) {
    world.log.debug('agreement records exist: no hashes are reported')
    return
  }
  // The trigger reads the record of aggregated servers, and would remove the hash again.
  const isStoredElsewhere = (each: GroupResource): boolean => findOrigin(each, poll.resources).kind !== 'none'
  const published = serves(storageVersions) ? await publishedNames(client, signal) : new Set<string>()
  const states = client.resource<StorageState>(storageStates, 'v1alpha1')
  const { items } = await states.list({}, signal)
  const known = new Map(items.map((each) => [each.metadata.name ?? '', each]))
  for (const [key, resource] of resourcesOf(poll)) {
    const hash = poll.hashes.get(key)
    if (hash === undefined || published.has(key) || isStoredElsewhere(resource)) continue
    try {
      memories.set(
        key,
        await reportOne(
          options,
          states,
          { resource, hash, found: known.get(key) },
          memories.get(key),
          signal,
        ),
      )
    } catch (error) {
      if (signal.aborted) throw error
      world.log.warn('reporting failed', { resource: key, error: String(error) })
    }
  }
  if (poll.failures.length > 0) world.log.warn('discovery of some groups failed', { failures: poll.failures })
}

interface Reported {
  readonly resource: GroupResource
  readonly hash: string
  readonly found: StorageState | undefined
}

/** Other reporters write the same states at the same time. After a lost race this one reads the state again, and retries. */
async function reportOne(
  { world, reporterID, options }: ReporterOptions,
  states: ResourceClient<StorageState>,
  { resource, hash, found }: Reported,
  memory: Remembered | undefined,
  signal: AbortSignal,
): Promise<Remembered> {
  const { clock, random } = world
  const name = groupResourceText(resource)
  let state = found
  for (let attempt = 1; ; attempt++) {
    const nowMs = clock.monotonicMs()
    const { status, seen } = decideReport({
      ...{ status: state?.status, reporterID, hash, nowMs, wallMs: clock.wallMs(), options },
      ...{ seen: memory?.seen ?? {}, lastLookMs: memory?.lastLookMs },
    })
    try {
      const { group, resource: plural } = resource
      const spec = { resource: { group, resource: plural } }
      const made = state ?? (await states.create({ metadata: { name }, spec }, signal))
      if (!saysSo(made, status)) await states.updateSubresource('status', { ...made, status }, signal)
      return { lastLookMs: nowMs, seen }
    } catch (error) {
      const isOvertaken = isConflict(error) || isAbsence(error, states.address, name)
      if (!isOvertaken || attempt === attemptsPerState) throw error
      await sleep(clock, jitter(random, 20 * attempt, 0.9), signal)
      state = await observeState(states, name, signal)
    }
  }
}

async function observeState(
  states: ResourceClient<StorageState>,
  name: string,
  signal: AbortSignal,
): Promise<StorageState | undefined> {
  try {
    return await states.get({ name }, signal)
  } catch (error) {
    if (isAbsence(error, states.address, name)) return undefined
    throw error
  }
}

/** Resources with a StorageVersion: their servers publish the version that they write. */
async function publishedNames(client: Client, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await client.resource(storageVersions, 'v1alpha1').list({}, signal)
  return new Set(items.map(({ metadata: { name = '' } }) => groupResourceText(agreementResource(name))))
}

function resourcesOf({ resources, hashes }: HashPoll): ReadonlyMap<string, GroupResource> {
  const found = new Map<string, GroupResource>()
  for (const { group, resource } of resources) {
    const key = groupResourceText({ group, resource })
    if (hashes.has(key)) found.set(key, { group, resource })
  }
  return found
}
