import type { Worker } from 'node:worker_threads'
import { ApiError } from '@strata/api'
import { type Cancel, type Clock, LeakyBucket } from '@strata/world'
import { MalformedJson, parseLossless } from '../../codec/index.ts'
import { FairQueue } from './fair-queue.ts'
import { startYamlThread } from './start-yaml-thread.ts'
import type { ParsedYaml } from './yaml.ts'

/** What the thread says: that it is there; the value as JSON; or what is wrong with the text. */
export type YamlReply =
  | { readonly ready: true }
  | { readonly json: string; readonly twice: readonly string[] }
  | { readonly problem: string; readonly isTooLarge: boolean }

/** A megabyte of what people write takes a second or two; what takes longer is made to. */
const defaultLimitMs = 5_000
/** For so long a text is read at first when others wait. */
const defaultSliceMs = 500
/** So much longer than before a text is read that was interrupted: after two interruptions it is read to its end. */
const longerAgain = 4
/** A user waits for so many texts of others at the most, however little they have used. */
const mostPassed = 8
/** How often a text that is being read is asked whether it must stop. */
const lookEveryMs = 100
const waitingEach = 20
/** A user's use of the thread is forgotten so fast: a tenth of all its time costs nothing. */
const forgottenMsPerSecond = 100

interface Waiting {
  readonly text: string
  readonly who: string
  readonly signal: AbortSignal
  readonly resolve: (parsed: ParsedYaml) => void
  readonly reject: (reason: unknown) => void
  sliceMs: number
}

/** Thrown within: others have waited long enough. */
class Interrupted extends Error {}

/**
 * Reads long YAML texts in a thread of its own, one at a time. Next is a text of the user who has used the thread least.
 * The thread starts with the first text and stays: starting takes longer than most texts do.
 *
 * A text that takes long is interrupted when others wait who have used less. It is begun again in its turn, and then
 * given four times as long, so that it is done in the end. Otherwise: three users send texts that take all the time that one
 * may take, and a fourth, whose text takes a moment, waits for all of them.
 */
export class YamlReader {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #sliceMs: number
  readonly #start: () => Worker
  readonly #used = new Map<string, LeakyBucket>()
  readonly #queue = new FairQueue<Waiting>(waitingEach, (who) => this.#use(who, 0), mostPassed)
  #thread: Worker | undefined
  #isReading = false
  #isClosed = false

