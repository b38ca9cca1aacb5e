import { type GroupResource, groupResourceText } from '@strata/api'
import type { Log } from '@strata/world'
import { type Codec, isSealed, resourcePrefix, sealText, storedVersionIn } from '../codec/index.ts'
import { agreementKey, agreementPrefix, storedAgreement } from '../coordination/index.ts'
import type { Key } from '../store/index.ts'
import type { Collection, WatchCache } from '../watch-cache/index.ts'
import { isReadableByRecord } from './decide-stored.ts'
import { undecodableText } from './undecodable-text.ts'

/**
 * The resources that this server does not serve, because its release cannot read some of their stored objects. Otherwise: a
 * release is rolled back too far, lists fail, clients take missing objects for deleted, and objects written beside them in an
 * older version make the way forward harder.
 *
 * Checked once, when the server has caught up with its store. If the record proves that everything can be read, nothing is read;
 * otherwise every object is, so that a record that remembers too much does no harm. A refused resource is followed object by
 * object, and served when the last unreadable one has been migrated or deleted. The version of an object that cannot be decrypted
 * is unknown, so the resource waits for it: refusing an unreadable resource while a KMS is down does less harm than writing
 * beside it. If the record proves that everything can be read, a KMS that is down does not matter. A served resource stays
 * served: errors about objects that other releases write meanwhile name each object.
 *
 * Only built-in kinds are checked. The CRD decides which versions of a custom resource can be read, and every release follows it.
 */
export class UndecodableStorage {
  readonly #cache: WatchCache
  readonly #codecs: readonly Codec[]
  readonly #release: string
  readonly #allowed: ReadonlySet<string>
  readonly #log: Log
  readonly #onServed: () => void
  readonly #refused = new Map<string, Refused>()
  #hasLooked = false

  constructor(options: {
    readonly cache: WatchCache
    /** The codecs of built-in kinds. */
    readonly codecs: readonly Codec[]
    /** The name of the release for operators. */
    readonly release: string
    /** Resources that are served whatever is stored. */
    readonly allowed: readonly string[]
    readonly log: Log
    /** Called when a refused resource is served. */
    readonly onServed?: () => void
  }) {
    this.#cache = options.cache
    // The kinds of agreement are the same in every release.
    this.#codecs = options.codecs.filter(({ definition }) => !definition.bootstrap)
    this.#release = options.release
    this.#allowed = new Set(options.allowed)
    this.#log = options.log
    this.#onServed = options.onServed ?? (() => {})
  }

  /** Called when the cache has caught up; requests before wait for that, too. */
  look(): void {
    if (this.#hasLooked) return
    this.#hasLooked = true
    for (const codec of this.#codecs) this.#lookAt(codec)
  }

  /** Why the resource is not served; undefined if it is. */
  refusalOf(resource: GroupResource): string | undefined {
    this.look()
    if (this.#refused.size === 0) return undefined
    return this.#refused.get(groupResourceText(resource))?.text()
  }

  /** The names of refused resources, for other servers; undefined before the check. */
  get refused(): readonly string[] | undefined {
    return this.#hasLooked ? [...this.#refused.keys()] : undefined
  }

  /** All refused resources, for the readiness check; undefined if everything is served. */
  get problem(): string | undefined {
    if (this.#refused.size === 0) return undefined
    return [...this.#refused.values()].map((each) => each.text()).join('; ')
  }

  #lookAt(codec: Codec): void {
    const { definition } = codec
    const resource = groupResourceText(definition)
    if (this.#allowed.has(resource)) return
    const readable = [...codec.decodableVersions, ...codec.equivalentVersions]
    const entry = this.#cache.collection(agreementPrefix).get(agreementKey(definition))
    if (isReadableByRecord(storedAgreement(entry)?.record.status, readable)) return
    const prefix = resourcePrefix(definition)
    const refused = new Refused(this.#cache.collection(prefix), prefix, {
      readable,
      text: (counts, sealed) => {
        const { decodableVersions: decodable } = codec
        return undecodableText({ ...{ resource, release: this.#release, decodable }, counts, sealed })
      },
      onServed: () => {
        this.#refused.delete(resource)
        this.#log.info('serving the resource now: every stored object can be read', { resource })
        this.#onServed()
      },
    })
    if (refused.isOver) return
    this.#refused.set(resource, refused)
    this.#log.warn('not serving a resource whose stored objects cannot be read', {
      resource,
      why: refused.text(),
    })
    refused.follow()
  }
}

interface RefusedOptions {
  readonly readable: readonly string[]
  readonly text: (counts: ReadonlyMap<string, number>, sealed: ReadonlyMap<string, number>) => string
  readonly onServed: () => void
}

/** The unreadable objects of one resource, while there are any. */
class Refused {
  readonly #collection: Collection
  readonly #prefix: Key
  readonly #options: RefusedOptions
  readonly #versions = new Map<Key, string>()
  /** Objects that cannot be decrypted, and the beginning of their bytes. */
  readonly #sealed = new Map<Key, string>()

  constructor(collection: Collection, prefix: Key, options: RefusedOptions) {
    this.#collection = collection
    this.#prefix = prefix
    this.#options = options
    this.#readAll()
  }

  get isOver(): boolean {
    return this.#versions.size === 0 && this.#sealed.size === 0
  }

  text(): string {
    return this.#options.text(countsOf(this.#versions), countsOf(this.#sealed))
  }

  follow(): void {
    const stop = this.#collection.subscribe({
      onEvent: ({ kind, key, value }) => {
        if (kind === 'deleted') this.#forget(key)
        else this.#take(key, value)
        if (this.isOver) end()
      },
      // The watch starts again, and so do its followers.
      onReset: () => {
        this.#readAll()
        if (this.isOver) this.#options.onServed()
        else this.follow()
      },
    })
    const end = (): void => {
      stop()
      this.#options.onServed()
    }
  }

  #readAll(): void {
    this.#versions.clear()
    this.#sealed.clear()
    const all = this.#collection.range(this.#prefix)
    for (let index = 0; index < all.count; index++) {
      const { key, value } = all.at(index)
      this.#take(key, value)
    }
  }

  /**
   * Bytes without a version are damaged: no release reads them, so they do not count. Encrypted bytes do: their version is
   * unknown until they are opened. Otherwise:
   *
   * 1. A release is rolled back too far while the KMS is down.
   * 2. It finds nothing that it cannot decode, and serves the resource.
   * 3. The KMS is back, and every object is v3.
   */
  #take(key: Key, value: Uint8Array): void {
    this.#forget(key)
    if (isSealed(value)) {
      this.#sealed.set(key, sealText(value))
      return
    }
    const storedVersion = storedVersionIn(value)
    if (storedVersion !== undefined && !this.#options.readable.includes(storedVersion)) {
      this.#versions.set(key, storedVersion)
    }
  }

  #forget(key: Key): void {
    this.#versions.delete(key)
    this.#sealed.delete(key)
  }
}

function countsOf(all: ReadonlyMap<Key, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const each of all.values()) counts.set(each, (counts.get(each) ?? 0) + 1)
  return counts
}
