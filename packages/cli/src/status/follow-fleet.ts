import {
  groupResourceText,
  identityNamespace,
  isIdentityLease,
  type Lease,
  leases,
  refusedResources,
  refusesEncryptionFile,
  storageAgreements,
} from '@strata/api'
import { type Client, createInformer, keepListening } from '@strata/client'
import type { FleetFacts, Unseen } from '@strata/insight'
import { type Clock, deadline, silentLog, sleep, type World } from '@strata/world'
import { observeAggregated } from '../migration/aggregated/observe-aggregated.ts'
import { observeServed } from './observe-fleet.ts'

export interface FollowOptions {
  readonly client: Client
  readonly world: World
  /** The first observation. */
  readonly facts: FleetFacts
  /** Set while no server answers. */
  readonly unseen: () => Unseen | undefined
  readonly pace: Pace
}

/** When a change is shown. A server that joins changes every record, one after the other. */
export interface Pace {
  /** A change is shown after this long without another. */
  readonly quietMs: number
  /** A change is shown after this long at the latest. */
  readonly patienceMs: number
}

/** For a terminal. */
export const screenPace: Pace = { quietMs: 300, patienceMs: 1_500 }
/** For a pipe: the short states of a server that joins or leaves are over by then. */
export const pipePace: Pace = { quietMs: 1_000, patienceMs: 4_000 }
/** Ages grow, and servers fall silent, without an event. */
const tickMs = 1_000
const servedMs = 5_000
const aggregatedMs = 3_000
/** Bookmarks come every minute. Without one the connection is dead, even if the server answers others. */
const stallMs = 75_000
/** Short: a user is waiting. */
const backoff = { firstMs: 300, maxMs: 3_000 }

/**
 * Yields the state of the fleet now, after each change, and every second, until the signal is aborted. Watches the records
 * and the Leases; a watch that ends, fails or freezes is started again through a server that answers.
 */
export async function* followFleet(options: FollowOptions, signal: AbortSignal): AsyncGenerator<FleetFacts> {
  const { client, facts, unseen } = options
  const { quietMs, patienceMs } = options.pace
  // Log lines would break the picture on a terminal; failures are shown as `unseen`.
  const { clock, random } = options.world
  const world = { clock, random, log: silentLog }
  let changedMs = Number.NEGATIVE_INFINITY
  let wake: () => void = () => {}
  const onChange = (): void => {
    changedMs = clock.monotonicMs()
    wake()
  }
  const records = createInformer(client.resource(storageAgreements, 'v1alpha1'), {
    ...{ world, stallMs, backoff, onChange },
  })
  const found = createInformer(client.resource(leases, 'v1'), {
    ...{ world, stallMs, backoff, namespace: identityNamespace },
    onChange: (change) => {
      // A renewal changes only an age, which the next tick shows.
      const renews = change.kind === 'modified' && isRenewal(change.previous, change.object)
      if (!renews) onChange()
    },
  })
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const listening = {
    clock,
    listen: (each: AbortSignal) => Promise.all([records.run(each), found.run(each)]),
    // A read from the store: a server that is cut off from its store must not pass for a healthy one.
    ask: (each: AbortSignal) =>
      client.resource(leases, 'v1').listPage({ namespace: identityNamespace, limit: 1 }, each),
  }
  const running = keepListening(listening, stop.signal)
  running.catch(onChange)
  let { served, aggregated } = facts
  const polling = pollAggregated(client, clock, stop.signal, (now) => {
    aggregated = now
  })
  let seen = facts
  let askedMs = Number.NEGATIVE_INFINITY
  try {
    while (!signal.aborted) {
      if (records.synced && found.synced) {
        seen = {
          records: [...records.store.values()],
          leases: [...found.store.values()].filter(isIdentityLease),
        }
        if (changedMs > askedMs && hasUnclear(seen, served)) {
          askedMs = clock.monotonicMs()
          served = await askServed(client, clock, signal)
        }
      }
      yield { ...seen, served, aggregated, hasRecords: facts.hasRecords, unseen: unseen() }
      const tick = Promise.withResolvers<void>()
      wake = tick.resolve
      await Promise.race([tick.promise, sleep(clock, tickMs, signal), running]).catch(ended(signal))
      const begunMs = clock.monotonicMs()
      while (
        !signal.aborted &&
        clock.monotonicMs() - changedMs < quietMs &&
        clock.monotonicMs() - begunMs < patienceMs
      ) {
        await sleep(clock, quietMs / 3, signal).catch(ended(signal))
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop.abort(new Error('status has ended'))
    await Promise.all([running.catch(() => {}), polling])
  }
}

/** Reads aggregated servers again and again, beside the watches: a slow one must not delay the picture. */
async function pollAggregated(
  client: Client,
  clock: Clock,
  signal: AbortSignal,
  show: (aggregated: FleetFacts['aggregated']) => void,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, aggregatedMs, signal).catch(() => {})
    const seen = await observeAggregated(client, clock, signal).catch(() => undefined)
    if (seen && !signal.aborted) show(seen)
  }
}

async function askServed(client: Client, clock: Clock, signal: AbortSignal): Promise<FleetFacts['served']> {
  const limit = deadline(clock, servedMs, signal)
  try {
    return await observeServed(client, limit.signal)
  } catch {
    return undefined
  } finally {
    limit.dispose()
  }
}

/** The holder and what it refuses are unchanged. */
function isRenewal(before: Lease, after: Lease): boolean {
  const said = (lease: Lease): string =>
    JSON.stringify([lease.spec?.holderIdentity, refusedResources(lease), refusesEncryptionFile(lease)])
  return said(before) === said(after)
}

/** A record without entries: is its CRD gone, or are the servers still starting? Discovery shows which. */
function hasUnclear({ records }: FleetFacts, served: ReadonlySet<string> | undefined): boolean {
  return records.some(
    ({ spec, status }) => status.servers.length === 0 && served?.has(groupResourceText(spec)) !== false,
  )
}

/** An abort is no failure; anything else is a bug of the informers. */
function ended(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error
  }
}
