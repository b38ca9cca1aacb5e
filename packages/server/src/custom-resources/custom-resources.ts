import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  type GroupResource,
  isEstablished,
  isKind,
  type Named,
  type ResourceDefinition,
} from '@strata/api'
import type { Log } from '@strata/world'
import { type Codec, resourcePrefix } from '../codec/index.ts'
import type { Coordinator, DefinitionGuard } from '../coordination/index.ts'
import type { ServedApi, ServedResource } from '../registry/index.ts'
import type { Entry, Key, Revision } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import { type ConverterSources, converterOf } from './converter-of.ts'
import { type CustomKind, defineKind } from './define-kind.ts'
import { definesTheSame } from './defines-the-same.ts'
import { type CrdSummary, DefinitionReader } from './definition-reader.ts'
import { mayBeEstablished } from './may-be-established.ts'

/** The group of our own kinds and keys. */
const ownGroup = 'strata.dev'
/** The group of kinds that are CRDs on other clusters, and built in here. */
const toolsGroup = 'migration.k8s.io'

interface Installed extends CustomKind {
  readonly summary: CrdSummary
  readonly replaced: AbortController
}

/**
 * Serves the resources of CRDs, from the moment this server sees a CRD established until it is gone. Changes of the watch take
 * effect synchronously: a request that has passed the barrier finds every resource that was defined before.
 */
export class CustomResources {
  readonly #api: ServedApi
  readonly #coordinator: Pick<Coordinator, 'define' | 'refreshDefinition' | 'undefine'>
  readonly #converters: ConverterSources
  readonly #log: Log
  /** The prefix of CRDs. */
  readonly #prefix: Key
  readonly #installed = new Map<Key, Installed>()
  /** The built-in resources, by group and plural name. */
  readonly #builtIn: ReadonlySet<string>
  readonly #builtInKinds: readonly ResourceDefinition[]
  readonly definitions: DefinitionReader
  /** Called for every CRD that is created, changed or deleted. */
  onChange: (key: Key) => void = () => {}

