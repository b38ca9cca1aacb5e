import { type Event, isIdentityLease, type Lease, type StorageAgreement } from '@strata/api'
import { sleep, timestamp } from '@strata/world'
import { objectKey, resourcePrefix } from '../codec/index.ts'
import { leaseKind } from '../coordination/index.ts'
import type { Registry, ServedResource } from '../registry/index.ts'
import { followObjects } from '../watch-cache/index.ts'
import { bundleChanges } from './bundle-agreement-changes.ts'
import {
  type AgreementChange,
  type AgreementState,
  agreementState,
  describeChanges,
  describeProblems,
} from './describe-agreement-changes.ts'
import { writeEvent } from './write-event.ts'

/** A record is reported after this time without a change: a server that starts or stops changes records there and back. */
const settleMs = 5_000
/** A record that keeps changing is reported after this time. */
const patienceMs = 30_000
const roundMs = 1_000
/** A server whose Lease was not renewed for `silentMs` is passed over. The others keep their Events longer than that. */
const silentMs = 30_000
const keepMs = 45_000
/** Rate limit: this many Events at once, and one more per `refillMs`. */
const burst = 50
const refillMs = 6_000

export interface AnnouncerOptions {
  readonly registry: Registry
  readonly serverID: string
  readonly onResult: (result: 'created' | 'failed' | 'dropped') => void
}

interface Waiting {
  readonly events: readonly Event[]
  readonly dueMs: number
}

/**
 * Reports changes of agreement as Events, one per change for the whole fleet. The server with the oldest Lease writes them; there
 * is no election. All other servers keep the same Events for a while, and write the missing ones if that server falls silent. If
 * two servers write at once, the Event has the same name and the second create finds it. A new server does not write: it has not
 * seen the state before it started.
 *
 * No other part waits for it. An Event that cannot be written is dropped after a few attempts, and counted.
 */
export class Announcer {
  readonly #options: AnnouncerOptions
  /** The state that was reported last, or the settled state that this server found when it started. */
  readonly #reported = new Map<string, AgreementState>()
  /** Records that had a problem when this server first saw them, with the time; the problem is not reported yet. */
  readonly #initialProblems = new Map<string, number>()
  readonly #changed = new Map<
    string,
    { readonly record: StorageAgreement; sinceMs: number; lastMs: number }
  >()
  /** By server: when it acquired its Lease, by its own clock, and when it last renewed, by the clock of this server. */
  readonly #servers = new Map<string, { readonly since: string; readonly renewedMs: number }>()
  #waiting: Waiting[] = []
  #credit = burst
  #creditMs = 0

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  /** Takes a record that was created, changed or deleted. */
  take(name: string, record: StorageAgreement | undefined): void {
    const { world } = this.#options.registry
    // Without entries nothing is agreed and nothing is lost. The next state is compared with the one before.
    if (!record || record.status.servers.length === 0) {
      this.#changed.delete(name)
      return
    }
    const lastMs = world.clock.monotonicMs()
    this.#changed.set(name, { record, lastMs, sinceMs: this.#changed.get(name)?.sinceMs ?? lastMs })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { registry } = this.#options
    const { world, cache } = registry
    followObjects(
      cache,
      leaseKind.codec,
      (_, name, lease) => this.#takeLease(name, lease as Lease | undefined),
      () => {},
    )
    const resource = registry.api.own('', 'v1', 'events')
    while (resource && !signal.aborted) {
      await sleep(world.clock, roundMs, signal).catch(() => {})
      if (signal.aborted) return
      try {
        this.#settle()
        await this.#report(resource, signal)
      } catch (error) {
        if (!signal.aborted)
          world.log.warn('reporting agreement as Events failed; retrying', { error: String(error) })
      }
    }
  }

  #takeLease(name: string, lease: Lease | undefined): void {
    if (!lease || !isIdentityLease(lease)) this.#servers.delete(name)
    else {
      const renewedMs = this.#options.registry.world.clock.monotonicMs()
      this.#servers.set(name, { since: lease.spec?.acquireTime ?? '', renewedMs })
    }
  }

  get #isReporter(): boolean {
    const { registry, serverID } = this.#options
    const now = registry.world.clock.monotonicMs()
    const [eldest] = [...this.#servers]
      .filter(([, { renewedMs }]) => now - renewedMs < silentMs)
      .map(([name, { since }]) => ({ name, order: `${since} ${name}` }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
    return eldest === undefined || eldest.name === serverID
  }

  /** Turns the records that have settled into Events. */
  #settle(): void {
    const { registry, serverID } = this.#options
    const now = registry.world.clock.monotonicMs()
    const rested = [...this.#changed].filter(
      ([, { lastMs, sinceMs }]) => now - lastMs >= settleMs || now - sinceMs >= patienceMs,
    )
    const changes = rested.flatMap(([name, { record }]) => {
      this.#changed.delete(name)
      const before = this.#reported.get(name)
      const after = agreementState(record)
      this.#reported.set(name, after)
      if (!before && describeProblems(after).length > 0) this.#initialProblems.set(name, now)
      return before ? describeChanges(before, after) : []
    })
    changes.push(...this.#lastingProblems(now))
    if (changes.length === 0) return
    const bundled = bundleChanges(changes, timestamp(registry.world.clock), serverID)
    this.#waiting.push({ events: bundled, dueMs: this.#isReporter ? now : now + keepMs })
  }

  /** Problems that a record had at first sight. A starting fleet has them briefly, so they are reported after `patienceMs`. */
  #lastingProblems(now: number): AgreementChange[] {
    const due = [...this.#initialProblems].filter(([, sinceMs]) => now - sinceMs >= patienceMs - settleMs)
    return due.flatMap(([name]) => {
      this.#initialProblems.delete(name)
      const state = this.#reported.get(name)
      return state ? describeProblems(state) : []
    })
  }

  async #report(resource: ServedResource, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.registry.world
    const due = this.#waiting.filter(({ dueMs }) => dueMs <= clock.monotonicMs())
    this.#waiting = this.#waiting.filter((each) => !due.includes(each))
    if (!this.#isReporter) return
    for (const event of due.flatMap((each) => each.events)) {
      if (this.#isThere(resource, event)) continue
      if (!this.#takeCredit()) this.#options.onResult('dropped')
      else
        this.#options.onResult(
          (await writeEvent(this.#options.registry, resource, event, signal)) ? 'created' : 'failed',
        )
    }
  }

  #isThere(resource: ServedResource, { metadata }: Event): boolean {
    const key = objectKey(resource.definition, 'default', metadata.name ?? '')
    const collection = this.#options.registry.cache.collection(resourcePrefix(resource.definition))
    return collection.get(key) !== undefined
  }

  #takeCredit(): boolean {
    const now = this.#options.registry.world.clock.monotonicMs()
    const refilled = Math.floor((now - this.#creditMs) / refillMs)
    if (refilled > 0) {
      this.#credit = Math.min(burst, this.#credit + refilled)
      this.#creditMs = now
    }
    if (this.#credit === 0) return false
    this.#credit--
    return true
  }
}
