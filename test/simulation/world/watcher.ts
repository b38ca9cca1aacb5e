import { chance, deadline, integer, pick, sleep, utf8 } from '@strata/world'
import type { SimNetwork, SimProcess } from '@strata/world/sim'
import { adminToken } from '../../support/fleet.ts'
import type { History, ListRun, WatchRun } from '../history.ts'
import { hasNoticedLastRestore } from '../timelines.ts'
import { statusTokenOf, tokenOf } from '../tokens.ts'
import { customVersions } from './definitions.ts'
import { type Collection, target } from './objects.ts'
import { type Json, request } from './request.ts'

export interface WatcherParts {
  readonly process: SimProcess
  readonly network: SimNetwork
  readonly history: History
  /** What it follows. */
  readonly collection: Collection
  /** The versions of the example kind that all servers serve. */
  readonly served: readonly [string, ...string[]]
  readonly serverNames: () => readonly string[]
  readonly nowMs: () => number
  readonly revision: () => number
}

/** Why a watch is over: the server ended it, the way broke, its revision is too old (410), or it never began. */
type WatchEnd = NonNullable<WatchRun['end']>['how']

/**
 * Follows one collection as an informer does: lists, watches from there, goes on where it was when a watch ends, through
 * whichever server, and lists again after 410. It keeps nothing but notes of what it was told; checkers compare them with
 * what the store did.
 */
export class Watcher {
  readonly #parts: WatcherParts

  constructor(parts: WatcherParts) {
    this.#parts = parts
  }

  async run(): Promise<never> {
    const { process } = this.#parts
    for (;;) {
      const listed = await this.#list()
      if (listed) await this.#follow(listed)
      await sleep(process.clock, 100 + integer(process.random, 900))
    }
  }

