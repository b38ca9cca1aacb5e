import assert from 'node:assert/strict'
import type { StrataServer } from '@strata/server'
import { type Answer, call } from './fleet.ts'
import { type OpenWatch, openWatch, type SeenEvent } from './open-watch.ts'

interface Shown {
  readonly apiVersion?: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string }
}

export interface ReflectorOptions {
  /** The path of the collection, without a query. */
  readonly path: string
  /** The query of both list and watch: `labelSelector=…`. */
  readonly selector?: string
  /** Begins with a watch that sends the state first, instead of with a list. */
  readonly watchList?: boolean
  /** The page size of a list. */
  readonly limit?: number
}

/**
 * A client that keeps a copy of a collection, written from the protocol alone: list and watch as client-go has done
 * for ever, or one watch that begins with the state (WatchList). It believes nothing: an addition of what it has, a
 * deletion of what it does not have, or a version that goes backwards is a failure of the server.
 */
export class Reflector {
  readonly copy = new Map<string, Shown>()
  readonly #options: ReflectorOptions
  #server: StrataServer
  #revision = ''
  #watch: OpenWatch | undefined
  #taken = 0
  #initial: Map<string, Shown> | undefined
  /** How often each thing happened, so that a test can tell that it did. */
  readonly counts = { lists: 0, resumes: 0, expired: 0, bookmarks: 0, events: 0 }

  constructor(server: StrataServer, options: ReflectorOptions) {
    this.#server = server
    this.#options = options
  }

  /** The connection breaks; what has not been taken yet is lost. The next server may be another. */
  cut(next: StrataServer = this.#server): void {
    this.#watch?.cut()
    this.#watch = undefined
    this.#server = next
  }

  get isCaughtUp(): boolean {
    return (
      this.#watch !== undefined && this.#initial === undefined && this.#taken === this.#watch.events.length
    )
  }

  get revision(): number {
    return Number(this.#revision)
  }

  /** Takes what has come, and opens again what has ended. */
  async step(): Promise<void> {
    const watch = this.#watch
    if (!watch) return this.#begin()
    for (; this.#taken < watch.events.length; this.#taken++) {
      const event = watch.events[this.#taken]
      if (event && !this.#take(event)) return this.#startOver()
    }
    if (watch.ended) this.#watch = undefined
  }

  async #begin(): Promise<void> {
    if (this.#revision !== '') {
      this.counts.resumes++
      return this.#open(`resourceVersion=${this.#revision}`)
    }
    if (!this.#options.watchList) {
      await this.#list()
      return this.#open(`resourceVersion=${this.#revision}`)
    }
    this.counts.lists++
    this.#initial = new Map()
    await this.#open('sendInitialEvents=true&resourceVersionMatch=NotOlderThan')
  }

  async #open(query: string): Promise<void> {
    this.#taken = 0
    const more = this.#options.selector ? `&${this.#options.selector}` : ''
    const target = `${this.#options.path}?watch=true&allowWatchBookmarks=true&${query}${more}`
    this.#watch = await openWatch(this.#server, target)
    assert.equal(this.#watch.status, 200)
  }

  async #list(): Promise<void> {
    this.counts.lists++
    const { path, selector, limit = 500 } = this.#options
    const items: Shown[] = []
    let token = ''
    for (;;) {
      const query = [selector ?? '', `limit=${limit}`, token && `continue=${token}`].filter(Boolean).join('&')
      const answer: Answer = await call(this.#server.handle, 'GET', `${path}?${query}`)
      if (answer.status === 410) {
        // History was cut off under our feet: from the beginning.
        items.length = 0
        token = ''
        continue
      }
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      items.push(...answer.body.items)
      const { resourceVersion, continue: next } = answer.body.metadata
      token = next ?? ''
      if (token !== '') continue
      this.#revision = resourceVersion
      break
    }
    this.#replace(new Map(items.map((item) => [nameOf(item), item])))
  }

  #startOver(): void {
    this.counts.expired++
    this.cut()
    this.#revision = ''
    this.#initial = undefined
  }

  #replace(next: Map<string, Shown>): void {
    this.copy.clear()
    for (const [name, item] of next) this.copy.set(name, item)
  }

  /** False if the server says that the past is forgotten. */
  #take({ type, object }: SeenEvent): boolean {
    this.counts.events++
    if (type === 'ERROR') {
      assert.equal(object.code, 410, JSON.stringify(object))
      return false
    }
    const revision = Number(object.metadata.resourceVersion)
    if (type === 'BOOKMARK') {
      this.counts.bookmarks++
      const ends = object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true'
      assert.equal(
        ends,
        this.#initial !== undefined,
        'the first bookmark, and no other, ends the initial events',
      )
      if (this.#initial) this.#replace(this.#initial)
      this.#initial = undefined
      assert.ok(revision >= this.revision, 'a bookmark went backwards')
      this.#revision = String(revision)
      return true
    }
    if (this.#initial) {
      assert.equal(type, 'ADDED')
      this.#initial.set(nameOf(object), object)
      return true
    }
    assert.ok(revision >= this.revision, `${type} at ${revision} after ${this.#revision}`)
    this.#revision = String(revision)
    const name = nameOf(object)
    assert.equal(this.copy.has(name), type !== 'ADDED', `${type} of ${name}`)
    if (type === 'DELETED') this.copy.delete(name)
    else this.copy.set(name, object)
    return true
  }
}

function nameOf({ metadata }: Shown): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}
