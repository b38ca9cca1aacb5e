import {
  ApiError,
  type GroupResource,
  groupResourceText,
  looseArrivalMs,
  looseSettledMs,
  plainKey,
  serviceUnavailable,
} from '@strata/api'
import { abortable, DeadlineExceeded, deadline, invariant, type World } from '@strata/world'
import type { Codec } from '../../codec/index.ts'
import type { BrokenGuard, Guard, Revision, Store } from '../../store/index.ts'
import { agreementKey } from '../frozen-kinds.ts'
import type { ProtocolRules } from '../protocol-rules.ts'
import { nonceKey, recordGuards } from '../record/record-nonce.ts'
import { decideBrokenGuard } from './decide-broken-guard.ts'
import { DefinitionChanged, type DefinitionGuard, guardOf } from './definition-guard.ts'
import type { LooseView } from './loose-view.ts'
import { type FenceReading, readFenceView } from './read-fence-view.ts'
import { refusalsText, refusalText } from './refusal-text.ts'
import type { WriteGate, WritePermit, WriteTicket } from './write-gate.ts'

type GateState =
  | { readonly kind: 'pending'; readonly lastError: string | undefined; readonly refuses: boolean }
  | {
      readonly kind: 'open'
      readonly encodingVersion: string
      readonly writeKey: string
      readonly recordRevision: Revision
      /** The nonce of that record (rule 19). */
      readonly nonce: string | undefined
    }

interface FencedResource {
  readonly resource: GroupResource
  readonly key: string
  /** Bootstrap kinds are frozen and written unfenced (rule 0). */
  readonly unfencedVersion: string | undefined
  /** The CRD by which a custom resource is written; undefined for built-in resources. */
  definitionGuard: DefinitionGuard | undefined
  state: GateState
  /** The version in the own entry, as last seen: what this server writes, or refuses to. */
  encodingVersion: string | undefined
  /** The key in the own entry, as last seen. */
  writeKey: string
  /** Why writes are refused, as last logged; undefined while they are not. */
  refusal: string | undefined
  /** The newest revision of the record that was observed. */
  seenRevision: Revision
  /** Called when the gate opens, the resource goes, or the server shuts down. */
  readonly waiters: Set<() => void>
  inFlight: number
  /** When a commit last ended with an unknown outcome, on the monotonic clock. */
  unknownAtMs: number
  reading: Promise<FenceReading> | undefined
}

/** How long a write waits for a custom resource to be registered here; then it gets 503 with Retry-After. */
const openingMs = 10_000

function wake({ waiters }: FencedResource): void {
  for (const each of [...waiters]) each()
}

/**
 * The fence (agreement.md, rules 2, 3 and 7). A resource may be written only while this process's entry is in
 * its agreement record. Each strict write carries guards of that record: its revision, and its nonce (`recordGuards`). So the
 * store refuses the write if the agreement record has moved since the object was encoded. No round trip is added.
 */
export class Fence implements WriteGate {
  readonly #store: Store
  readonly #world: World
  readonly #self: { readonly serverID: string; readonly process: string }
  readonly #decideBrokenGuard: typeof decideBrokenGuard
  readonly #resources = new Map<string, FencedResource>()
  readonly #encodingListeners = new Set<(resource: GroupResource) => void>()
  readonly #looseView: LooseView | undefined
  #closed: string | undefined
  /** Why nothing may be written for now, although the entries may be stored. */
  #suspended: string | undefined
  readonly #idle = Promise.withResolvers<void>()
  /** Called when an entry is gone and registration has to run again. */
  onExpelled: (resource: GroupResource, why: string) => void = () => {}
  /** Called when another process holds our identity: this process may never write again. */
  onStopped: (why: string) => void = () => {}

