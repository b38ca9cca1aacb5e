import { createHash } from 'node:crypto'
import { groupDiscovery, groupDiscoveryList, isAggregated } from './aggregated.ts'
import type { DiscoverableApi, ServedVerbs } from './discoverable.ts'
import { type Group, type GroupVersion, groupsOf } from './groups.ts'
import { encodingVersionOf, groupList, type LegacyOptions, resourceList, singleGroup } from './legacy.ts'

export interface AggregatedDocument {
  readonly body: Uint8Array
  /** Upper-case hex of the SHA-512 of the document, in quotes. */
  readonly etag: string
}

/** The discovery documents. Each is made on the first request, and kept as bytes. */
export interface Discovery {
  /** The document at `/apis` or below, or at `/api/v1`; undefined where there is none. */
  document(path: string): Uint8Array | undefined
  /** Everything below one of the two roots, in the given version of apidiscovery.k8s.io. */
  aggregated(root: 'api' | 'apis', versionName: string): AggregatedDocument
  /** Every path that has a document. */
  paths(): readonly string[]
  /** Whether the document describes a group that other servers serve alone. */
  isElsewhere(path: string): boolean
}

export function createDiscovery(
  api: DiscoverableApi,
  verbs: ServedVerbs,
  options: LegacyOptions = { storageVersionHashes: true },
): Discovery {
  const words = new Words(verbs, options)
  let described: Description | undefined
  // A new list means that the served resources have changed. Unchanged ones are not described again.
  const current = (): Description => {
    const isCurrent = described?.resources === api.resources && described.registered === api.registered
    if (!described || !isCurrent) described = new Description(api, words, described?.groups)
    return described
  }
  return {
    document: (path) => current().document(path),
    aggregated: (root, versionName) => current().aggregated(root, versionName),
    paths: () => current().paths,
    isElsewhere: (path) => current().isElsewhere(path),
  }
}

interface Described {
  /** The versions that its resources were written in when it was made. */
  readonly written: string
  readonly document: Uint8Array
}

/** The documents of groups and their versions, each kept while its resources are served. */
class Words {
  readonly #verbs: ServedVerbs
  readonly #options: LegacyOptions
  readonly #groups = new WeakMap<Group, Uint8Array>()
  readonly #versions = new WeakMap<GroupVersion, Described>()
  readonly #aggregated = new WeakMap<Group, Uint8Array>()

  constructor(verbs: ServedVerbs, options: LegacyOptions) {
    this.#verbs = verbs
    this.#options = options
  }

  group(group: Group): Uint8Array {
    return remember(this.#groups, group, () => documentOf(singleGroup(group)))
  }

  /** The written versions change while the resources stay. They are read on each call, so that no notification can be missed. */
  version(version: GroupVersion): Uint8Array {
    const written = version.resources.map((each) => encodingVersionOf(each, this.#options)).join()
    const known = this.#versions.get(version)
    if (known?.written === written) return known.document
    const document = documentOf(resourceList(version, this.#verbs, this.#options))
    this.#versions.set(version, { written, document })
    return document
  }

  item(group: Group): Uint8Array {
    const make = (): unknown => groupDiscovery(group, this.#verbs)
    return remember(this.#aggregated, group, () => Buffer.from(JSON.stringify(make())))
  }
}

class Description {
  readonly resources: DiscoverableApi['resources']
  readonly registered: DiscoverableApi['registered']
  readonly groups: readonly Group[]
  readonly #words: Words
  readonly #makers: ReadonlyMap<string, () => Uint8Array>
  readonly #aggregates = new Map<string, AggregatedDocument>()
  #groupList: Uint8Array | undefined

  constructor(api: DiscoverableApi, words: Words, before: readonly Group[] | undefined) {
    this.resources = api.resources
    this.registered = api.registered
    this.groups = groupsOf(api, before)
    this.#words = words
    this.#makers = this.#makersOf(this.groups)
  }

  get paths(): readonly string[] {
    return ['/api', ...this.#makers.keys()]
  }

  document(path: string): Uint8Array | undefined {
    return this.#makers.get(path)?.()
  }

  isElsewhere(path: string): boolean {
    const group = this.groups.find(({ name }) => `/apis/${name}` === path)
    return group?.versions.every(({ registered }) => registered === 'elsewhere') ?? false
  }

  aggregated(root: 'api' | 'apis', versionName: string): AggregatedDocument {
    return remember(this.#aggregates, `${root} ${versionName}`, () => {
      const mine = this.groups.filter(
        (group) => (group.name === '') === (root === 'api') && isAggregated(group),
      )
      return withEtag(
        groupDiscoveryList(
          versionName,
          mine.map((group) => this.#words.item(group)),
        ),
      )
    })
  }

  #makersOf(groups: readonly Group[]): ReadonlyMap<string, () => Uint8Array> {
    const words = this.#words
    const makers = new Map<string, () => Uint8Array>()
    makers.set('/apis', () => {
      this.#groupList ??= documentOf(groupList(groups))
      return this.#groupList
    })
    for (const group of groups) {
      const root = group.name === '' ? '/api' : `/apis/${group.name}`
      if (group.name !== '') makers.set(root, () => words.group(group))
      for (const version of group.versions) {
        if (!version.registered) makers.set(`${root}/${version.versionName}`, () => words.version(version))
      }
    }
    return makers
  }
}

interface Memory<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

function remember<Key, Value>(made: Memory<Key, Value>, key: Key, make: () => Value): Value {
  const known = made.get(key)
  if (known !== undefined) return known
  const fresh = make()
  made.set(key, fresh)
  return fresh
}

function documentOf(document: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(document)}\n`)
}

function withEtag(body: Uint8Array): AggregatedDocument {
  return { body, etag: `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"` }
}
