import { createHash } from 'node:crypto'
import { type Event, events } from '@strata/api'
import { type Client, isConflict, isNotFoundOrForbidden, type ResourceClient } from '@strata/client'
import { abortable, deadline, type Log, timestamp, type World } from '@strata/world'
import { decideEvent, type EventText, type MigrationEvent } from './decide-event.ts'

/** The object that an event is about. */
export interface Subject {
  readonly group: string
  /** Any served version; the group identifies the kind. */
  readonly versionName?: string
  readonly name: string
  readonly uid: string
}

export interface EventRecorderOptions {
  readonly world: Pick<World, 'clock' | 'processes'>
  readonly client: Client
  readonly log: Log
  /** The component that reports. */
  readonly component: string
}

interface Pending {
  readonly subject: Subject
  readonly text: EventText
  readonly at: string
}

/** kubectl looks here for Events of objects without a namespace. */
const namespace = 'default'
const writeMs = 5_000
const endMs = 2_000
/** Further events are dropped. */
const maxWaiting = 200
/** The pause after a server refuses Events (403, 404). */
const quietMs = 60_000

/**
 * Writes Events about migrations, one after the other, in the background. No caller waits for them, and an Event that cannot
 * be written is dropped. A repeated Event with the same text increases the count of the first one, whichever process writes
 * it: its name has a hash of the object's uid and the text.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #events: ResourceClient<Event>
  readonly #waiting: Pending[] = []
  #writing: Promise<void> | undefined
  #quietUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#events = options.client.resource<Event>(events, 'v1')
  }

  record(subject: Subject, event: MigrationEvent): void {
    const { clock } = this.#options.world
    if (clock.monotonicMs() < this.#quietUntilMs || this.#waiting.length >= maxWaiting) return
    this.#waiting.push({ subject, text: decideEvent(event), at: timestamp(clock) })
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined
    })
  }

  /** Waits a moment for pending Events, and drops the rest. */
  async end(): Promise<void> {
    const limit = deadline(this.#options.world.clock, endMs)
    try {
      await abortable(this.#writing ?? Promise.resolve(), limit.signal)
    } catch {
      this.#waiting.length = 0
    } finally {
      limit.dispose()
    }
  }

  async #drain(): Promise<void> {
    const { world, log } = this.#options
    for (let pending = this.#waiting.shift(); pending; pending = this.#waiting.shift()) {
      const limit = deadline(world.clock, writeMs)
      try {
        await this.#write(pending, limit.signal)
      } catch (error) {
        log.info('writing an Event failed', { reason: pending.text.reason, error: String(error) })
        if (isNotFoundOrForbidden(error)) {
          this.#quietUntilMs = world.clock.monotonicMs() + quietMs
          this.#waiting.length = 0
        }
      } finally {
        limit.dispose()
      }
    }
  }

  async #write(pending: Pending, signal: AbortSignal): Promise<void> {
    const event = this.#eventOf(pending)
    const { name = '' } = event.metadata
    try {
      await this.#events.create(event, signal)
    } catch (error) {
      if (!isConflict(error)) throw error
      const { count = 1 } = await this.#events.get({ namespace, name }, signal)
      await this.#events.patch({ namespace, name }, { count: count + 1, lastTimestamp: pending.at }, signal)
    }
  }

  #eventOf({ subject, text, at }: Pending): Event {
    const { component, world } = this.#options
    const { group, versionName = group === 'migration.k8s.io' ? 'v1alpha1' : 'v1beta1', name, uid } = subject
    const mark = createHash('sha256')
      .update(JSON.stringify([uid, text]))
      .digest('hex')
      .slice(0, 16)
    return {
      metadata: { namespace, name: `${name.slice(0, 200)}.${mark}` },
      involvedObject: {
        ...{ apiVersion: `${group}/${versionName}`, kind: 'StorageVersionMigration', name, uid },
      },
      ...text,
      ...{ firstTimestamp: at, lastTimestamp: at, count: 1 },
      source: { component, host: world.processes.hostname },
      ...{ reportingComponent: component, reportingInstance: world.processes.hostname },
    }
  }
}