  constructor(options: {
    readonly store: Store
    readonly world: World
    readonly self: { readonly serverID: string; readonly process: string }
    readonly rules?: Pick<ProtocolRules, 'decideBrokenGuard'>
    /** For the loose guarantee: writes carry no guard of the record, and this view has to be fresh instead (rule 14). */
    readonly looseView?: LooseView | undefined
  }) {
    this.#looseView = options.looseView
    this.#store = options.store
    this.#world = options.world
    this.#self = options.self
    this.#decideBrokenGuard = options.rules?.decideBrokenGuard ?? decideBrokenGuard
  }

  add(resource: GroupResource, unfencedVersion: string | undefined, definitionGuard?: DefinitionGuard): void {
    this.#resources.set(groupResourceText(resource), {
      resource,
      key: agreementKey(resource),
      unfencedVersion,
      definitionGuard,
      state: { kind: 'pending', lastError: undefined, refuses: false },
      encodingVersion: unfencedVersion,
      writeKey: plainKey,
      refusal: undefined,
      seenRevision: 0,
      waiters: new Set(),
      inFlight: 0,
      unknownAtMs: Number.NEGATIVE_INFINITY,
      reading: undefined,
    })
  }

  /** Uses this definition for writes from now on. The store refuses writes under way that were made by another one. */
  refreshDefinition(resource: GroupResource, definitionGuard: DefinitionGuard): void {
    this.#of(resource).definitionGuard = definitionGuard
  }

  /** The CRD is gone. */
  remove(resource: GroupResource): void {
    const fenced = this.#resources.get(groupResourceText(resource))
    this.#resources.delete(groupResourceText(resource))
    if (fenced) wake(fenced)
  }

  /** This process's entry stands in the record at `recordRevision`, whose nonce is `nonce`. */
  open(
    resource: GroupResource,
    { encodingVersion, writeKey }: { readonly encodingVersion: string; readonly writeKey: string },
    recordRevision: Revision,
    nonce?: string,
  ): void {
    invariant(encodingVersion !== '', 'a gate is open for a version')
    const fenced = this.#of(resource)
    // A registration that began before the store was replaced is about the old store.
    if (this.#suspended !== undefined) return
    // Revisions may arrive out of order: the watch lags behind the record that was read after a broken guard.
    if (fenced.seenRevision > recordRevision) return
    fenced.seenRevision = recordRevision
    fenced.state = { kind: 'open', encodingVersion, writeKey, recordRevision, nonce }
    fenced.writeKey = writeKey
    this.#encodes(fenced, encodingVersion)
    this.#logRefusal(fenced, undefined)
    wake(fenced)
  }

  /** The record at `recordRevision` has no entry of this process: writes wait until it is registered again. */
  shut(resource: GroupResource, lastError?: string, recordRevision: Revision = 0): void {
    const fenced = this.#of(resource)
    if (fenced.seenRevision > recordRevision && recordRevision > 0) return
    fenced.seenRevision = Math.max(fenced.seenRevision, recordRevision)
    fenced.state = { kind: 'pending', lastError, refuses: false }
  }

  /** Registered, but this server cannot write the selected version or has a key problem: it writes nothing (rules 12 and 17). */
  refuse(
    resource: GroupResource,
    codec: Codec,
    {
      selectedVersion,
      keyProblem,
      revision,
    }: {
      readonly selectedVersion: string
      readonly keyProblem?: string | undefined
      readonly revision: Revision
    },
  ): void {
    const fenced = this.#of(resource)
    if (fenced.seenRevision > revision) return
    fenced.seenRevision = revision
    const lastError = keyProblem ?? refusalText(selectedVersion, codec.decodableVersions)
    fenced.state = { kind: 'pending', lastError, refuses: true }
    this.#encodes(fenced, selectedVersion)
    this.#logRefusal(fenced, lastError)
  }

  /** Logs each change once: a client may not be allowed to see the reason. */
  #logRefusal(fenced: FencedResource, why: string | undefined): void {
    if (fenced.refusal === why) return
    fenced.refusal = why
    const resource = groupResourceText(fenced.resource)
    if (why !== undefined) this.#world.log.warn('refusing writes of a resource', { resource, why })
    else this.#world.log.info('accepting writes again', { resource, encodingVersion: fenced.encodingVersion })
  }

  /**
   * The version that this server writes of the resource, or would have to where it refuses to. Undefined until its entry is
   * stored, and for custom resources, where the CRD decides.
   */
  encodingVersionOf(resource: GroupResource): string | undefined {
    const fenced = this.#resources.get(groupResourceText(resource))
    return fenced?.definitionGuard ? undefined : fenced?.encodingVersion
  }

  /** Notifies the listener after `encodingVersionOf` has changed. Returns a function that unsubscribes. */
  onEncodingVersion(listener: (resource: GroupResource) => void): () => void {
    this.#encodingListeners.add(listener)
    return () => this.#encodingListeners.delete(listener)
  }

  #encodes(fenced: FencedResource, encodingVersion: string): void {
    if (fenced.encodingVersion === encodingVersion) return
    fenced.encodingVersion = encodingVersion
    if (fenced.definitionGuard) return
    for (const listener of this.#encodingListeners) listener(fenced.resource)
  }

  stateOf(resource: GroupResource): GateState {
    return this.#of(resource).state
  }

  /** Which of these resources this server may not write though it is registered for them, and why (rules 12 and 17). */
  refusalsOf(codecs: readonly Codec[]): readonly string[] {
    const refusals = codecs.flatMap(({ definition }) => {
      const state = this.stateOf(definition)
      if (state.kind === 'open' || !state.refuses) return []
      return [{ resource: groupResourceText(definition), why: String(state.lastError) }]
    })
    return refusalsText(refusals)
  }

  get closed(): boolean {
    return this.#closed !== undefined
  }

  check(resource: GroupResource): void {
    this.#admit(this.#of(resource))
  }

  opening(resource: GroupResource, signal: AbortSignal): Promise<void> | undefined {
    const fenced = this.#resources.get(groupResourceText(resource))
    if (!fenced?.definitionGuard || fenced.state.kind === 'open' || this.#closed !== undefined)
      return undefined
    return this.#untilOpen(fenced, signal)
  }

  async #untilOpen({ waiters }: FencedResource, signal: AbortSignal): Promise<void> {
    const opened = Promise.withResolvers<void>()
    waiters.add(opened.resolve)
    const limit = deadline(this.#world.clock, openingMs, signal)
    try {
      await abortable(opened.promise, limit.signal)
    } catch (error) {
      // After the limit the caller checks the gate, which answers 503 with the reason.
      if (signal.aborted || !(error instanceof DeadlineExceeded)) throw error
    } finally {
      limit.dispose()
      waiters.delete(opened.resolve)
    }
  }

  enter(resource: GroupResource, codec: Codec): WriteTicket {
    const fenced = this.#of(resource)
    // A request with a replaced definition is not refused: it is handled again by the new one, and waits for it.
    this.#checkCurrent(fenced, codec)
    this.#admit(fenced)
    fenced.inFlight++
    let left = false
    return {
      permit: () => {
        // An object that was read and checked by another definition may not be written by this one.
        if (fenced.definitionGuard && fenced.state.kind === 'pending') {
          throw new DefinitionChanged(groupResourceText(resource))
        }
        this.#checkCurrent(fenced, codec)
        return this.#permit(fenced)
      },
      broken: (guards, signal) => this.#broken(fenced, codec, guards, signal),
      unknown: () => {
        fenced.unknownAtMs = this.#world.clock.monotonicMs()
      },
      leave: () => {
        if (left) return
        left = true
        fenced.inFlight--
        if (this.#closed !== undefined && this.inFlight === 0) this.#idle.resolve()
      },
    }
  }

  /**
   * Whether an unguarded commit may still be on its way, though its request is over (rule 14). Without this check:
   *
   * 1. A client gives its write a second. The commit of this server in v1 is slow, and its outcome unknown.
   * 2. This server is stopped, and removes its entry as if its last write were over.
   * 3. The others write v2, the record is fenced, and a migration is proven. Then the commit in v1 arrives.
   */
  mayStillArrive(resource: GroupResource): boolean {
    const unknownAtMs = this.#resources.get(groupResourceText(resource))?.unknownAtMs
    if (!this.#looseView || unknownAtMs === undefined) return false
    return this.#world.clock.monotonicMs() - unknownAtMs < looseSettledMs
  }

  get inFlight(): number {
    let sum = 0
    for (const { inFlight } of this.#resources.values()) sum += inFlight
    return sum
  }

  /**
   * The store was replaced (rule 19). Nothing may be written until `resume`, and then only what has been registered again:
   * the known revisions of records belong to the old store.
   */
  suspend(why: string): void {
    this.#suspended = why
    for (const fenced of this.#resources.values()) {
      fenced.state = { kind: 'pending', lastError: why, refuses: false }
      fenced.seenRevision = 0
    }
  }

  resume(): void {
    this.#suspended = undefined
  }

  /**
   * Nothing is registered while writes are suspended: the gap comes first (rule 19). Otherwise:
   *
   * 1. The record stands in epoch 6. The store is restored, and it stands in epoch 5. A migration remembers epoch 6.
   * 2. A registers before the gap is recorded, and begins epoch 6 again.
   * 3. The migration takes it for its own epoch, until the gap begins another one.
   */
  get isSuspended(): boolean {
    return this.#suspended !== undefined
  }

  /** From now on nothing may be written. Resolves when the writes in flight are over (rule 7). */
  close(why: string): Promise<void> {
    this.#closed ??= why
    // Requests that wait for a registration are released: it will not come.
    for (const fenced of this.#resources.values()) wake(fenced)
    if (this.inFlight === 0) this.#idle.resolve()
    return this.#idle.promise
  }

  #of(resource: GroupResource): FencedResource {
    const fenced = this.#resources.get(groupResourceText(resource))
    // A custom resource may go while it is being written to; all others are added before the first request.
    if (!fenced) throw new DefinitionChanged(groupResourceText(resource))
    return fenced
  }

  #admit(fenced: FencedResource): void {
    if (this.#closed !== undefined) throw serviceUnavailable(this.#closed, 5)
    if (this.#suspended !== undefined) throw serviceUnavailable(this.#suspended, 5)
    if (fenced.unfencedVersion !== undefined) return
    if (fenced.state.kind === 'open') {
      const problem = this.#looseView?.problem
      if (problem !== undefined) throw serviceUnavailable(problem, 1)
      return
    }
    // Upstream's text. The Retry-After is ours: clients honour it.
    throw serviceUnavailable(
      `wait for storage version registration to complete for resource: ${groupResourceText(fenced.resource)}, last seen error: ${fenced.state.lastError ?? '<nil>'}`,
      1,
    )
  }

  #permit(fenced: FencedResource): WritePermit {
    this.#admit(fenced)
    if (fenced.unfencedVersion !== undefined) {
      return { encodingVersion: fenced.unfencedVersion, writeKey: plainKey, guards: [] }
    }
    const { state } = fenced
    invariant(state.kind === 'open', 'admitted writes are open')
    const guards: Guard[] = this.#looseView
      ? []
      : [...recordGuards(fenced.resource, state.recordRevision, state.nonce)]
    if (fenced.definitionGuard) guards.push(guardOf(fenced.definitionGuard))
    const permit = { encodingVersion: state.encodingVersion, writeKey: state.writeKey, guards }
    // Without the limit: the others select v2 while this server is cut off. 59 seconds later it sends v1, and goes on trying
    // for as long as its client waits. After 70 seconds a migration finds nothing in v1, and then the commit arrives.
    return this.#looseView ? { ...permit, withinMs: looseArrivalMs } : permit
  }

  /** Throws if the resource has another definition by now, or none. */
  #checkCurrent({ resource, definitionGuard }: FencedResource, codec: Codec): void {
    if (!definitionGuard) return
    const name = groupResourceText(resource)
    if (this.#resources.get(name)?.definitionGuard?.codec !== codec) throw new DefinitionChanged(name)
  }

  async #broken(
    fenced: FencedResource,
    codec: Codec,
    broken: readonly BrokenGuard[],
    signal: AbortSignal,
  ): Promise<void> {
    this.#checkDefinitionGuard(fenced, broken)
    const nonceAt = nonceKey(fenced.resource)
    const moved = broken.filter(({ guard }) => guard.key === fenced.key || guard.key === nonceAt)
    if (moved.length === 0) return
    // Another write, or the watch, has already brought a newer record with our entry.
    const { state } = fenced
    if (state.kind === 'open' && moved.some(({ guard }) => isBehind(guard, state.recordRevision))) return
    // One read serves all writes that wait for it. If a write was refused after the read began, the record may be newer: then
    // its retry is refused again, and reads again.
    fenced.reading ??= this.#look(fenced).finally(() => {
      fenced.reading = undefined
    })
    const { view, revision, nonce, writeKey: stored } = await abortable(fenced.reading, signal)
    // A read that began under one definition says nothing about the next. Otherwise:
    // 1. The record changes, and a write in v1 reads it again.
    // 2. The watch brings the CRD that stores v2. The gate closes until the entry for v2 is published.
    // 3. The read returns the entry for v1, and opens the gate for v1 under the new definition.
    this.#checkCurrent(fenced, codec)
    const { encodingVersion, refusal } = fenced
    // Also if the gate has closed meanwhile: a write was sent, so the gate was open once.
    invariant(encodingVersion !== undefined, 'what was written had a version')
    const { process } = this.#self
    const after = this.#decideBrokenGuard({ process, encodingVersion, refusal }, view)
    // Also if the version is the same: the refused write was encrypted under the key of the earlier record.
    const writeKey = stored ?? fenced.writeKey
    switch (after.do) {
      case 'retry':
        this.open(fenced.resource, { encodingVersion, writeKey }, revision, nonce)
        return
      case 'encode-again':
        this.open(fenced.resource, { encodingVersion: after.encodingVersion, writeKey }, revision, nonce)
        return
      case 'refuse':
        this.refuse(fenced.resource, codec, { ...after, revision })
        this.#admit(fenced)
        return
      case 'register-again':
        // Reported once for all writes whose guard broke together: a gate that is shut is being registered again.
        if (fenced.state.kind === 'pending' && !fenced.state.refuses) return this.#admit(fenced)
        this.shut(fenced.resource, after.why, revision)
        this.onExpelled(fenced.resource, after.why)
        this.#admit(fenced)
        return
      case 'stop':
        this.#closed ??= `this server has lost its identity: ${after.why}`
        this.onStopped(after.why)
        throw new ApiError(503, 'ServiceUnavailable', this.#closed, {})
    }
  }

  /** Renews the guard if only the status of the CRD has changed; throws if its definition has. */
  #checkDefinitionGuard(fenced: FencedResource, broken: readonly BrokenGuard[]): void {
    const { definitionGuard } = fenced
    const moved = definitionGuard && broken.find(({ guard }) => guard.key === definitionGuard.key)
    if (!moved) return
    const { current } = moved
    if (!current || !definitionGuard.isSame(current)) {
      throw new DefinitionChanged(groupResourceText(fenced.resource))
    }
    if (current.revision > definitionGuard.revision) {
      fenced.definitionGuard = { ...definitionGuard, revision: current.revision }
    }
  }

  #look({ resource }: FencedResource): Promise<FenceReading> {
    return readFenceView({ store: this.#store, clock: this.#world.clock, self: this.#self }, resource)
  }
}

/** Whether a guard names an older revision of the record. */
function isBehind({ revision }: Guard, recordRevision: Revision): boolean {
  return typeof revision === 'number' && recordRevision > revision
}
