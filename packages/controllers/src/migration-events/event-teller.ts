import { createHash } from 'node:crypto'
import { ApiError, type Event, events } from '@strata/api'
import { type Client, isConflict, type ResourceClient } from '@strata/client'
import { abortable, deadline, type Log, timestamp, type World } from '@strata/world'
import { decideEvent, type EventWords, type Happening } from './decide-event.ts'

/** The object that an event is about. */
export interface Subject {
  readonly group: string
  /** Any that is served; the group tells what it is. */
  readonly versionName?: string
  readonly name: string
  readonly uid: string
}

export interface EventTellerOptions {
  readonly world: Pick<World, 'clock' | 'processes'>
  readonly client: Client
  readonly log: Log
  /** Who tells. */
  readonly component: string
}

interface Told {
  readonly subject: Subject
  readonly words: EventWords
  readonly at: string
}

/** Of what has no namespace, where kubectl looks. */
const namespace = 'default'
const writeMs = 5_000
const endMs = 2_000
/** More are lost, which costs nobody anything but the words. */
const mostWaiting = 200
/** After a server has said that it takes none, or not from us. */
const quietMs = 60_000

/**
 * Tells of migrations by the ordinary Events API, one after the other, beside the work. Nobody waits for it, and nothing
 * depends on it: what cannot be told is lost. What happens again in the same words is counted in the same Event, whoever
 * tells it, because its name follows from them.
 */
export class EventTeller {
  readonly #options: EventTellerOptions
  readonly #events: ResourceClient<Event>
  readonly #waiting: Told[] = []
  #telling: Promise<void> | undefined
  #quietUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: EventTellerOptions) {
    this.#options = options
    this.#events = options.client.resource<Event>(events, 'v1')
  }

  tell(subject: Subject, happening: Happening): void {
    const { clock } = this.#options.world
    if (clock.monotonicMs() < this.#quietUntilMs || this.#waiting.length >= mostWaiting) return
    this.#waiting.push({ subject, words: decideEvent(happening), at: timestamp(clock) })
    this.#telling ??= this.#drain().finally(() => {
      this.#telling = undefined
    })
  }

  /** What cannot be told in a moment is lost. */
  async end(): Promise<void> {
    const limit = deadline(this.#options.world.clock, endMs)
    try {
      await abortable(this.#telling ?? Promise.resolve(), limit.signal)
    } catch {
      this.#waiting.length = 0
    } finally {
      limit.dispose()
    }
  }

  async #drain(): Promise<void> {
    const { world, log } = this.#options
    for (let told = this.#waiting.shift(); told; told = this.#waiting.shift()) {
      const limit = deadline(world.clock, writeMs)
      try {
        await this.#write(told, limit.signal)
      } catch (error) {
        log.info('writing an Event failed', { reason: told.words.reason, error: String(error) })
        if (error instanceof ApiError && [403, 404].includes(error.code)) {
          this.#quietUntilMs = world.clock.monotonicMs() + quietMs
          this.#waiting.length = 0
        }
      } finally {
        limit.dispose()
      }
    }
  }

  async #write(told: Told, signal: AbortSignal): Promise<void> {
    const event = this.#eventOf(told)
    const { name = '' } = event.metadata
    try {
      await this.#events.create(event, signal)
    } catch (error) {
      if (!isConflict(error)) throw error
      const { count = 1 } = await this.#events.get({ namespace, name }, signal)
      await this.#events.patch({ namespace, name }, { count: count + 1, lastTimestamp: told.at }, signal)
    }
  }

  #eventOf({ subject, words, at }: Told): Event {
    const { component, world } = this.#options
    const { group, versionName = group === 'migration.k8s.io' ? 'v1alpha1' : 'v1beta1', name, uid } = subject
    const mark = createHash('sha256')
      .update(JSON.stringify([uid, words]))
      .digest('hex')
      .slice(0, 16)
    return {
      metadata: { namespace, name: `${name.slice(0, 200)}.${mark}` },
      involvedObject: {
        ...{ apiVersion: `${group}/${versionName}`, kind: 'StorageVersionMigration', name, uid },
      },
      ...words,
      ...{ firstTimestamp: at, lastTimestamp: at, count: 1 },
      source: { component, host: world.processes.hostname },
      ...{ reportingComponent: component, reportingInstance: world.processes.hostname },
    }
  }
}
