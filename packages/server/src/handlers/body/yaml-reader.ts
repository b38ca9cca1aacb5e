import type { Worker } from 'node:worker_threads'
import { ApiError, parseLossless } from '@strata/api'
import { type Cancel, type Clock, LeakyBucket } from '@strata/world'
import { MalformedJson } from '../../codec/index.ts'
import { FairQueue } from './fair-queue.ts'
import { startYamlThread } from './start-yaml-thread.ts'
import type { ParsedYaml } from './yaml.ts'

/** A reply of the thread: it is ready, the value as JSON, or the error of the text. */
export type YamlReply =
  | { readonly ready: true }
  | { readonly json: string; readonly twice: readonly string[] }
  | { readonly problem: string; readonly isTooLarge: boolean }

/** A megabyte of ordinary text takes a second or two. A text that takes longer is malicious. */
const defaultLimitMs = 5_000
/** The first time slice of a text while others wait. */
const defaultSliceMs = 500
/** The factor by which the slice of an interrupted text grows: after two interruptions it is read to its end. */
const longerAgain = 4
/** How many texts of others may go first, however little their users have used. */
const mostPassed = 8
/** How often the reader checks whether the text in the thread must stop. */
const lookEveryMs = 100
const waitingEach = 20
/** A user's use decays at this rate: a tenth of the thread's time costs nothing. */
const forgottenMsPerSecond = 100

interface Waiting {
  readonly text: string
  readonly who: string
  readonly signal: AbortSignal
  readonly resolve: (parsed: ParsedYaml) => void
  readonly reject: (reason: unknown) => void
  sliceMs: number
}

/** Thrown within: others have waited long enough, or the client has left. */
class Interrupted extends Error {}

/**
 * Parses long YAML texts in one thread, one at a time. The user who has used the thread least is next. The thread starts
 * with the first text and stays: starting takes longer than most texts.
 *
 * A text that takes long is interrupted when users with less use wait. It starts again in its turn with four times the
 * time, so that it ends eventually. Otherwise: three users send texts that take all the time that one may take, and a
 * fourth, whose text takes a moment, waits for all of them.
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
    // A text that is being read keeps its slice: a client that comes and goes would make others wait for new threads.
    const giveUp = (): void => {
      this.#queue.remove(who, waiting)
      reject(signal.reason)
    }
    signal.addEventListener('abort', giveUp, { once: true })
    void this.#readAll()
    return promise.finally(() => signal.removeEventListener('abort', giveUp))
  }

  /** Ends the thread as soon as nothing waits for it. */
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

  /** A new user starts with the least use of the users who wait, and so is not before all of them. */
  #countNewcomer(who: string): void {
    const least = this.#queue.leastBefore(who)
    const missing = (least ?? 0) - this.#use(who, 0)
    if (missing > 0) this.#use(who, missing)
  }

  /** The recent use of the thread by a user, with the time that is added now. */
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

  /** A thread that has not replied is discarded. */
  async #replyTo(waiting: Waiting): Promise<YamlReply> {
    try {
      return await this.#exchange(this.#thread ?? (await this.#startThread()), waiting)
    } catch (error) {
      this.#endThread()
      // The thread has reached its memory limit.
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

  /** The thread keeps the process alive only while it reads. */
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

/** Whether to go on with a text. A text with the full time limit would gain nothing from a restart. */
export function decideReading(seen: {
  readonly ranMs: number
  readonly sliceMs: number
  readonly limitMs: number
  /** Users with less use wait, or the client of this text has gone. */
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
