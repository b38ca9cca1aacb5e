import { chance, pick, type Random, sleep, type Transport, TransportError } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { ask } from './ask.ts'
import type { Answer } from './fleet.ts'
import {
  type LoadedKind,
  type LoadedVersion,
  loadedApiVersion,
  loadedBeacons,
  loadedPath,
} from './loaded-kind.ts'
import { until } from './until.ts'

export type BeaconVersion = LoadedVersion

/** A confirmed outcome of a write. Colours are unique, so that a value names the write that made it. */
export type WriteOutcome =
  | { readonly kind: 'stored'; readonly name: string; readonly colour: string; readonly revision: number }
  | { readonly kind: 'deleted'; readonly name: string; readonly after: number }
  /** The answer was that nothing was written. */
  | { readonly kind: 'refused'; readonly name: string; readonly colour: string; readonly answer: string }

/** What a writer knows of one of its objects. No other client writes it. */
type Known = (
  | { readonly is: 'absent' }
  | { readonly is: 'there'; readonly revision: number }
  | { readonly is: 'unknown' }
) & {
  /** Read after a write without an answer, which may still have come after the reading. */
  readonly shaky?: true
}

export interface WriteLoadOptions {
  /** Any of them may be down, starting or stopping. */
  readonly servers: () => readonly Transport[]
  readonly apiVersions: () => readonly BeaconVersion[]
  readonly random: Random
  /** Defaults to beacons. */
  readonly kind?: LoadedKind
  readonly writers?: number
  readonly namesPerWriter?: number
  /** Names of this load; two loads must not share them. */
  readonly label?: string
  /** Between two writes of one writer: a load, and not a denial of service on a machine with two cores. */
  readonly pauseMs?: number
  /** Each writer's names are spread over them. */
  readonly namespaces?: readonly string[]
  /** Another client rewrites the same objects unchanged, so that a revision may be overtaken. */
  readonly rewritten?: boolean
  /** Through an aggregator, which answers 503 also if the connection to the server behind it is lost after the write. */
  readonly proxied?: boolean
}

/**
 * Writers that create, update and delete objects of one kind through all servers. Every write is conditional on what the
 * writer has seen, so a write that was given up and lands late cannot undo a later one, and the history of
 * each object is one chain. What a client must expect while servers come and go is counted; anything else
 * ends the load, and `stop` throws it. Declare it with `await using`.
 */
export class WriteLoad {
  readonly outcomes: WriteOutcome[] = []
  /** All values that were ever sent, in the order of sending. */
  readonly sent: string[] = []
  readonly counts: Record<string, number> = {}
  /** When writes were acknowledged, on the monotonic clock. */
  readonly acknowledgedMs: number[] = []
  readonly #options: Required<WriteLoadOptions>
  readonly #stopping = new AbortController()
  readonly #running: Promise<unknown>
  /** By writer. */
  readonly #turns: number[] = []
  #unexpected: unknown

