import { type GroupResource, groupResourceText, type StorageAgreement } from '@strata/api'
import type { Clock } from '@strata/world'
import { agreementKind, type RegistrationObserver } from '../coordination/index.ts'
import { followObjects, type WatchCache } from '../watch-cache/index.ts'

/** Receives what this server observes of agreement. */
export interface AgreementListener {
  registered(seconds: number): void
  retried(reason: 'conflict' | 'failure'): void
  reached(seconds: number): void
  selected(group: string, resource: string): void
}

/** One resource, by its record as the watch shows it. */
interface Tracked {
  record: StorageAgreement
  /** On the monotonic clock; undefined while there is agreement. */
  disagreedMs: number | undefined
}

/**
 * Follows the agreement records and measures durations. It counts on the monotonic clock from what this server has seen, because
 * a wall clock that jumps must neither raise an alarm nor hide one. For agreement that was lost before this server started it
 * uses the time in the record.
 */
export class AgreementTracker implements RegistrationObserver {
  readonly #clock: Clock
  readonly #listener: AgreementListener
  readonly #tracked = new Map<string, Tracked>()
  /** Since when this server waits for each of its entries. */
  readonly #awaited = new Map<string, number>()
  readonly #startedMs: number
  /** The process of this server, which its entries name. */
  #process: string | undefined
  /** False while the watch cache replays the past: changes from before the start are not counted. */
  #isPresent: () => boolean = () => false
  #completeSeconds: number | undefined
  #listen: (name: string, record: StorageAgreement | undefined) => void = () => {}

  constructor(clock: Clock, listener: AgreementListener) {
    this.#clock = clock
    this.#listener = listener
    this.#startedMs = clock.monotonicMs()
  }

  /** Starts to follow. `required` are the built-in resources; their entries are awaited since the start. */
  follow(cache: WatchCache, process: string, required: readonly GroupResource[]): void {
    this.#process = process
    this.#isPresent = () => cache.synced
    for (const each of required) this.#awaited.set(groupResourceText(each), this.#startedMs)
    followObjects(
      cache,
      agreementKind.codec,
      (_, name, object) => this.#take(name, object as StorageAgreement | undefined),
      () => {},
    )
  }

  /** Calls the listener for each record now, and whenever one changes or is deleted. */
  listen(listener: (name: string, record: StorageAgreement | undefined) => void): void {
    this.#listen = listener
    for (const [name, { record }] of this.#tracked) listener(name, record)
  }

  onAwaited(resource: GroupResource): void {
    const name = groupResourceText(resource)
    if (!this.#awaited.has(name)) this.#awaited.set(name, this.#clock.monotonicMs())
  }

  onConflict(): void {
    this.#listener.retried('conflict')
  }

  onFailure(): void {
    this.#listener.retried('failure')
  }

  get completeSeconds(): number | undefined {
    return this.#completeSeconds
  }

  /** Records with entries. A record without entries belongs to a resource, or to a fleet, that is gone. */
  withEntries(): readonly { readonly record: StorageAgreement; readonly disagreementSeconds: number }[] {
    const now = this.#clock.monotonicMs()
    return [...this.#tracked.values()]
      .filter(({ record }) => record.status.servers.length > 0)
      .map(({ record, disagreedMs }) => ({
        record,
        disagreementSeconds: disagreedMs === undefined ? 0 : Math.max(0, now - disagreedMs) / 1000,
      }))
  }

  #take(name: string, record: StorageAgreement | undefined): void {
    const before = this.#tracked.get(name)
    if (record) {
      this.#tracked.set(name, { record, disagreedMs: this.#timeAgreement(before, record) })
      this.#noteSelection(before, record)
      this.#noteEntry(record)
    } else this.#tracked.delete(name)
    this.#listen(name, record)
  }

  /** Since when there is no agreement; undefined if there is agreement. */
  #timeAgreement(before: Tracked | undefined, { status }: StorageAgreement): number | undefined {
    const now = this.#clock.monotonicMs()
    const isAgreed = status.agreedVersion !== undefined
    if (isAgreed && before?.disagreedMs !== undefined && this.#isPresent()) {
      this.#listener.reached(Math.max(0, now - before.disagreedMs) / 1000)
    }
    if (isAgreed) return undefined
    if (before?.disagreedMs !== undefined) return before.disagreedMs
    if (before && this.#isPresent()) return now
    const wallMs = this.#clock.wallMs()
    return now - (wallMs - lostAtMs(status.conditions, wallMs))
  }

  #noteSelection(before: Tracked | undefined, { spec, status }: StorageAgreement): void {
    const was = before?.record.status.selectedVersion
    if (was === undefined || was === status.selectedVersion || !this.#isPresent()) return
    this.#listener.selected(spec.group, spec.resource)
  }

  /** An entry of this process counts as stored when the watch shows it; another server may have written it. */
  #noteEntry({ spec, status }: StorageAgreement): void {
    const name = groupResourceText(spec)
    const sinceMs = this.#awaited.get(name)
    if (sinceMs === undefined || !status.servers.some(({ process }) => process === this.#process)) return
    this.#awaited.delete(name)
    const now = this.#clock.monotonicMs()
    this.#listener.registered((now - sinceMs) / 1000)
    if (this.#awaited.size === 0) this.#completeSeconds ??= (now - this.#startedMs) / 1000
  }
}

/** The earliest transition of the conditions that do not hold, by the times in the record. */
function lostAtMs(conditions: StorageAgreement['status']['conditions'], otherwise: number): number {
  const times = conditions
    .filter(({ status }) => status === 'False')
    .map(({ lastTransitionTime }) => Date.parse(lastTransitionTime))
    .filter((ms) => ms <= otherwise)
  return Math.min(otherwise, ...times)
}
