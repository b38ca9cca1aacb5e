import { type GroupResource, groupResourceText } from '@strata/api'
import type { Log } from '@strata/world'
import { type Codec, isSealed, resourcePrefix, sealText, storedVersionIn } from '../codec/index.ts'
import { agreementKey, agreementPrefix, storedAgreement } from '../coordination/index.ts'
import type { Key } from '../store/index.ts'
import type { Collection, WatchCache } from '../watch-cache/index.ts'
import { isReadableByRecord } from './decide-stored.ts'
import { undecodableText } from './undecodable-text.ts'

/**
 * What this server does not serve, because it was started over objects that its release cannot read. Without it: a release is
 * rolled back too far, lists fail, whoever sees no objects takes them for gone, and what is written beside them in an older
 * version makes the way forward harder still.
 *
 * Looked at once, when the server has caught up with its store. A record that says that all can be read is believed, and
 * nothing is read; otherwise every object is looked at, so that a record that remembers too much stands in nobody's way. A
 * resource that is refused is followed object by object, and served when the last one that cannot be read has been migrated
 * or is gone. What cannot be decrypted is of a version that nobody knows, and is waited for: to refuse for as long as a KMS is
 * down what nobody could read anyway harms less than to write beside it what makes the way forward harder. Where the record
 * says that all can be read, a KMS that is down keeps nothing from being served. One that is served stays so: what other
 * releases write while this one runs is told of object by object.
 *
 * Of the program's kinds only. What a custom resource can be read as is said by its definition, which every release follows.
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
    /** Of the program's kinds. */
    readonly codecs: readonly Codec[]
    /** As people call it. */
    readonly release: string
    /** Resources that are served whatever is stored of them. */
    readonly allowed: readonly string[]
    readonly log: Log
    /** Something that was refused is served now. */
    readonly onServed?: () => void
  }) {
    this.#cache = options.cache
    // What agreement is made of is the same in every release.
    this.#codecs = options.codecs.filter(({ definition }) => !definition.bootstrap)
    this.#release = options.release
    this.#allowed = new Set(options.allowed)
    this.#log = options.log
    this.#onServed = options.onServed ?? (() => {})
  }

  /** To be called when the cache has caught up; whoever asks before is waiting for that too. */
  look(): void {
    if (this.#hasLooked) return
    this.#hasLooked = true
    for (const codec of this.#codecs) this.#lookAt(codec)
  }

  /** Why nothing of the resource is served; undefined if it is. */
  refusalOf(resource: GroupResource): string | undefined {
    this.look()
    if (this.#refused.size === 0) return undefined
    return this.#refused.get(groupResourceText(resource))?.text()
  }

  /** The names of what is not served, for others; undefined as long as nobody has looked. */
  get refused(): readonly string[] | undefined {
    return this.#hasLooked ? [...this.#refused.keys()] : undefined
  }

  /** All that is not served, for whoever asks whether this server is ready; undefined if everything is. */
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
        this.#log.info('serving the resource again: every stored object can be read', { resource })
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

/** The objects of one resource that cannot be read, as long as there are any. */
class Refused {
  readonly #collection: Collection
  readonly #prefix: Key
  readonly #options: RefusedOptions
  readonly #versions = new Map<Key, string>()
  /** Those that cannot be decrypted, and what their bytes begin with. */
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
      // The watch begins anew, and so does who follows it.
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
   * Bytes that name no version at all are damaged, and no release reads them. Not so those that are encrypted: they say nothing
   * until they are opened. Otherwise: a release is rolled back too far while the KMS is down, finds nothing that it could not
   * decode, and serves the resource; the KMS is back, and everything is v3.
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
