import {
  ApiError,
  awaitsCleanup,
  type CustomResourceDefinition,
  type CustomResourceDefinitionStatus,
  cleanupFinalizer,
  conditionOf,
  couldNotConfirm,
  couldNotDelete,
  customResourceDefinitions,
  type FoundCondition,
  isEstablished,
  isSameCondition,
  jsonEqual,
  terminating,
  withCondition,
} from '@strata/api'
import { deadline, jitter, severalAtOnce, sleep, timestamp } from '@strata/world'
import { resourcePrefix } from '../codec/index.ts'
import { type Registry, remove, type ServedResource, systemWrite, update } from '../registry/index.ts'
import type { Entry, Key } from '../store/index.ts'
import type { CustomResources } from './custom-resources.ts'
import { decideStatus } from './decide-status.ts'
import type { Gist } from './definition-reader.ts'
import { deleteUnread, isReadHere } from './delete-unread.ts'
import { inTurn, type NamesTurn, takeTurn } from './names-turn.ts'

const group = customResourceDefinitions.group
const attemptMs = 30_000
/** As upstream looks again for instances that their own finalizers keep. */
const lookAgainMs = 1_000
const deletionsAtOnce = 16
const groupsAtOnce = 8
/** As upstream: finalizers of instances have this long before it is said that they hold up the rest. */
const patienceMs = 60_000

type CustomView = Pick<
  CustomResources,
  'instancesOf' | 'isTaken' | 'isShadowing' | 'builtInBeside' | 'definitions'
>

/**
 * What becomes of a definition after a client has written it: its names are accepted or not, it is established, and in
 * the end its instances are deleted before it may go. Each server does this for all; whoever comes first has written it,
 * and the others find nothing left to do.
 */
export class DefinitionLifecycle {
  readonly #registry: Registry
  readonly #resource: ServedResource | undefined
  readonly #custom: CustomView
  readonly #marked = new Set<Key>()
  /** Those whose instances are being deleted, and whether they have been marked meanwhile. */
  readonly #cleaning = new Map<Key, boolean>()
  /** What could not be decoded, and has been told. */
  readonly #unreadable = new WeakSet<Uint8Array>()
  #wake: (() => void) | undefined

  constructor(registry: Registry, custom: CustomView) {
    this.#registry = registry
    this.#custom = custom
    this.#resource = registry.api.own(group, 'v1', customResourceDefinitions.plural)
  }

  mark(key: Key): void {
    this.#marked.add(key)
    this.#wake?.()
  }

  async run(signal: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#wake?.()
    signal.addEventListener('abort', onAbort, { once: true })
    const running = new Map<string, Promise<void>>()
    while (!signal.aborted) {
      const key = this.#next(running)
      if (key === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      this.#marked.delete(key)
      if (this.#isGoing(key)) this.#settleBeside(key, signal)
      else {
        const done = (): void => {
          running.delete(groupIn(key))
          this.#wake?.()
        }
        running.set(groupIn(key), this.#attempt(key, signal).then(done, done))
      }
    }
    signal.removeEventListener('abort', onAbort)
    await Promise.all(running.values())
  }

  /** Names are decided one after the other within a group. Other groups need not wait until the store has written. */
  #next(running: ReadonlyMap<string, unknown>): Key | undefined {
    if (running.size >= groupsAtOnce) return undefined
    for (const key of this.#marked) if (!running.has(groupIn(key))) return key
    return undefined
  }

  /** Instances take their time, the more so if a webhook that is dead has to convert them. Nobody else waits for that. */
  #settleBeside(key: Key, signal: AbortSignal): void {
    if (this.#cleaning.has(key)) {
      this.#cleaning.set(key, true)
      return
    }
    this.#cleaning.set(key, false)
    void this.#attempt(key, signal).then(() => {
      const isMarked = this.#cleaning.get(key)
      this.#cleaning.delete(key)
      if (isMarked) this.mark(key)
    })
  }

