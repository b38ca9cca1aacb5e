import { isJsonObject } from '@strata/api'
import { nameOf } from './shape.ts'

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g

/**
 * What the recorded server called things, and what this one calls them: uids, resource versions, tokens of pages,
 * hashes of documents. Learned from answers that belong together, put into the requests that follow.
 */
export class RecordedValues {
  readonly #uids = new Map<string, string>()
  // Versions of lists and of objects have separate maps: here they need not be equal when there they were.
  readonly #ofObjects = new Map<string, string>()
  readonly #ofLists = new Map<string, string>()
  readonly #others = new Map<string, string>()
  /** By path. The recorded index was cut off, and a client sends what the index that it has read says. */
  readonly #documents = new Map<string, string>()

  /** The index of documents as this server has it. */
  learnDocuments(index: unknown): void {
    const paths = isJsonObject(index) && isJsonObject(index['paths']) ? index['paths'] : {}
    for (const each of Object.values(paths)) {
      const address = isJsonObject(each) ? each['serverRelativeURL'] : undefined
      if (typeof address === 'string') this.#documents.set(address.replace(/\?.*/, ''), hashOf(address))
    }
  }

  learn(recorded: unknown, live: unknown): void {
    if (Array.isArray(recorded) && Array.isArray(live)) {
      const named = new Map(live.map((each) => [nameOf(each), each]))
      recorded.forEach((each, index) => {
        const name = nameOf(each)
        this.learn(each, name === undefined ? live[index] : named.get(name))
      })
      return
    }
    if (!isJsonObject(recorded) || !isJsonObject(live)) return
    const isList = recorded['uid'] === undefined
    for (const [field, value] of Object.entries(recorded)) {
      const other = live[field]
      // A reference that was sent as recorded comes back as recorded; that says nothing.
      if (value === other) continue
      if (typeof value !== 'string' || typeof other !== 'string') this.learn(value, other)
      else if (field === 'uid') this.#uids.set(value, other)
      else if (field === 'resourceVersion') (isList ? this.#ofLists : this.#ofObjects).set(value, other)
      else if (field === 'continue') this.#others.set(value, other)
      else if (field === 'serverRelativeURL') this.#others.set(hashOf(value), hashOf(other))
    }
  }

  learnUid(recorded: string, live: string): void {
    this.#uids.set(recorded, live)
  }

  /** The version of the object that a write is about; undefined if no response has contained it. */
  objectVersion(recorded: string): string | undefined {
    return this.#ofObjects.get(recorded) ?? this.#ofLists.get(recorded)
  }

  learnObjectVersion(recorded: string, live: string): void {
    this.#ofObjects.set(recorded, live)
  }

  uid(recorded: string): string {
    return this.#uids.get(recorded) ?? recorded
  }

  path(recorded: string): string {
    const url = new URL(recorded, 'https://recorded')
    for (const [name, value] of [...url.searchParams]) {
      if (name === 'resourceVersion') {
        url.searchParams.set(name, this.#ofLists.get(value) ?? this.#ofObjects.get(value) ?? value)
      } else if (name === 'continue' || name === 'hash') {
        const document = name === 'hash' ? this.#documents.get(url.pathname) : undefined
        url.searchParams.set(name, this.#others.get(value) ?? document ?? value)
      } else
        url.searchParams.set(
          name,
          value.replace(uuid, (each) => this.uid(each)),
        )
    }
    return url.pathname + url.search
  }

  body(recorded: unknown, field = ''): unknown {
    if (Array.isArray(recorded)) return recorded.map((each) => this.body(each))
    if (isJsonObject(recorded)) {
      return Object.fromEntries(
        Object.entries(recorded).map(([name, value]) => [name, this.body(value, name)]),
      )
    }
    if (typeof recorded !== 'string') return recorded
    if (field === 'resourceVersion') return this.objectVersion(recorded) ?? recorded
    return recorded.replace(uuid, (each) => this.uid(each))
  }
}

const hashOf = (address: string): string =>
  new URLSearchParams(address.slice(address.indexOf('?'))).get('hash') ?? ''
