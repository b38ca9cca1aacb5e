import { deadline, jitter, sleep, uuid, type World } from '@strata/world'
import { storageRoot } from './codec/index.ts'
import type { GapCause } from './coordination/index.ts'
import {
  type Guard,
  type Key,
  mostPassedRevisions,
  passRevisions,
  type Replacement,
  type Revision,
  readOne,
  StoreReplaced,
  type TimelineStore,
} from './store/index.ts'

/** Random bytes that stand for one timeline of the store. Below `ticks/`, as the nonces of records, and for the same reason. */
export const incarnationKey: Key = `${storageRoot}strata.dev/ticks/incarnation`

/** How long one attempt may take; revisions may have to be passed in it. */
const attemptMs = 120_000

export interface RecoveryParts {
  readonly world: World
  readonly timeline: TimelineStore
  /** Where revisions are passed: a key of this server's. */
  readonly tickKey: Key
  /** Stops writes and drops what was read; at once. */
  readonly stop: (error: StoreReplaced) => void
  /** Registers anew, once the store may be read. */
  readonly rejoin: (gap: GapCause, signal: AbortSignal) => Promise<void>
}

/**
 * What a server does when its store was restored or replaced under it (agreement.md, rule 19):
 *
 * 1. Writes stop, and nothing that was read before is shown to anyone.
 * 2. The store gets another incarnation, so that all servers notice. This comes before the next step, which would hide from
 *    them that the revision went back.
 * 3. The revisions that were handed out in the timeline that is over are passed, so that none is handed out twice.
 * 4. The cache is filled anew, and watches end with 410.
 * 5. The server registers anew, and every record gets a recording gap.
 */
export class StoreRecovery {
  readonly #parts: RecoveryParts
  #running: Promise<void> | undefined
  /** Resolves when the store may be read again. */
  #readable: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  #isReadable = false
  /** Counts replacements, so that one which comes during a recovery is not missed. */
  #count = 0
  #highest: Revision = 0
  #attempt: AbortController | undefined
  /** Others have to be told: they may not notice by themselves. */
  #mustRenew = false
  /** The last incarnation that this server took for the store's. Another one means that somebody has told the others. */
  #adopted: string | undefined
  /** The incarnation that this server has given the store since it was last replaced. */
  #renewed: string | undefined

  constructor(parts: RecoveryParts) {
    this.#parts = parts
  }

  /** How often the store was replaced under this server. */
  get count(): number {
    return this.#count
  }

  /** Resolves when the store's incarnation is known, and what was handed out before a replacement has been passed. */
  get readable(): Promise<void> {
    return this.#readable.promise
  }

  /** The store was replaced. Runs until this server is a member again, or the signal is aborted. */
  begin({ sign, why, highest }: Replacement, signal: AbortSignal): void {
    const { world, stop } = this.#parts
    const error = new StoreReplaced(`the store was restored from a backup, or replaced: ${why}`)
    world.log.error('the store was restored from a backup, or replaced; reading and registering anew', {
      why,
      highest,
    })
    this.#count++
    this.#highest = Math.max(this.#highest, highest)
    // Who was told by another's renewal tells nobody: else servers would go on telling each other for ever.
    if (sign !== 'incarnation') this.#mustRenew = true
    this.#renewed = undefined
    // Who waits already goes on waiting for the same promise.
    if (this.#isReadable) this.#readable = Promise.withResolvers<void>()
    this.#isReadable = false
    stop(error)
    // What is under way is about the store before, and might wait for it for as long as an attempt may take.
    this.#attempt?.abort(error)
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined
    })
  }

  /** At the start: learns the store's incarnation, or gives it one. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#attempts(signal, (limit) => this.#settle(limit))
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let done = -1; done !== this.#count && !signal.aborted; ) {
      const count = this.#count
      await this.#attempts(signal, async (limit) => {
        await this.#settle(limit)
        if (count !== this.#count) return
        await this.#parts.rejoin(gapOf(this.#parts.world), limit)
      })
      done = count
    }
  }

  async #attempts(signal: AbortSignal, act: (limit: AbortSignal) => Promise<void>): Promise<void> {
    const { clock, random, log } = this.#parts.world
    for (let attempt = 0; !signal.aborted; attempt++) {
      const over = new AbortController()
      const end = (): void => over.abort(signal.reason)
      signal.addEventListener('abort', end, { once: true })
      this.#attempt = over
      const limit = deadline(clock, attemptMs, over.signal)
      try {
        await act(limit.signal)
        return
      } catch (error) {
        if (signal.aborted) return
        log.warn('could not take up the store yet', { error: String(error) })
        await sleep(clock, jitter(random, Math.min(5_000, 50 * 2 ** attempt), 0.5), signal).catch(() => {})
      } finally {
        limit.dispose()
        signal.removeEventListener('abort', end)
      }
    }
  }

  async #settle(signal: AbortSignal): Promise<void> {
    const { timeline, tickKey, world } = this.#parts
    const count = this.#count
    const highest = this.#highest
    const found = await readOne(timeline, incarnationKey, signal)
    const behind = (await timeline.currentRevision(signal)) <= highest
    const known = found && Buffer.from(found.value).toString()
    const isTold = !this.#mustRenew || known !== this.#adopted
    const isNew = known === undefined || ((!isTold || behind) && known !== this.#renewed)
    const incarnation = isNew ? await this.#renew(known, signal) : known
    if (incarnation === undefined) throw new Error('another server has renewed the incarnation of the store')
    if (behind) {
      const revision = await passRevisions(timeline, tickKey, highest, signal)
      if (revision <= highest) {
        world.log.error(
          'revisions that clients have seen are handed out again: restart clients that watch, and restore with `etcdutl snapshot restore --bump-revision --mark-compacted`',
          { revision, highest, mostPassedRevisions },
        )
      } else timeline.forgetBefore(revision)
    }
    // Replaced again meanwhile: then this is the incarnation of the store before.
    if (count !== this.#count) return
    timeline.adopt(incarnation)
    this.#adopted = incarnation
    this.#mustRenew = false
    this.#isReadable = true
    this.#readable.resolve()
  }

  async #renew(known: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const { timeline, world } = this.#parts
    const incarnation = uuid(world.random)
    const guard: Guard =
      known === undefined
        ? { key: incarnationKey, revision: 'absent' }
        : { key: incarnationKey, value: Buffer.from(known) }
    const { outcome } = await timeline.commit(
      { writes: [{ kind: 'put', key: incarnationKey, value: Buffer.from(incarnation) }], guards: [guard] },
      signal,
    )
    if (outcome !== 'committed') return undefined
    this.#renewed = incarnation
    return incarnation
  }
}

function gapOf({ clock }: World): GapCause {
  const at = new Date(clock.wallMs()).toISOString()
  return {
    reason: 'StoreRestored',
    message: `the store was restored from a backup, or replaced, before ${at}`,
  }
}