  constructor(options: WriteLoadOptions) {
    this.#options = {
      writers: 6,
      namesPerWriter: 5,
      label: 'load',
      pauseMs: 20,
      namespaces: ['default'],
      rewritten: false,
      proxied: false,
      kind: loadedBeacons,
      ...options,
    }
    const writers = Array.from({ length: this.#options.writers }, (_, writer) => this.#write(writer))
    this.#running = Promise.all(writers).catch((error: unknown) => {
      this.#unexpected ??= error
      this.#stopping.abort()
    })
  }

  get acknowledged(): number {
    return this.counts.acknowledged ?? 0
  }

  /** Waits until that many more writes were acknowledged: the fleet works. */
  async untilMore(count: number, { giveUpMs = 60_000 }: { readonly giveUpMs?: number } = {}): Promise<void> {
    const wanted = this.acknowledged + count
    await until(
      `${count} more writes are acknowledged`,
      () => {
        if (this.#unexpected) throw this.#unexpected
        return this.acknowledged >= wanted
      },
      { giveUpMs },
    )
  }

  /** Waits until no request is under way any more that was begun before. */
  async untilTurned(): Promise<void> {
    const before = [...this.#turns]
    await until(
      'each writer has begun anew',
      () => {
        if (this.#unexpected) throw this.#unexpected
        return before.every((turn, writer) => (this.#turns[writer] ?? 0) > turn)
      },
      { giveUpMs: 60_000 },
    )
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    if (this.#unexpected) throw this.#unexpected
  }

  /** For `await using`: a test that fails before it stops its load must not wait for it until its time is up. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #write(writer: number): Promise<void> {
    const { random, namesPerWriter, pauseMs, label } = this.#options
    const known = new Map<string, Known>()
    for (let turn = 0; !this.#stopping.signal.aborted; turn++) {
      this.#turns[writer] = turn
      const name = `${label}-${writer}-${turn % namesPerWriter}`
      const before = known.get(name) ?? { is: 'absent' }
      const after =
        before.is === 'unknown'
          ? await this.#readBack(name)
          : before.is === 'there' && chance(random, 0.15)
            ? await this.#delete(name, before.revision, before)
            : await this.#put(name, `${label}-${writer}-${turn}`, before)
      known.set(name, after)
      await sleep(nodeClock, pauseMs, this.#stopping.signal).catch(() => {})
    }
  }

  async #put(name: string, colour: string, before: Known): Promise<Known> {
    const version = this.#anyVersion()
    const { kind } = this.#options
    const apiVersion = loadedApiVersion(kind, version)
    const metadata = before.is === 'there' ? { name, resourceVersion: String(before.revision) } : { name }
    const object = { apiVersion, kind: kind.kind, metadata, ...kind.contentOf(version, colour) }
    this.sent.push(colour)
    const answer =
      before.is === 'there'
        ? await this.#try('PUT', this.#path(version, name), object, before)
        : await this.#try('POST', this.#collection(version, name), object, before)
    if (typeof answer !== 'string') {
      const revision = Number(answer.body.metadata.resourceVersion)
      this.outcomes.push({ kind: 'stored', name, colour, revision })
      await this.#sometimesLook(name, { colour, revision })
      return { is: 'there', revision }
    }
    if (answer === 'unknown') return { is: 'unknown' }
    this.outcomes.push({ kind: 'refused', name, colour, answer })
    return before
  }

  async #delete(name: string, revision: number, before: Known): Promise<Known> {
    const preconditions = { resourceVersion: String(revision) }
    const answer = await this.#try('DELETE', this.#path(this.#anyVersion(), name), { preconditions }, before)
    if (answer === 'unknown') return { is: 'unknown' }
    if (typeof answer === 'string') return before
    this.outcomes.push({ kind: 'deleted', name, after: revision })
    await this.#sometimesLook(name, undefined)
    return { is: 'absent' }
  }

  /** The answer if the write was acknowledged; `unknown`; or why nothing was written. */
  async #try(method: string, path: string, body: unknown, before: Known): Promise<Answer | string> {
    const answer = await this.#ask(method, path, body)
    if (answer instanceof Error) {
      const reached = answer instanceof TransportError ? answer.reached : 'unknown'
      this.#count(reached === 'no' ? 'could not connect' : 'connection lost')
      return reached === 'no' ? 'could not connect' : 'unknown'
    }
    const { status, body: said } = answer
    if (status === 200 || status === 201) {
      this.#count('acknowledged')
      this.acknowledgedMs.push(nodeClock.monotonicMs())
      return answer
    }
    const retries = answer.headers['retry-after'] !== undefined
    this.#count(`${status} ${said.reason}${status === 503 && !retries ? ' without Retry-After' : ''}`)
    if (status === 503) return this.#options.proxied ? 'unknown' : '503'
    if (status === 500 && said.reason === 'StorageReadError') return said.message
    if (status === 504) return 'unknown'
    if (before.shaky && (status === 409 || status === 404)) return 'unknown'
    if (this.#options.rewritten && status === 409) return 'unknown'
    throw new Error(`unexpected answer to ${method} ${path}: ${status} ${JSON.stringify(said)}`)
  }

  /** Finds the outcome of a write without a response, by reading the object. */
  async #readBack(name: string): Promise<Known> {
    const answer = await this.#ask('GET', this.#path(this.#anyVersion(), name))
    if (answer instanceof Error) return { is: 'unknown' }
    this.#count('read back')
    if (answer.status === 404) return { is: 'absent', shaky: true }
    if (answer.status !== 200) return { is: 'unknown' }
    return { is: 'there', revision: Number(answer.body.metadata.resourceVersion), shaky: true }
  }

  /** Every server shows an acknowledged write at once: reads pass the barrier (agreement.md, rule 6). */
  async #sometimesLook(
    name: string,
    expected: { readonly colour: string; readonly revision: number } | undefined,
  ): Promise<void> {
    if (!chance(this.#options.random, 0.2)) return
    const answer = await this.#ask('GET', this.#path(this.#anyVersion(), name))
    if (answer instanceof Error || ![200, 404].includes(answer.status)) return
    this.#count('looked')
    const seen = answer.status === 404 ? 'nothing' : this.#tell(answer)
    // An unchanged rewrite changes the revision, and nothing else.
    const isLater =
      this.#options.rewritten &&
      answer.body.metadata?.resourceVersion > (expected?.revision ?? Number.POSITIVE_INFINITY)
    const at = isLater ? answer.body.metadata.resourceVersion : expected?.revision
    const wanted = expected ? `${expected.colour} at ${at}` : 'nothing'
    if (seen !== wanted) throw new Error(`a stale read of ${name}: ${seen} instead of ${wanted}`)
  }

  #tell({ body }: Answer): string {
    return `${this.#options.kind.colourIn(body)} at ${body.metadata.resourceVersion}`
  }

  #anyVersion(): BeaconVersion {
    return this.#anyOf(this.#options.apiVersions())
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Answer | Error> {
    try {
      return await ask(this.#anyOf(this.#options.servers()), method, path, body)
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  #collection(version: BeaconVersion, name: string): string {
    const { namespaces } = this.#options
    const namespace = namespaces[Number(name.slice(name.lastIndexOf('-') + 1)) % namespaces.length]
    return loadedPath(this.#options.kind, version, namespace)
  }

  #path(version: BeaconVersion, name: string): string {
    return `${this.#collection(version, name)}/${name}`
  }

  #anyOf<T>(all: readonly T[]): T {
    const [first, ...rest] = all
    if (first === undefined) throw new Error('there is nothing to choose from')
    return pick(this.#options.random, [first, ...rest])
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }
}
