import { type ReadonlySignal, signal } from '@preact/signals'
import {
  ApiError,
  agreementResource,
  type GroupResource,
  type StorageCensus,
  type StorageCensusStatus,
  versionNameOf,
} from '@strata/api'
import { type Client, isForbidden, isTransient } from '@strata/client'
import type { Clock } from '@strata/world'
import { addSample, type LayerSample } from '../model/storage/layer-history.ts'

/** The last census of one resource that was taken or tried, while the page is open. */
export interface CensusSeen {
  readonly status?: StorageCensusStatus
  /** Why there is none. */
  readonly problem?: string
  readonly samples: readonly LayerSample[]
}

/** The store is read for a census: after one that took long, the next one waits longer. */
const leastPauseMs = 1_200
const pauseFactor = 4
/** A resource that is scrolled out of sight and back within this time is not counted again. */
const keptMs = 10_000

export interface CensusParts {
  readonly client: Client
  readonly clock: Clock
  /** Ends with the session. */
  readonly signal: AbortSignal
  /** Whether the cluster serves the kind: a browser reports each 404 as an error. */
  readonly isOffered: () => boolean
}

interface Wanted {
  readonly group: GroupResource
  maxObjects: number
  /** What the census was taken of: it is taken again when that has changed. */
  mark: string
  taken: string | undefined
  takenMs: number
  notBeforeMs: number
  /** How many parts of the page show it. */
  shownBy: number
}

/**
 * Counts stored objects, one resource after the other: those that are in sight, and again only when something has changed that may
 * have moved objects. No watch tells in which version an object is stored.
 */
export class CensusTaker {
  readonly #client: Client
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #wanted = new Map<string, Wanted>()
  readonly #seen = new Map<string, ReturnType<typeof signal<CensusSeen>>>()
  #isTaking = false
  #isForbidden = false

  readonly #isOffered: () => boolean

  constructor({ client, clock, signal, isOffered }: CensusParts) {
    this.#client = client
    this.#signal = signal
    this.#clock = clock
    this.#isOffered = isOffered
  }

  of(resource: string): ReadonlySignal<CensusSeen> {
    return this.#signalOf(resource) as ReadonlySignal<CensusSeen>
  }

  /** Counts a resource now, and when the mark has changed. Ends with the function that it returns. */
  want(recordName: string, resource: string, mark: string, maxObjects = 0): () => void {
    const wanted = this.#wantedOf(recordName, resource)
    const { shownBy, takenMs } = wanted
    const isKept = shownBy > 0 || this.#clock.monotonicMs() - takenMs < keptMs
    if (!isKept || wanted.maxObjects < maxObjects) wanted.taken = undefined
    wanted.maxObjects = Math.max(maxObjects, shownBy > 0 ? wanted.maxObjects : 0)
    wanted.mark = mark
    wanted.shownBy++
    void this.#take()
    return () => {
      wanted.shownBy--
    }
  }

  /** One for as long as the page is open: a count that is under way writes its pause there. */
  #wantedOf(recordName: string, resource: string): Wanted {
    const known = this.#wanted.get(resource)
    if (known) return known
    const group = agreementResource(recordName)
    const unknown = { taken: undefined, takenMs: 0, notBeforeMs: 0, shownBy: 0 }
    const wanted = { group, mark: '', maxObjects: 0, ...unknown }
    this.#wanted.set(resource, wanted)
    return wanted
  }

  #signalOf(resource: string) {
    const known = this.#seen.get(resource) ?? signal<CensusSeen>({ samples: [] })
    this.#seen.set(resource, known)
    return known
  }

  async #take(): Promise<void> {
    if (this.#isTaking || this.#isOver || !this.#isOffered()) return
    this.#isTaking = true
    try {
      for (let next = this.#next(); next && !this.#isOver; next = this.#next()) await this.#count(...next)
    } finally {
      this.#isTaking = false
    }
    const waiting = [...this.#wanted.values()].filter(isDue)
    if (waiting.length === 0 || this.#isOver) return
    const soonestMs = Math.min(...waiting.map(({ notBeforeMs }) => notBeforeMs))
    this.#clock.after(Math.max(10, soonestMs - this.#clock.monotonicMs()), () => void this.#take())
  }

  get #isOver(): boolean {
    return this.#isForbidden || this.#signal.aborted
  }

  #next(): [string, Wanted] | undefined {
    const nowMs = this.#clock.monotonicMs()
    return [...this.#wanted].find(([, wanted]) => isDue(wanted) && wanted.notBeforeMs <= nowMs)
  }

  async #count(resource: string, wanted: Wanted): Promise<void> {
    const begunMs = this.#clock.monotonicMs()
    wanted.taken = wanted.mark
    wanted.takenMs = begunMs
    const seen = this.#signalOf(resource)
    const { samples = [] } = seen.value ?? {}
    try {
      const { group, maxObjects } = wanted
      const { status } = await this.#client
        .resource<StorageCensus>({
          ...{ group: 'strata.dev', versionName: 'v1alpha1', resource: 'storagecensuses' },
          kind: 'StorageCensus',
        })
        .create({ metadata: {}, spec: { ...group, maxObjects } }, this.#signal, { isLong: true })
      seen.value = status
        ? { status, samples: addSample(samples, sampleOf(status, this.#clock.wallMs())) }
        : { samples, problem: 'the server answered without a count' }
    } catch (error) {
      if (!(error instanceof ApiError) || isTransient(error)) wanted.taken = undefined
      this.#isForbidden = isForbidden(error) && detailsOf(error)?.kind === 'storagecensuses'
      const because = error instanceof Error ? error.message : String(error)
      const problem = this.#isForbidden
        ? 'counts need the right to create storagecensuses.strata.dev'
        : isForbidden(error)
          ? `to count it, the right to list ${resource} is needed: strata rbac dashboard ${resource}`
          : because
      // What was counted before may no longer be so.
      seen.value = { samples, problem }
    }
    const nowMs = this.#clock.monotonicMs()
    wanted.notBeforeMs = nowMs + Math.max(leastPauseMs, pauseFactor * (nowMs - begunMs))
  }
}

/** Names the kind that the user has no right to: that of the census, or the one that is counted. */
const detailsOf = (error: unknown) => (error instanceof ApiError ? error.status.details : undefined)

const isDue = ({ mark, taken, shownBy }: Wanted): boolean => shownBy > 0 && mark !== taken

const sampleOf = ({ encodings }: StorageCensusStatus, atMs: number): LayerSample => ({
  atMs,
  layers: encodings.map(({ encodingVersion, key, count }) => ({
    ...{ version: versionNameOf(encodingVersion), key, count },
  })),
})
