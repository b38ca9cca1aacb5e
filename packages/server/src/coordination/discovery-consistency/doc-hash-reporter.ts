import { deadline, jitter, sleep, timestamp, type World } from '@strata/world'
import type { Store } from '../../store/index.ts'
import type { WatchCache } from '../../watch-cache/index.ts'
import { docHashesPrefix, identityLeaseKey } from '../frozen-kinds.ts'
import type { AgreementRecords } from '../record/agreement-records.ts'
import { followCollection, followMembership } from '../registration/observe-changes.ts'
import { decideDocHashes, heartbeatMs } from './decide-doc-hashes.ts'
import { changeDocHashes, readDocHashes } from './doc-hashes.ts'
import { Heartbeats } from './heartbeats.ts'

export interface DocHashReporterOptions {
  readonly store: Store
  readonly world: World
  readonly cache: WatchCache
  readonly records: Pick<AgreementRecords, 'observeLeases'>
  readonly self: { readonly serverID: string; readonly process: string }
  /** The hash of the documents as they are served now. */
  readonly builtInHash: () => string
}

/**
 * Keeps this server's entry in the DiscoveryDocHashes: from the moment it has its Lease, updated as soon as the documents
 * change, and written again every five minutes. Also removes the entries of servers that are gone.
 */
export class DocHashReporter {
  readonly #options: DocHashReporterOptions
  readonly #heartbeats = new Heartbeats()
  readonly #stopping = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #heartbeatDueMs = Number.NEGATIVE_INFINITY
  #isMarked = true
  #wake: (() => void) | undefined

  constructor(options: DocHashReporterOptions) {
    this.#options = options
  }

  start(): void {
    const { world, cache, self, builtInHash } = this.#options
    const { signal } = this.#stopping
    followMembership(cache, world, signal, () => this.look())
    followCollection(cache.collection(docHashesPrefix), signal, {
      onEvent: ({ key, value, kind }) => {
        const entries = kind === 'deleted' ? [] : (readDocHashes({ key, value }) ?? [])
        this.#heartbeats.observe(entries, world.clock.monotonicMs())
        const own = entries.find(({ apiServerID }) => apiServerID === self.serverID)
        // A server removed the own entry, or an earlier process wrote it: repair it at once.
        if (own?.builtInAPIHash !== builtInHash()) this.look()
      },
      onReset: () => this.look(),
    })
    this.#running = this.#run(signal)
  }

  /** The documents may have changed: checks the entry again. */
  look(): void {
    this.#isMarked = true
    this.#wake?.()
  }

  /** Resolves when nothing is under way any more. The entry stays: it goes with the Lease. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('stopping'))
    await this.#running
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options.world
    signal.addEventListener('abort', () => this.#wake?.(), { once: true })
    while (!signal.aborted) {
      this.#isMarked = false
      const limit = deadline(clock, 10_000, signal)
      try {
        const isDone = await this.#report(limit.signal)
        limit.dispose()
        await this.#untilMarked(isDone ? this.#nextLookMs() : jitter(random, 1_000, 0.5), signal)
      } catch (error) {
        limit.dispose()
        if (signal.aborted) return
        this.#heartbeats.forget()
        log.warn('could not report the hash of the discovery documents; retrying', { error: String(error) })
        await sleep(clock, jitter(random, 1_000, 0.5), signal).catch(() => {})
      }
    }
  }

  #nextLookMs(): number {
    const { world, self } = this.#options
    const heartbeatMs = this.#heartbeatDueMs - world.clock.monotonicMs()
    return Math.max(0, Math.min(heartbeatMs, this.#heartbeats.nextLimitMs(self.serverID)))
  }

  async #untilMarked(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isMarked || signal.aborted) return
    const woken = Promise.withResolvers<void>()
    this.#wake = woken.resolve
    const cancel = this.#options.world.clock.after(waitMs, woken.resolve)
    await woken.promise
    cancel()
    this.#wake = undefined
  }

  /** False if it has to be retried soon: the Lease is not held, or a server came or went meanwhile. */
  async #report(signal: AbortSignal): Promise<boolean> {
    const { store, world, records, self, builtInHash } = this.#options
    const { clock, random } = world
    const ownLease = identityLeaseKey(self.serverID)
    let isHeld = true
    let isHeartbeat = false
    const stored = await changeDocHashes(
      { store, world },
      async (entries) => {
        const leases = await records.observeLeases(signal)
        const mine = leases.get(self.serverID)
        isHeld = mine?.holder === self.process
        if (!mine || !isHeld) return undefined
        const nowMs = clock.monotonicMs()
        this.#heartbeats.observe(entries, nowMs)
        isHeartbeat = nowMs >= this.#heartbeatDueMs
        const change = decideDocHashes({
          entries,
          own: { apiServerID: self.serverID, builtInAPIHash: builtInHash() },
          isHeartbeatDue: isHeartbeat,
          leases: new Set(leases.keys()),
          silentMs: (id) => this.#heartbeats.silentMs(id),
          now: timestamp(clock),
        })
        return (
          change && {
            entries: change.entries,
            guards: [
              // Identity before entry (rule 1): a process that was replaced must not report for the next one.
              { key: ownLease, revision: mine.revision },
              ...change.withoutLease.map((id) => ({
                key: identityLeaseKey(id),
                revision: 'absent' as const,
              })),
            ],
          }
        )
      },
      signal,
    )
    if (!isHeld || stored === undefined) return false
    if (isHeartbeat) this.#heartbeatDueMs = clock.monotonicMs() + jitter(random, heartbeatMs, 0.1)
    return true
  }
}