  /** Until it has to list again. */
  async #follow({ revision, listedMs }: Listed): Promise<void> {
    const { process } = this.#parts
    let at = revision
    // Now and then an informer is restarted, and begins anew.
    while (!chance(process.random, 0.05)) {
      const run = await this.#watch(at, listedMs)
      at = Math.max(at, ...run.events.map(({ revision }) => revision))
      if (run.end?.how === 'expired' || run.end?.how === 'refused') return
      if (chance(process.random, 0.2)) await this.#listPinned(at)
      await sleep(process.clock, 20 + integer(process.random, 400))
    }
  }

  /** Everything, at once or in pages. */
  async #list(): Promise<Listed | undefined> {
    const { process, nowMs } = this.#parts
    const startMs = nowMs()
    const how = pick(process.random, ['newest', 'newest', 'pages', 'any'] as const)
    const listed = await this.#listAs(how)
    if (!listed) return undefined
    const { revision, server } = listed
    const isNew = how !== 'any' || hasNoticedLastRestore(this.#parts.history, server, startMs)
    return isNew ? { revision, listedMs: startMs } : { revision }
  }

  #listAs(how: 'newest' | 'pages' | 'any'): Promise<LastPage | undefined> {
    if (how === 'newest') return this.#page({ how }, '')
    if (how === 'any') return this.#page({ how }, 'resourceVersion=0')
    const limit = 1 + integer(this.#parts.process.random, 2)
    return this.#page({ how, limit }, `limit=${limit}`)
  }

  /** The past, as it was. */
  async #listPinned(asked: number): Promise<void> {
    const { random } = this.#parts.process
    const query = `resourceVersion=${asked}&resourceVersionMatch=Exact`
    if (chance(random, 0.5)) await this.#page({ how: 'pinned', asked }, query)
    else await this.#page({ how: 'pinned', asked, limit: 1 }, `${query}&limit=1`)
  }

  /** One request, and those for the pages after it. */
  async #page(notes: Notes, query: string): Promise<LastPage | undefined> {
    const { process, network, history, nowMs, revision, collection } = this.#parts
    const items = notes.items ?? []
    const startRevision = notes.startRevision ?? revision()
    const startMs = notes.startMs ?? nowMs()
    try {
      const server = this.#server()
      const { status, body } = await request(process, network.connect(process, server), {
        ...{ method: 'GET', target: `${this.#path()}?${query}`, timeoutMs: 10_000 },
      })
      if (status !== 200) return undefined
      items.push(...body.items.map((item: Json) => this.#item(item)))
      const at = Number(body.metadata.resourceVersion)
      const { continue: rest, remainingItemCount: remaining } = body.metadata
      const page = {
        revision: at,
        count: body.items.length,
        ...(remaining === undefined ? {} : { remaining }),
      }
      const pages = [...(notes.pages ?? []), page]
      const next = { ...notes, items, pages, startRevision, startMs }
      if (rest) {
        // Others write meanwhile, and the next page comes from elsewhere.
        await sleep(process.clock, integer(process.random, 1_500))
        return this.#page(next, `limit=${notes.limit ?? 1}&continue=${encodeURIComponent(rest)}`)
      }
      const run: ListRun = {
        ...{ watcher: process.name, prefix: collection.prefix, how: notes.how, pages, items, startRevision },
        ...(notes.asked === undefined ? {} : { asked: notes.asked }),
        ...(notes.limit === undefined ? {} : { limit: notes.limit }),
        ...{ startMs, revision: at, endMs: nowMs(), endRevision: revision() },
      }
      history.lists.push(run)
      return { revision: at, server }
    } catch (error) {
      process.log.debug('could not list', { error: String(error) })
      return undefined
    }
  }

  async #watch(from: number, listedMs: number | undefined): Promise<WatchRun> {
    const { process, network, history, nowMs, collection } = this.#parts
    const server = this.#server()
    const run: WatchRun = {
      ...{ watcher: process.name, server, prefix: collection.prefix, from, startMs: nowMs(), events: [] },
      ...(listedMs === undefined ? {} : { listedMs }),
    }
    history.watches.push(run)
    const seconds = 5 + integer(process.random, 30)
    const query = `watch=1&resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=${seconds}`
    const limit = deadline(process.clock, 1000 * seconds + 15_000)
    const end = (how: WatchEnd): WatchRun => {
      run.end = { how, endMs: nowMs() }
      return run
    }
    try {
      const response = await network.connect(
        process,
        server,
      )({
        ...{ method: 'GET', target: `${this.#path()}?${query}`, signal: limit.signal },
        headers: { authorization: `Bearer ${adminToken}` },
      })
      if (response.status === 410) return end('expired')
      if (response.status !== 200 || response.body instanceof Uint8Array) return end('refused')
      let left = ''
      for await (const chunk of response.body) {
        const lines = `${left}${utf8.decode(chunk)}`.split('\n')
        left = lines.pop() ?? ''
        for (const line of lines) {
          const { type, object } = JSON.parse(line)
          if (type === 'ERROR') return end(object.code === 410 ? 'expired' : 'refused')
          run.events.push({ type, ...this.#item(object), atMs: nowMs() })
        }
      }
      return end('ended')
    } catch (error) {
      process.log.debug('watch broke', { server, error: String(error) })
      return end('broken')
    } finally {
      limit.dispose()
    }
  }

  #item(object: Json): ListRun['items'][number] {
    const { name = '', resourceVersion } = object.metadata
    const key = `${this.#parts.collection.prefix}${name}`
    // Items of a list of a built-in kind do not repeat their kind.
    const whole = { ...object, kind: this.#parts.collection.kind }
    const tokens = { token: tokenOf(whole), statusToken: statusTokenOf(whole) }
    return { key, revision: Number(resourceVersion), ...tokens }
  }

  #server(): string {
    const [first = '', ...others] = this.#parts.serverNames()
    return pick(this.#parts.process.random, [first, ...others])
  }

  #path(): string {
    const { process, collection, served } = this.#parts
    const version = pick(process.random, collection.plural ? customVersions : served)
    return target({ collection, version, name: '' }, false)
  }
}

/** What a list has found: where to watch from, and when the list was asked for unless it could be of any age. */
interface Listed {
  readonly revision: number
  readonly listedMs?: number
}

interface LastPage {
  readonly revision: number
  readonly server: string
}

/** What has come so far of a list in pages. */
interface Notes {
  readonly how: ListRun['how']
  readonly asked?: number
  readonly limit?: number
  readonly items?: ListRun['items'][number][]
  readonly pages?: ListRun['pages']
  readonly startRevision?: number
  readonly startMs?: number
}
