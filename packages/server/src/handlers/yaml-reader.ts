import type { Worker } from 'node:worker_threads'
import { ApiError } from '@strata/api'
import type { Clock } from '@strata/world'
import { MalformedJson, parseLossless } from '../codec/index.ts'
import { FairQueue } from './fair-queue.ts'
import { startYamlThread } from './start-yaml-thread.ts'
import type { ParsedYaml } from './yaml.ts'

/** What the thread says: that it is there; the value as JSON; or what is wrong with the text. */
export type YamlReply =
  | { readonly ready: true }
  | { readonly json: string; readonly twice: readonly string[] }
  | { readonly problem: string }

/** A megabyte of what people write takes a second or two; what takes longer is made to. */
const defaultLimitMs = 5_000
const waitingEach = 20

interface Waiting {
  readonly text: string
  readonly resolve: (parsed: ParsedYaml) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Reads long YAML texts in a thread of its own, one at a time and in turns by who has sent them. The thread starts with
 * the first text and stays: starting takes longer than most texts do.
 */
export class YamlReader {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #start: () => Worker
  readonly #queue = new FairQueue<Waiting>(waitingEach)
  #thread: Worker | undefined
  #isReading = false
  #isClosed = false

  constructor(clock: Clock, { limitMs = defaultLimitMs, start = startYamlThread } = {}) {
    this.#clock = clock
    this.#limitMs = limitMs
    this.#start = start
  }

  async read(text: string, who: string, signal: AbortSignal): Promise<ParsedYaml> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<ParsedYaml>()
    const waiting = { text, resolve, reject }
    if (!this.#queue.add(who, waiting)) throw tooMany()
    // A text that is being read is read on: whoever comes and goes would make others wait for new threads.
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
      await this.#readOne(next.text).then(next.resolve, next.reject)
    }
    this.#isReading = false
    if (this.#isClosed) this.#endThread()
  }

  async #readOne(text: string): Promise<ParsedYaml> {
    try {
      const thread = this.#thread ?? (await this.#startThread())
      const reply = await this.#exchange(thread, text)
      if ('problem' in reply) throw new MalformedJson(reply.problem)
      if ('ready' in reply) throw new Error('the thread for YAML was started twice')
      return { value: parseLossless(reply.json), twice: reply.twice }
    } catch (error) {
      if (!(error instanceof MalformedJson)) this.#endThread()
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
  async #exchange(thread: Worker, text: string): Promise<YamlReply> {
    const late = Promise.withResolvers<never>()
    const cancel = this.#clock.after(this.#limitMs, () => late.reject(tooSlow(this.#limitMs)))
    thread.ref()
    thread.postMessage(text)
    try {
      return await Promise.race([replyOf(thread), late.promise])
    } finally {
      cancel()
      thread.unref()
    }
  }

  #endThread(): void {
    void this.#thread?.terminate()
    this.#thread = undefined
  }
}

function replyOf(thread: Worker): Promise<YamlReply> {
  const { promise, resolve, reject } = Promise.withResolvers<YamlReply>()
  const ended = (): void => reject(new Error('the thread for YAML has ended'))
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', ended)
  return promise.finally(() => {
    thread.off('message', resolve)
    thread.off('error', reject)
    thread.off('exit', ended)
  })
}

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
    `more than ${waitingEach} long YAML bodies of yours wait to be read; try again later, or send JSON`,
    { retryAfterSeconds: 1 },
  )
