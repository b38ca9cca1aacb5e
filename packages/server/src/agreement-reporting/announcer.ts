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

/** What a server that comes or goes does to a record and undoes again is over by then, and was no news. */
const settleMs = 5_000
/** Whoever changes all the time is told of all the same. */
const patienceMs = 30_000
const roundMs = 1_000
/** Who has not renewed for so long is not waited for; those who wait keep their news a little longer than that. */
const silentMs = 30_000
const keepMs = 45_000
/** So many Events at once, and one more for every so many milliseconds. */
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
 * Tells of changes of agreement as Events, one for each change and the whole fleet. The one that has been there for the
 * longest time does it, without any election: all others keep the same news for a while and write what is missing if it
 * falls silent, and if two of them do it at once, the name of the Event is the same and the second finds it there. Not a
 * newcomer: it has not seen what was before it came.
 *
 * Nothing waits for it. What cannot be written is given up after a few attempts, and counted.
 */
export class Announcer {
  readonly #options: AnnouncerOptions
  /** What people have been told, or could see when this server began to look and all was at rest. */
  readonly #reported = new Map<string, AgreementState>()
  /** Since when a record is known with which something was wrong from the beginning, and not yet told of. */
  readonly #initialProblems = new Map<string, number>()
  readonly #changed = new Map<
    string,
    { readonly record: StorageAgreement; sinceMs: number; lastMs: number }
  >()
  /** Since when each server has its Lease, by its own word, and when it was last seen to renew, by the own clock. */
  readonly #servers = new Map<string, { readonly since: string; readonly renewedMs: number }>()
  #waiting: Waiting[] = []
  #credit = burst
  #creditMs = 0

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  /** A record came, changed or went. */
  take(name: string, record: StorageAgreement | undefined): void {
    const { world } = this.#options.registry
    // While nobody is there, nothing is agreed and nothing is lost: what comes next is compared with what was.
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

  /** Makes news of what has come to rest. */
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

  /** What was wrong from the beginning. While a fleet starts one server after another that is no news, until patience ends. */
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
