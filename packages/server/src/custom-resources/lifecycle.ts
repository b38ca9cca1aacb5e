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
import type { CrdSummary } from './definition-reader.ts'
import { deleteUnread, isReadHere } from './delete-unread.ts'
import { inTurn, type NamesTurn, takeTurn } from './names-turn.ts'

const group = customResourceDefinitions.group
const attemptMs = 30_000
/** As upstream: the delay before it looks again for instances that their finalizers keep. */
const lookAgainMs = 1_000
const deletionsAtOnce = 16
const groupsAtOnce = 8
/** As upstream: how long finalizers of instances may take before the condition reports them. */
const patienceMs = 60_000

type CustomView = Pick<
  CustomResources,
  'instancesOf' | 'isTaken' | 'isShadowing' | 'builtInBeside' | 'definitions'
>

/**
 * Reconciles CRDs after clients write them: accepts names, establishes the CRD, and at its deletion deletes the instances first.
 * Every server does this for all CRDs; the first one writes, and the others find nothing left to do.
 */
export class DefinitionLifecycle {
  readonly #registry: Registry
  readonly #resource: ServedResource | undefined
  readonly #custom: CustomView
  readonly #marked = new Set<Key>()
  /** The CRDs whose instances are being deleted, and whether they were queued again meanwhile. */
  readonly #cleaning = new Map<Key, boolean>()
  /** CRDs that could not be decoded and are logged. */
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

  /** Names are decided one after the other within a group. Other groups need not wait for the store. */
  #next(running: ReadonlyMap<string, unknown>): Key | undefined {
    if (running.size >= groupsAtOnce) return undefined
    for (const key of this.#marked) if (!running.has(groupIn(key))) return key
    return undefined
  }

  /** Deleting instances takes time, more so if a dead webhook has to convert them. Other CRDs do not wait for that. */
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
      // Another server was faster: the watch brings its result, and the CRD is queued again.
      if (!(error instanceof ApiError && (error.code === 409 || error.code === 404))) {
        log.warn('CRD reconcile failed; retrying', { key, error: String(error) })
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
    const summary = entry && this.#summaryOf(entry)
    return summary !== undefined && awaitsCleanup(summary)
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
    const crd = this.#summaryOf(entry)
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

  #decide(entry: Entry, summary: CrdSummary): CustomResourceDefinitionStatus | undefined {
    const now = timestamp(this.#registry.world.clock)
    const others = [...this.#othersInGroup(entry, summary), ...this.#custom.builtInBeside(summary)]
    return decideStatus(summary, others, now, this.#custom.isShadowing(summary))
  }

  /** Names are decided by all earlier decisions in the store, not just by those in the cache. */
  async #writeInTurn(key: Key, signal: AbortSignal): Promise<void> {
    const { store, cache } = this.#registry
    const turn = await takeTurn(store, groupIn(key), signal)
    await cache.barrier.pass(signal)
    const entry = this.#cached(key)
    const summary = entry && this.#summaryOf(entry)
    const status = summary && !awaitsCleanup(summary) ? this.#decide(entry, summary) : undefined
    if (!entry || !status) return
    try {
      await this.#write(entry, { status }, signal, turn)
    } catch (error) {
      // Another decision came first. The watch notifies of that other CRD, not of this one.
      if (error instanceof ApiError && error.code === 409) this.mark(key)
      throw error
    }
  }

  /** Deletes the instances first, then the CRD. */
  async #cleanUp(entry: Entry, crd: CrdSummary, signal: AbortSignal): Promise<void> {
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
    // Their finalizers keep them, or they cannot be deleted: both may change any time.
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

  /** Sets a condition. True if it has changed. */
  async #say(entry: Entry, crd: CrdSummary, found: FoundCondition, signal: AbortSignal): Promise<boolean> {
    const before = conditionOf(crd, 'Terminating')
    // An earlier failure stays in the condition until the deletion succeeds.
    const isProgress = found.reason === 'InstanceDeletionInProgress'
    if (isSameCondition(found, before) || (isProgress && before?.reason !== 'InstanceDeletionPending'))
      return false
    const status = withCondition(crd.status, found, timestamp(this.#registry.world.clock))
    await this.#write(entry, { status }, signal)
    return true
  }

  async #finish(entry: Entry, crd: CrdSummary, found: FoundCondition, signal: AbortSignal): Promise<void> {
    const finalizers = (crd.metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer)
    const status = withCondition(crd.status, found, timestamp(this.#registry.world.clock))
    if (finalizers.length > 0) await this.#write(entry, { status }, signal)
    const current = finalizers.length > 0 ? (this.#cached(entry.key) ?? entry) : entry
    await this.#write(current, { finalizers }, signal)
  }

  /**
   * Deletes the instances of this CRD, not of a later one with its name. Otherwise:
   *
   * 1. Server A waits here while server B finishes.
   * 2. The client creates the CRD anew, and an instance of it.
   * 3. A deletes that instance with the CRD that is long gone.
   */
  async #deleteInstances(
    definition: Entry,
    { metadata }: CrdSummary,
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

  #countInstances({ spec }: CrdSummary): number {
    const prefix = resourcePrefix({ storagePrefix: `${spec.group}/${spec.names.plural}` })
    return this.#registry.cache.collection(prefix).range(prefix).count
  }

  /** Never writes a summary: it lacks fields of the client. */
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

  /** Undefined if the CRD cannot be decoded: it stays as it is, and does not block others. */
  #summaryOf({ key, value }: Entry): CrdSummary | undefined {
    if (this.#unreadable.has(value)) return undefined
    try {
      return this.#custom.definitions.summaryOf(value)
    } catch (error) {
      this.#unreadable.add(value)
      const { log } = this.#registry.world
      log.warn('cannot read a CRD; it is not reconciled', { key, error: String(error) })
      return undefined
    }
  }

  /**
   * The CRDs whose names count. An older CRD that is not decided yet will get the names it asks for, so they count as taken: the
   * first CRD wins, whichever one a server looks at first.
   */
  #othersInGroup(entry: Entry, crd: CrdSummary): CrdSummary[] {
    return this.#ofGroup(crd.spec.group).flatMap((other) => {
      if (other.key === entry.key) return []
      const summary = this.#summaryOf(other)
      if (!summary) return []
      const isUndecided = (summary.status.conditions ?? []).length === 0
      if (!isUndecided) return [summary]
      if (other.createRevision > entry.createRevision) return []
      return [{ ...summary, status: { ...summary.status, acceptedNames: summary.spec.names } }]
    })
  }

  #ofGroup(wanted: string): Entry[] {
    const collection = this.#collection()
    const resource = this.#resource
    if (!collection || !resource) return []
    // The name of a CRD is its plural name and its group.
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
