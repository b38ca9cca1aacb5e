import { deadline, pick, type Random, sleep, type Transport, utf8 } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { ask } from '../../support/ask.ts'
import type { Answer } from '../../support/fleet.ts'
import { type LoadedVersion, loadedBeacons, loadedPath } from '../../support/loaded-kind.ts'
import { until } from '../../support/until.ts'
import type { Heard, HeardObject } from '../checkers/watched.ts'
import type { History } from './history.ts'

export interface WatchClientOptions {
  readonly name: string
  readonly history: History
  readonly servers: readonly [Transport, ...Transport[]]
  readonly random: Random
  readonly version: LoadedVersion
}

/** The server ends a stream after this; a client hangs up when it does not. */
const streamSeconds = 15
const hangUpMs = 20_000

interface WatchLine {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends.
  readonly object: any
}

/** List and watch from the protocol alone, through whichever server answers; a lost history (410) is listed again. */
export class WatchClient {
  readonly heard: Heard[] = []
  readonly counts = { lists: 0, resumes: 0, expired: 0, events: 0 }
  readonly #options: WatchClientOptions
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #stream = new AbortController()
  #position: number | undefined
  #incarnation = 0
  /** The stream belongs to a past that a restore has ended. */
  #isOver = false

  constructor(options: WatchClientOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  get name(): string {
    return this.#options.name
  }

  /**
   * The store is being restored: what this client knows is of another past, and it lists next. A client that does not hang up
   * waits for the server to end the stream: one that goes on mixes two pasts.
   */
  startOver({ hangUp }: { readonly hangUp: boolean }): void {
    this.#isOver = true
    if (hangUp) this.hangUp()
  }

  /** The connection breaks; the next one resumes where this one was. */
  hangUp(): void {
    this.#stream.abort(new Error('the client hung up'))
  }

  /** By an event, or by a list after which a watch was opened: a watch that gets 410 for ever does not count. */
  async untilHeard(key: string, revision: number, giveUpMs: number): Promise<void> {
    const isIt = (each: Heard): boolean => 'key' in each && each.key === key && each.at === revision
    const hasHeard = (): boolean => {
      const index = this.heard.findIndex(isIt)
      if (index < 0) return false
      const after = this.heard.slice(index)
      return after[0]?.what !== 'listed' || after.some(({ what }) => what === 'watch')
    }
    await until(`${this.name} has heard of ${key} at ${revision}`, hasHeard, { giveUpMs })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#stream.abort(new Error('stopped'))
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const server = pick(this.#options.random, this.#options.servers)
      this.#stream = new AbortController()
      try {
        if (this.#position === undefined || this.#isOver) await this.#list(server)
        else await this.#watch(server, this.#position)
      } catch {
        // A broken connection, or a server that is down: another try, maybe elsewhere.
        await sleep(nodeClock, 50, this.#stopping.signal).catch(() => {})
      }
    }
  }

  async #list(server: Transport): Promise<void> {
    const { history } = this.#options
    const { incarnation } = history
    const answer = await ask(server, 'GET', this.#path(''), undefined, { giveUpMs: 10_000 })
    this.#notice(answer)
    // One that was asked for or answered during a restore may show either past.
    const isClear = incarnation !== undefined && incarnation === history.incarnation
    if (answer.status !== 200 || !isClear) throw new Error('no list')
    for (const item of answer.body.items) this.heard.push({ what: 'listed', ...shownIn(item) })
    const at = Number(answer.body.metadata.resourceVersion)
    this.heard.push({ what: 'list', at })
    this.counts.lists++
    this.#incarnation = incarnation
    this.#isOver = false
    this.#position = at
  }

  async #watch(server: Transport, at: number): Promise<void> {
    const limit = deadline(nodeClock, hangUpMs, this.#stream.signal)
    try {
      const query = `?watch=true&allowWatchBookmarks=true&timeoutSeconds=${streamSeconds}&resourceVersion=${at}`
      const request = { method: 'GET', target: this.#path(query), headers: {}, signal: limit.signal }
      const { status, body } = await server(request)
      if (status === 410) return this.#expired()
      if (status >= 500 && ![503, 504].includes(status))
        this.#options.history.complain(`${this.name}: a watch was answered with ${status}`)
      if (status !== 200) throw new Error(`a watch was answered with ${status}`)
      this.heard.push({ what: 'watch', at, incarnation: this.#incarnation })
      this.counts.resumes++
      for await (const line of linesOf(body)) {
        limit.signal.throwIfAborted()
        if (!this.#take(JSON.parse(line))) return this.#expired()
      }
    } finally {
      limit.dispose()
    }
  }

  /** False if history is gone. */
  #take({ type, object }: WatchLine): boolean {
    this.counts.events++
    if (type === 'ERROR') {
      if (object.code === 410) return false
      throw new Error(`a watch ended with ${JSON.stringify(object)}`)
    }
    const at = Number(object.metadata.resourceVersion)
    if (this.#isOver) return this.#takeFromThePast(type, object.metadata.name, at)
    this.#position = at
    if (type === 'BOOKMARK') this.heard.push({ what: 'BOOKMARK', at })
    else if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
      this.heard.push({ what: type, ...shownIn(object) })
    return true
  }

  /** A server that has not noticed yet may send what it has, or say that nothing happened. */
  #takeFromThePast(type: string, key: string, at: number): boolean {
    const { history } = this.#options
    if (history.incarnation === undefined || type === 'BOOKMARK') return true
    if (history.incarnation !== this.#incarnation)
      history.complain(`${this.name}: ${type} ${key} at ${at} in a watch that was opened before the restore`)
    return false
  }

  #expired(): void {
    this.counts.expired++
    this.#position = undefined
  }

  #notice({ status, body }: Answer): void {
    if (status >= 500 && ![503, 504].includes(status))
      this.#options.history.complain(
        `${this.name}: a list was answered with ${status} ${JSON.stringify(body)}`,
      )
  }

  #path(query: string): string {
    return `${loadedPath(loadedBeacons, this.#options.version)}${query}`
  }
}

export function shownIn(object: WatchLine['object']): HeardObject {
  const { name, resourceVersion } = object.metadata
  return { key: name, colour: loadedBeacons.colourIn(object) ?? 'white', at: Number(resourceVersion) }
}

async function* linesOf(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    rest += utf8.decode(chunk)
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
}