  constructor(
    clock: Clock,
    { limitMs = defaultLimitMs, sliceMs = defaultSliceMs, start = startYamlThread } = {},
  ) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#sliceMs = sliceMs
    this.#start = start
  }

  async read(text: string, who: string, signal: AbortSignal): Promise<ParsedYaml> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<ParsedYaml>()
    const waiting: Waiting = { text, who, signal, resolve, reject, sliceMs: this.#sliceMs }
    this.#countNewcomer(who)
    if (!this.#queue.add(who, waiting)) throw tooMany()
    // A text that is being read is read on for its slice: whoever comes and goes would make others wait for new threads.
    const giveUp = (): void => {
      this.#queue.remove(who, waiting)
      reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    void this.#readAll()
    return promise.finally(() => signal.removeEventListener('abort', giveUp))
  }

  /** The thread ends as soon as nothing waits for it. */
  close(): void {
    this.#isClosed = true
    if (!this.#isReading) this.#endThread()
  }

  async #readAll(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    for (let next = this.#queue.next(); next; next = this.#queue.next()) {
      const begunMs = this.#clock.monotonicMs()
      await this.#readOne(next).then(next.resolve, (error: unknown) => {
        if (!(error instanceof Interrupted)) next.reject(error)
        else if (!next.signal.aborted) {
          next.sliceMs *= longerAgain
          this.#queue.putBack(next.who, next)
        }
      })
      this.#use(next.who, this.#clock.monotonicMs() - begunMs)
    }
    this.#isReading = false
    for (const who of this.#used.keys()) if (this.#use(who, 0) === 0) this.#used.delete(who)
    if (this.#isClosed) this.#endThread()
  }

  /** A user who comes to others that wait starts with what the least of them has used, and is not before all of them. */
  #countNewcomer(who: string): void {
    const least = this.#queue.leastBefore(who)
    const missing = (least ?? 0) - this.#use(who, 0)
    if (missing > 0) this.#use(who, missing)
  }

  /** How long the thread has read for a user lately, with what is added now. */
  #use(who: string, ms: number): number {
    let used = this.#used.get(who)
    if (!used && ms === 0) return 0
    used ??= new LeakyBucket(forgottenMsPerSecond)
    this.#used.set(who, used)
    return used.add(ms, this.#clock.monotonicMs())
  }

  async #readOne(waiting: Waiting): Promise<ParsedYaml> {
    const reply = await this.#replyTo(waiting)
    if ('problem' in reply)
      throw reply.isTooLarge ? tooLarge(reply.problem) : new MalformedJson(reply.problem)
    if ('ready' in reply) throw new Error('the YAML thread was started twice')
    return { value: parseLossless(reply.json), twice: reply.twice }
  }

  /** A thread that has not replied is of no more use. */
  async #replyTo(waiting: Waiting): Promise<YamlReply> {
    try {
      return await this.#exchange(this.#thread ?? (await this.#startThread()), waiting)
    } catch (error) {
      this.#endThread()
      // It has come to the end of the memory that a thread may use.
      if ((error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new MalformedJson('yaml: the document is too complex')
      }
      throw error
    }
  }

  async #startThread(): Promise<Worker> {
    const thread = this.#start()
    this.#thread = thread
    await replyOf(thread)
    return thread
  }

  /** Only while it reads does the thread keep the process from ending. */
  async #exchange(thread: Worker, waiting: Waiting): Promise<YamlReply> {
    const stopped = Promise.withResolvers<never>()
    const stop = this.#stopWhenDue(waiting, stopped.reject)
    thread.ref()
    thread.postMessage(waiting.text)
    try {
      return await Promise.race([replyOf(thread), stopped.promise])
    } finally {
      stop()
      thread.unref()
    }
  }

  #stopWhenDue({ who, sliceMs, signal }: Waiting, stop: (why: Error) => void): Cancel {
    const begunMs = this.#clock.monotonicMs()
    let cancel: Cancel
    const look = (): void => {
      const ranMs = this.#clock.monotonicMs() - begunMs
      const isUnwanted = signal.aborted || this.#queue.hasOtherBelow(who, this.#use(who, 0) + ranMs)
      const decision = decideReading({ ranMs, sliceMs, limitMs: this.#limitMs, isUnwanted })
      if (decision === 'refuse') stop(tooSlow(this.#limitMs))
      else if (decision === 'interrupt') stop(new Interrupted())
      else cancel = this.#clock.after(lookEveryMs, look)
    }
    cancel = this.#clock.after(Math.min(sliceMs, this.#limitMs), look)
    return () => cancel()
  }

  #endThread(): void {
    void this.#thread?.terminate()
    this.#thread = undefined
  }
}

function replyOf(thread: Worker): Promise<YamlReply> {
  const { promise, resolve, reject } = Promise.withResolvers<YamlReply>()
  const ended = (): void => reject(new Error('the YAML thread has ended'))
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', ended)
  return promise.finally(() => {
    thread.off('message', resolve)
    thread.off('error', reject)
    thread.off('exit', ended)
  })
}

/** Whether a text is read on. One that is given all the time there is would gain nothing by being begun again. */
export function decideReading(seen: {
  readonly ranMs: number
  readonly sliceMs: number
  readonly limitMs: number
  /** Others wait who have used less, or nobody waits for this one any more. */
  readonly isUnwanted: boolean
}): 'go on' | 'interrupt' | 'refuse' {
  const { ranMs, sliceMs, limitMs, isUnwanted } = seen
  if (ranMs >= limitMs) return 'refuse'
  return isUnwanted && ranMs >= sliceMs ? 'interrupt' : 'go on'
}

const tooLarge = (message: string): ApiError => new ApiError(413, 'RequestEntityTooLarge', message)

const tooSlow = (limitMs: number): ApiError =>
  new ApiError(
    413,
    'RequestEntityTooLarge',
    `the YAML in the body takes longer to read than the limit of ${limitMs / 1000} seconds; send it as JSON, or less of it`,
  )

const tooMany = (): ApiError =>
  new ApiError(
    429,
    'TooManyRequests',
    `more than ${waitingEach} large YAML bodies of this user wait to be read; try again later, or send JSON`,
    { retryAfterSeconds: 1 },
  )
