import { chance, integer, type Random, readAll, sleep, type Transport, utf8 } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { ask } from './ask.ts'
import { type FollowingClient, idOf, type Seen, type ShownBeacon, seenObject } from './client-log.ts'
import { readLines } from './read-lines.ts'

export interface ProtocolClientOptions {
  readonly name: string
  readonly transport: Transport
  readonly path: string
  readonly namespace?: string
  readonly random: Random
  /** Begins with one watch that sends the state first, instead of with a list. */
  readonly watchList?: boolean
  /** The page size of a list. */
  readonly limit?: number
}

interface WatchEvent {
  readonly type: string
  readonly object: ShownBeacon & { readonly code?: number }
}

/** Errors that are expected while servers come and go. */
const tryAgain: readonly number[] = [429, 503, 504]
const initialEventsEnd = 'k8s.io/initial-events-end'

/** The connection or the server is gone for now. */
class Interrupted extends Error {}
/** The past is forgotten: from the beginning. */
class Expired extends Error {}

/**
 * A client that keeps a copy of a collection over a network that breaks, written from the protocol alone. It resumes
 * after what it has seen, lists again when the server demands it, and records everything it gets.
 */
export class ProtocolClient implements FollowingClient {
  readonly log: Seen[] = []
  readonly counts = { lists: 0, resumes: 0, failures: 0 }
  readonly #options: ProtocolClientOptions
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  #copy = new Map<string, ShownBeacon>()
  /** After which the next watch begins; nothing before the first list. */
  #revision: string | undefined
  /** While the initial events of a watch come. */
  #initial: Map<string, ShownBeacon> | undefined

  constructor(options: ProtocolClientOptions) {
    this.#options = options
    this.#running = this.#run()
    // `stop` returns the error.
    this.#running.catch(() => {})
  }

  get name(): string {
    return this.#options.name
  }

  get path(): string {
    return this.#options.path
  }

  get namespace(): string | undefined {
    return this.#options.namespace
  }

  copy(): readonly ShownBeacon[] {
    return [...this.#copy.values()]
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the test is over'))
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        if (this.#revision === undefined && !this.#options.watchList) await this.#list()
        await this.#watch()
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof Expired) this.#revision = undefined
        else if (error instanceof Interrupted) this.#interruption()
        else throw error
      }
      await sleep(nodeClock, integer(this.#options.random, 50), signal).catch(() => {})
    }
  }

  /** Mostly it goes on where it was; sometimes it is as if the client had been started again, too. */
  #interruption(): void {
    this.counts.failures++
    if (chance(this.#options.random, 0.1)) this.#revision = undefined
  }

  async #list(): Promise<void> {
    const { transport, path, limit = 500 } = this.#options
    const items: ShownBeacon[] = []
    let token = ''
    do {
      const query = `limit=${limit}${token && `&continue=${token}`}`
      const { status, body } = await interrupted(() => ask(transport, 'GET', `${path}?${query}`))
      refuse(status, body)
      items.push(...body.items)
      token = body.metadata.continue ?? ''
      this.#revision = token === '' ? body.metadata.resourceVersion : undefined
    } while (token !== '')
    this.#replace(new Map(items.map((item) => [idOf(item), item])))
  }

  async #watch(): Promise<void> {
    const { transport, path } = this.#options
    const begin =
      this.#revision === undefined
        ? 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
        : `resourceVersion=${this.#revision}`
    if (this.#revision !== undefined) this.counts.resumes++
    this.#initial = this.#revision === undefined ? new Map() : undefined
    const target = `${path}?watch=true&allowWatchBookmarks=true&${begin}`
    const { signal } = this.#stopping
    const { status, body } = await interrupted(() =>
      transport({ method: 'GET', target, headers: {}, signal }),
    )
    if (status !== 200) {
      const text = await interrupted(async () => utf8.decode(await readAll(body)))
      refuse(status, text)
    }
    const lines = readLines(body)[Symbol.asyncIterator]()
    for (;;) {
      const { value: line, done } = await interrupted(() => lines.next())
      if (done) return
      this.#take(JSON.parse(line))
    }
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      if (object.code === 410) throw new Expired()
      throw new Error(`an error in a watch: ${JSON.stringify(object)}`)
    }
    const revision = Number(object.metadata.resourceVersion)
    if (type === 'BOOKMARK') {
      const annotations = (object.metadata as { annotations?: Record<string, string> }).annotations
      const ends = annotations?.[initialEventsEnd] === 'true'
      if (ends !== (this.#initial !== undefined)) {
        throw new Error('the first bookmark, and no other, ends the initial events')
      }
      this.#revision = String(revision)
      if (this.#initial) this.#replace(this.#initial)
      else this.log.push({ kind: 'bookmark', revision })
      this.#initial = undefined
      return
    }
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED')
      throw new Error(`an event of type ${type}`)
    const copy = this.#initial ?? this.#copy
    if (type === 'DELETED') copy.delete(idOf(object))
    else copy.set(idOf(object), object)
    // A watch cannot resume from a revision before the end of the initial events.
    if (this.#initial) return
    this.#revision = String(revision)
    this.log.push({ kind: 'event', type, ...seenObject(object) })
  }

  #replace(copy: Map<string, ShownBeacon>): void {
    this.counts.lists++
    this.#copy = copy
    const items = [...copy.values()].map(seenObject)
    this.log.push({ kind: 'state', revision: Number(this.#revision), items })
  }
}

/** Whatever goes wrong below HTTP is an interruption. */
async function interrupted<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw new Interrupted(String(error), { cause: error })
  }
}

function refuse(status: number, body: unknown): void {
  if (status === 200) return
  if (status === 410) throw new Expired()
  if (tryAgain.includes(status)) throw new Interrupted(String(status))
  throw new Error(`answered with ${status}: ${JSON.stringify(body)}`)
}
