import { type GroupResource, groupResourceText, type StorageAgreement } from '@strata/api'
import {
  type Client,
  createInformer,
  type DiscoveredResource,
  isRequestFailure,
  type ResourceAddress,
} from '@strata/client'
import { deadline, type World } from '@strata/world'
import { decideOrigin, findOrigin, findOrigins, readOrigin } from '../migrator/index.ts'
import type { RecordView } from './source-view.ts'
import { recordView } from './view-of.ts'

export interface OriginRecordsOptions {
  readonly world: World
  readonly client: Client
  /** Called when the record of a resource has changed. */
  readonly onChange: (key: string) => void
}

interface Watched {
  readonly address: ResourceAddress
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/** What the aggregated servers of a resource say: a record; nothing that counts; or no answer. */
export type OriginView = RecordView | 'no record' | 'unreachable'

/** One slow group must not keep the trigger from the others. */
const readMs = 10_000
const awayMs = 30_000

/**
 * The records of aggregated servers. A watch shows that one has changed. Each decision reads the record again: an old record
 * must not start a migration while its servers are away.
 */
export class OriginRecords {
  readonly #options: OriginRecordsOptions
  readonly #watched = new Map<string, Watched>()
  /** Until when each group that did not answer is left alone. */
  readonly #awayUntilMs = new Map<string, number>()
  #discovered: readonly DiscoveredResource[] = []

  constructor(options: OriginRecordsOptions) {
    this.#options = options
  }

  /** Call it with everything that is served, groups whose discovery failed included. */
  follow(discovered: readonly DiscoveredResource[]): void {
    this.#discovered = discovered
    const wanted = new Map(findOrigins(discovered).map((each) => [each.group, each]))
    for (const [group, { address, stop }] of this.#watched) {
      if (wanted.get(group)?.versionName === address.versionName) continue
      this.#watched.delete(group)
      stop.abort(new Error('no longer served'))
    }
    for (const each of wanted.values()) if (!this.#watched.has(each.group)) this.#watch(each)
  }

  /** Undefined if no aggregated server has records of the group. */
  async view(resource: GroupResource, kind: string, signal: AbortSignal): Promise<OriginView | undefined> {
    if (findOrigin(resource, this.#discovered).kind === 'none') return undefined
    const { world, client } = this.#options
    const { clock, log } = world
    const { group } = resource
    if ((this.#awayUntilMs.get(group) ?? 0) > clock.monotonicMs()) return 'unreachable'
    const limit = deadline(clock, readMs, signal)
    try {
      const discovery = { resources: this.#discovered, failures: [] }
      const seen = await readOrigin(client, resource, discovery, limit.signal)
      if (seen === undefined) return undefined
      const decision = decideOrigin(resource, seen)
      if (decision.kind === 'record') return recordView(decision.record, kind)
      log.info('an aggregated resource is left alone', { ...resource, because: decision.because })
      return 'no record'
    } catch (error) {
      if (signal.aborted || !isRequestFailure(error)) throw error
      log.info('aggregated servers do not answer; their resources are left alone', {
        group,
        error: String(error),
      })
      this.#awayUntilMs.set(group, clock.monotonicMs() + awayMs)
      return 'unreachable'
    } finally {
      limit.dispose()
    }
  }

  async stop(reason: unknown): Promise<void> {
    const all = [...this.#watched.values()]
    for (const { stop } of all) stop.abort(reason)
    await Promise.all(all.map(({ ended }) => ended))
  }

  #watch(address: ResourceAddress): void {
    const { world, client, onChange } = this.#options
    const stop = new AbortController()
    const informer = createInformer(client.resource<StorageAgreement>(address), {
      world,
      onChange: ({ object: { spec } }) => {
        // Aggregated servers speak for their own group only.
        if (spec?.group === address.group) onChange(groupResourceText(spec))
      },
    })
    this.#watched.set(address.group, { address, stop, ended: informer.run(stop.signal) })
  }
}