  constructor(options: {
    readonly cache: WatchCache
    readonly api: ServedApi
    readonly coordinator: Pick<Coordinator, 'define' | 'refreshDefinition' | 'undefine'>
    readonly converters: ConverterSources
    readonly log: Log
    /** Built-in kinds, including those that are switched off. */
    readonly reserved?: readonly ResourceDefinition[]
  }) {
    this.#api = options.api
    this.#coordinator = options.coordinator
    this.#converters = options.converters
    this.#log = options.log
    const { resources, codecs } = options.api
    this.#builtIn = new Set([
      ...codecs.map(({ definition }) => groupResource(definition)),
      ...(options.reserved ?? []).map(groupResource),
      // Some are also served in another group, or would be if that were not switched off.
      ...codecs.flatMap(({ definition: { alsoServedIn = [], plural } }) =>
        alsoServedIn.map(({ group }) => groupResource({ group, plural })),
      ),
      ...resources.map(({ group, definition }) => groupResource({ group, plural: definition.plural })),
    ])
    this.#builtInKinds = [...codecs.map(({ definition }) => definition), ...(options.reserved ?? [])]
    const codec = options.api.codecs.find(({ definition }) => isKind(definition, customResourceDefinitions))
    this.definitions = new DefinitionReader(codec)
    this.#prefix = codec ? resourcePrefix(codec.definition) : ''
    if (codec) this.#follow(options.cache, this.#prefix)
  }

  #follow(cache: WatchCache, prefix: Key): void {
    const collection = cache.collection(prefix)
    const readAll = (isReplaced: boolean): void => {
      for (const key of this.#installed.keys()) if (!collection.get(key)) this.#remove(key)
      const all = collection.range(prefix)
      for (let index = 0; index < all.count; index++) this.#take(all.at(index), isReplaced)
      this.#publish()
      for (let index = 0; index < all.count; index++) this.onChange(all.at(index).key)
      subscribe()
    }
    const subscribe = (): void => {
      collection.subscribe({
        onEvent: ({ kind, key, value, revision }) => {
          const changed = kind === 'deleted' ? this.#remove(key) : this.#take({ key, value, revision })
          if (changed) this.#publish()
          this.onChange(key)
        },
        onReset: readAll,
      })
    }
    readAll(false)
  }

  /** How the instances of exactly this CRD are stored; undefined while it is not in force here. */
  instancesOf(key: Key, uid: string | undefined): ServedResource | undefined {
    const found = this.#installed.get(key)
    return found?.summary.metadata.uid === uid ? found?.stored : undefined
  }

  /** The same for the CRD that is in force under that name. */
  instancesOfResource({ group, resource }: GroupResource): ServedResource | undefined {
    return this.#installed.get(`${this.#prefix}${resource}.${group}`)?.stored
  }

  /** Whether another resource is served in its place, or uses the keys of its instances. */
  isTaken({ spec }: Pick<CustomResourceDefinition, 'spec'>): boolean {
    const { group, names } = spec
    return group === ownGroup || this.#builtIn.has(groupResource({ group, plural: names.plural }))
  }

  /**
   * Whether the CRD would be established without effect, because a built-in resource has its place. Not a CRD of
   * `migration.k8s.io` while that group is served: migration tools install their CRDs and then use the built-in resource.
   */
  isShadowing(crd: Pick<CustomResourceDefinition, 'spec'>): boolean {
    const { group, names } = crd.spec
    if (!this.isTaken(crd)) return false
    return !(
      group === toolsGroup &&
      this.#api.resources.some((each) => each.group === group && each.definition.plural === names.plural)
    )
  }

  /**
   * The names of built-in resources in its group, except for one with its own plural (`isShadowing`). Otherwise: a client creates
   * the CRD `clusterrolez` with the kind ClusterRole and the short name clusterroles, and clients find two of them.
   */
  builtInBeside({ spec }: Pick<CustomResourceDefinition, 'spec'>): readonly Named[] {
    const { group, names } = spec
    return this.#builtInKinds
      .filter((each) => each.plural !== names.plural)
      .filter((each) => each.group === group || each.alsoServedIn?.some((other) => other.group === group))
      .map(({ plural, singular, kind, listKind, shortNames = [] }) => ({
        status: { acceptedNames: { plural, singular, kind, listKind, shortNames } },
      }))
  }

  /**
   * True if the served resources change. After the store was replaced (rule 19) nothing counts as the same. Otherwise:
   *
   * 1. Generation 3 says v1 and is lost with a restore.
   * 2. In the restored store, generation 3 of the same CRD says v2.
   * 3. This server, which was cut off, takes them for the same, and publishes and writes v1.
   */
  #take({ key, value, revision }: Pick<Entry, 'key' | 'value' | 'revision'>, isReplaced = false): boolean {
    if (!mayBeEstablished(value)) return this.#remove(key)
    const crd = this.#decode(key, value)
    if (!crd || !isEstablished(crd) || !isNamedAsAccepted(crd) || this.isTaken(crd)) return this.#remove(key)
    const before = this.#installed.get(key)
    const summary = this.definitions.summaryOf(value)
    if (before && !isReplaced && definesTheSame(before.summary, summary)) {
      this.#coordinator.refreshDefinition(this.#definitionGuardOf(key, revision, summary, before.codec))
      return false
    }
    // Another object of the same name defines another resource, even if it looks alike.
    if (before && before.summary.metadata.uid !== crd.metadata.uid) this.#remove(key)
    const replaced = new AbortController()
    const kind = this.#defineKind(key, crd, replaced.signal)
    if (!kind) return this.#remove(key)
    this.#installed.set(key, { ...kind, summary, replaced })
    this.#coordinator.define(this.#definitionGuardOf(key, revision, summary, kind.codec))
    before?.replaced.abort(new Error('the CRD has changed'))
    return true
  }

  /** A CRD that cannot be served (of another release, or with a hand-written status) must not affect the others. */
  #defineKind(key: Key, crd: CustomResourceDefinition, replaced: AbortSignal): CustomKind | undefined {
    try {
      return defineKind(crd, converterOf(crd, this.#converters), replaced)
    } catch (error) {
      this.#log.warn('cannot serve the resource of a CRD', { key, error: String(error) })
      return undefined
    }
  }

  #remove(key: Key): boolean {
    const before = this.#installed.get(key)
    if (!before) return false
    this.#installed.delete(key)
    this.#coordinator.undefine(before.codec.definition)
    before.replaced.abort(new Error('no CRD defines the resource any more'))
    return true
  }

  #publish(): void {
    this.#api.setCustom(() => [...this.#installed.values()].flatMap(({ resources }) => resources))
  }

  #definitionGuardOf(key: Key, revision: Revision, summary: CrdSummary, codec: Codec): DefinitionGuard {
    const isSame = (current: Entry): boolean => {
      const now = this.#decode(current.key, current.value)
      return now !== undefined && definesTheSame(summary, now)
    }
    return { key, revision, codec, isSame }
  }

  #decode(key: Key, value: Uint8Array): CustomResourceDefinition | undefined {
    try {
      return this.definitions.read(value)
    } catch (error) {
      this.#log.warn('cannot read a CRD; its resource is not served', {
        key,
        error: String(error),
      })
      return undefined
    }
  }
}

const groupResource = ({ group, plural }: { readonly group: string; readonly plural: string }): string =>
  `${group}/${plural}`

/**
 * The plural name is in the path and in the keys. A client that may write the status can put any other name there, also that of
 * another CRD or of a built-in kind; one CRD would then be served in the place of another.
 */
function isNamedAsAccepted({ spec, status }: CustomResourceDefinition): boolean {
  return status.acceptedNames.plural === spec.names.plural
}
