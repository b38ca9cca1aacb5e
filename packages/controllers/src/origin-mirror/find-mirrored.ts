import {
  identityNamespace,
  type Lease,
  mirroredServerId,
  originLabel,
  originServerAnnotation,
  originsOf,
  type StorageVersion,
} from '@strata/api'
import { isRequestFailure } from '@strata/client'
import { type Cancel, jitter, type Log, sleep, type World } from '@strata/world'
import type { Source } from '../engine/index.ts'
import { type AggregatorObjects, NotOffered, offered } from './aggregator-objects.ts'
import { partsOf } from './mirrored-parts.ts'

const roundMs = 60_000

export interface MirroredObjectsOptions {
  readonly origin: string
  readonly leases: AggregatorObjects<Lease>
  readonly storageVersions: AggregatorObjects<StorageVersion>
  /** All servers and records of the origin, as the informers have them. */
  readonly known: { readonly servers: () => Iterable<string>; readonly records: () => Iterable<string> }
  readonly world: Pick<World, 'clock' | 'random'>
  readonly log: Log
}

/**
 * Looks every minute at what the aggregator shows of this origin. An earlier leader may have left objects of servers and records
 * that are gone, the aggregator's collector removes what this leader was too slow to renew, and a leader that was frozen may
 * have written once more.
 */
export class MirroredObjects {
  readonly #options: MirroredObjectsOptions
  readonly #listeners = { server: new Set<(key: string) => void>(), record: new Set<(key: string) => void>() }

  constructor(options: MirroredObjectsOptions) {
    this.#options = options
  }

  get servers(): Source {
    return this.#source('server')
  }

  get records(): Source {
    return this.#source('record')
  }

  /** The mirrored Lease of a server came or went: its entries in all records may do the same. */
  lookAtRecords(): void {
    for (const name of this.#options.known.records()) this.#notify('record', name)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { world } = this.#options
    while (!signal.aborted) {
      await this.#attempt(() => this.#findServers(signal), signal)
      await this.#attempt(() => this.#findRecords(signal), signal)
      await sleep(world.clock, jitter(world.random, roundMs, 0.2), signal).catch(() => {})
    }
  }

  /** A Lease whose annotation does not fit its name is left to the aggregator's collector: no server renews it. */
  async #findServers(signal: AbortSignal): Promise<void> {
    const { origin, leases, known } = this.#options
    const selected = { namespace: identityNamespace, labelSelector: `${originLabel}=${origin}` }
    const { items } = await leases.client.list(selected, signal)
    const shown = items
      .map(({ metadata }) => ({
        name: metadata.name,
        id: metadata.annotations?.[originServerAnnotation] ?? '',
      }))
      .filter(({ name, id }) => name === mirroredServerId(origin, id))
      .map(({ id }) => id)
    const live = new Set(known.servers())
    for (const id of new Set(shown).symmetricDifference(live)) this.#notify('server', id)
  }

  async #findRecords(signal: AbortSignal): Promise<void> {
    const { origin, storageVersions, known } = this.#options
    const { items } = await storageVersions.client.list({}, signal)
    const shown = items
      .filter(
        (each) =>
          originsOf(each).some((named) => named.origin === origin) || partsOf(each, origin).own.length > 0,
      )
      .map(({ metadata }) => metadata.name ?? '')
    for (const name of new Set([...shown, ...known.records()])) this.#notify('record', name)
  }

  /** The reconcilers ask the aggregator too, and log what it refuses. */
  async #attempt(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await look()
    } catch (error) {
      if (signal.aborted) return
      if (!isRequestFailure(error)) throw error
      const isRefused = offered(error) instanceof NotOffered
      this.#options.log[isRefused ? 'debug' : 'info']('could not list what is mirrored; trying in a minute', {
        error: String(error),
      })
    }
  }

  #source(of: 'server' | 'record'): Source {
    return {
      subscribe: (enqueue): Cancel => {
        this.#listeners[of].add(enqueue)
        return () => this.#listeners[of].delete(enqueue)
      },
      whenSynced: () => Promise.resolve(),
    }
  }

  #notify(of: 'server' | 'record', key: string): void {
    for (const enqueue of [...this.#listeners[of]]) enqueue(key)
  }
}