  async #attempt(key: Key, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#registry.world
    const limit = deadline(clock, attemptMs, signal)
    try {
      await this.#settle(key, limit.signal)
    } catch (error) {
      if (signal.aborted) return
      // Somebody else was faster: what that has made of it is told by the watch, and looked at again.
      if (!(error instanceof ApiError && (error.code === 409 || error.code === 404))) {
        log.warn('a definition could not be seen to yet', { key, error: String(error) })
        void sleep(clock, jitter(random, lookAgainMs, 0.5), signal).then(
          () => this.mark(key),
          () => {},
        )
      }
    } finally {
      limit.dispose()
    }
  }

  #isGoing(key: Key): boolean {
    const entry = this.#cached(key)
    const gist = entry && this.#gistOf(entry)
    return gist !== undefined && awaitsCleanup(gist)
  }

  async #settle(key: Key, signal: AbortSignal): Promise<void> {
    const resource = this.#resource
    if (!resource) return
    const entry = this.#cached(key)
    if (!entry) {
      // Its names are free now.
      this.#markGroupOf(key)
      return
    }
    const crd = this.#gistOf(entry)
    if (!crd) return
    if (awaitsCleanup(crd)) {
      await this.#cleanUp(entry, crd, signal)
      return
    }
    const status = this.#decide(entry, crd)
    if (!status) return
    if (jsonEqual(status.acceptedNames, crd.status.acceptedNames))
      await this.#write(entry, { status }, signal)
    else await this.#writeInTurn(key, signal)
    this.#markGroupOf(key)
  }

  #decide(entry: Entry, gist: Gist): CustomResourceDefinitionStatus | undefined {
    const now = timestamp(this.#registry.world.clock)
    const others = [...this.#othersInGroup(entry, gist), ...this.#custom.builtInBeside(gist)]
    return decideStatus(gist, others, now, this.#custom.isShadowing(gist))
  }

  /** Names are decided by what all earlier decisions have written, and not just by those that are known here already. */
  async #writeInTurn(key: Key, signal: AbortSignal): Promise<void> {
    const { store, cache } = this.#registry
    const turn = await takeTurn(store, groupIn(key), signal)
    await cache.barrier.pass(signal)
    const entry = this.#cached(key)
    const gist = entry && this.#gistOf(entry)
    const status = gist && !awaitsCleanup(gist) ? this.#decide(entry, gist) : undefined
    if (!entry || !status) return
    try {
      await this.#write(entry, { status }, signal, turn)
    } catch (error) {
      // Another decision came first. The watch tells of that other definition, not of this one.
      if (error instanceof ApiError && error.code === 409) this.mark(key)
      throw error
    }
  }

  /** Instances first, then the definition. */
  async #cleanUp(entry: Entry, crd: Gist, signal: AbortSignal): Promise<void> {
    const nothingToDelete = this.#custom.isTaken(crd)
      ? terminating.overlapping
      : isEstablished(crd)
        ? undefined
        : terminating.neverEstablished
    if (nothingToDelete) return this.#finish(entry, crd, nothingToDelete, signal)
    if (await this.#say(entry, crd, terminating.inProgress, signal)) return
    const problem = await this.#deleteInstances(entry, crd, signal)
    const left = this.#countInstances(crd)
    if (problem === undefined && left === 0) return this.#finish(entry, crd, terminating.completed, signal)
    // A finalizer of their own keeps them, or they cannot be deleted: both may change any time.
    const { clock } = this.#registry.world
    void sleep(clock, lookAgainMs, signal).then(
      () => this.mark(entry.key),
      () => this.mark(entry.key),
    )
    if (problem !== undefined) await this.#say(entry, crd, couldNotDelete(problem), signal)
    else if (this.#isLate(crd))
      await this.#say(entry, crd, couldNotConfirm('timed out waiting for the condition'), signal)
  }

  #isLate({ metadata }: CustomResourceDefinition): boolean {
    const since = Date.parse(metadata.deletionTimestamp ?? '')
    return this.#registry.world.clock.wallMs() - since > patienceMs
  }

  /** True if that was not said already. */
  async #say(entry: Entry, crd: Gist, found: FoundCondition, signal: AbortSignal): Promise<boolean> {
    const before = conditionOf(crd, 'Terminating')
    // What went wrong before goes on being said until it goes right.
    const isProgress = found.reason === 'InstanceDeletionInProgress'
    if (isSameCondition(found, before) || (isProgress && before?.reason !== 'InstanceDeletionPending'))
      return false
    const status = withCondition(crd.status, found, timestamp(this.#registry.world.clock))
    await this.#write(entry, { status }, signal)
    return true
  }

  async #finish(entry: Entry, crd: Gist, found: FoundCondition, signal: AbortSignal): Promise<void> {
    const finalizers = (crd.metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer)
    const status = withCondition(crd.status, found, timestamp(this.#registry.world.clock))
    if (finalizers.length > 0) await this.#write(entry, { status }, signal)
    const current = finalizers.length > 0 ? (this.#cached(entry.key) ?? entry) : entry
    await this.#write(current, { finalizers }, signal)
  }

  /**
   * Of this definition, and of no other by its name. Otherwise: while one server waits here, others finish, the client
   * defines the resource anew and creates an instance; and that one is deleted with the definition that is long gone.
   */
  async #deleteInstances(
    definition: Entry,
    { metadata }: Gist,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { cache } = this.#registry
    await cache.barrier.pass(signal)
    const resource = this.#custom.instancesOf(definition.key, metadata.uid)
    if (!resource) return 'they cannot be read here'
    const prefix = resourcePrefix(resource.definition)
    const range = cache.collection(prefix).range(prefix)
    const instances = Array.from({ length: range.count }, (_, index) => range.at(index))
    let problem: string | undefined
    await severalAtOnce(deletionsAtOnce, instances, async (instance) => {
      const parts = instance.key.slice(prefix.length).split('/')
      const [namespace = '', name = ''] = parts.length > 1 ? parts : ['', parts[0] ?? '']
      try {
        if (isReadHere(resource, instance)) {
          await remove(this.#registry, resource, { namespace, name }, { dryRun: false }, signal)
          return
        }
        const why = await deleteUnread(this.#registry.store, instance, definition, signal)
        problem ??= why
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 404)) problem ??= String(error)
      }
    })
    await cache.barrier.pass(signal)
    return problem
  }

  #countInstances({ spec }: Gist): number {
    const prefix = resourcePrefix({ storagePrefix: `${spec.group}/${spec.names.plural}` })
    return this.#registry.cache.collection(prefix).range(prefix).count
  }

  /** Of a gist nothing may be written: it lacks what clients have said. */
  async #write(
    entry: Entry,
    change: { readonly status: CustomResourceDefinitionStatus } | { readonly finalizers: string[] },
    signal: AbortSignal,
    turn?: NamesTurn,
  ): Promise<void> {
    const resource = this.#resource
    if (!resource) return
    const crd = this.#custom.definitions.copyOf(entry.value)
    const name = crd.metadata.name ?? ''
    const metadata = { ...crd.metadata, resourceVersion: String(entry.revision) }
    if ('finalizers' in change) {
      if (change.finalizers.length > 0) metadata.finalizers = change.finalizers
      else delete metadata.finalizers
    }
    const isStatus = 'status' in change
    const object = { ...crd, metadata, ...(isStatus ? { status: change.status } : {}) }
    const options = isStatus ? { ...systemWrite, subresource: 'status' as const } : systemWrite
    const registry = turn
      ? { ...this.#registry, store: inTurn(this.#registry.store, turn, name) }
      : this.#registry
    await update(registry, resource, { namespace: '', name }, object, options, signal)
  }

  #cached(key: Key): Entry | undefined {
    return this.#collection()?.get(key)
  }

  #collection() {
    const { cache } = this.#registry
    return this.#resource && cache.collection(resourcePrefix(this.#resource.definition))
  }

  /** Undefined of one that cannot be decoded: it stays as it is, and nobody else has to wait for it. */
  #gistOf({ key, value }: Entry): Gist | undefined {
    if (this.#unreadable.has(value)) return undefined
    try {
      return this.#custom.definitions.gistOf(value)
    } catch (error) {
      this.#unreadable.add(value)
      const { log } = this.#registry.world
      log.warn('a definition cannot be read, and is not seen to', { key, error: String(error) })
      return undefined
    }
  }

  /**
   * Those whose names count. One that is older and has not been decided yet will be given the names it asks for, so they
   * are taken: who came first has them, whichever of the two a server happens to look at first.
   */
  #othersInGroup(entry: Entry, crd: Gist): Gist[] {
    return this.#ofGroup(crd.spec.group).flatMap((other) => {
      if (other.key === entry.key) return []
      const gist = this.#gistOf(other)
      if (!gist) return []
      const isUndecided = (gist.status.conditions ?? []).length === 0
      if (!isUndecided) return [gist]
      if (other.createRevision > entry.createRevision) return []
      return [{ ...gist, status: { ...gist.status, acceptedNames: gist.spec.names } }]
    })
  }

  #ofGroup(wanted: string): Entry[] {
    const collection = this.#collection()
    const resource = this.#resource
    if (!collection || !resource) return []
    // A definition is called by its plural name and its group.
    const all = collection.range(resourcePrefix(resource.definition))
    const found: Entry[] = []
    for (let index = 0; index < all.count; index++) {
      const entry = all.at(index)
      if (groupIn(entry.key) === wanted) found.push(entry)
    }
    return found
  }

  #markGroupOf(key: Key): void {
    for (const other of this.#ofGroup(groupIn(key))) if (other.key !== key) this.mark(other.key)
  }
}

function groupIn(key: Key): string {
  const name = key.slice(key.lastIndexOf('/') + 1)
  return name.slice(name.indexOf('.') + 1)
}
