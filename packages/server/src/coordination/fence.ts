import { ApiError, type GroupResource, groupResourceText, serviceUnavailable } from '@strata/api'
import { abortable, deadline, invariant, type World } from '@strata/world'
import type { BrokenGuard, Guard, Revision, Store } from '../store/index.ts'
import { storedAgreement } from './agreement-records.ts'
import { type AfterBrokenGuard, decideBrokenGuard } from './decide-broken-guard.ts'
import { agreementKey, identityLeaseKey, leaseKind } from './frozen-kinds.ts'

/** What a write must be encoded in, and what its transaction must carry besides its own guards. */
export interface WritePermit {
  readonly encodingVersion: string
  readonly guards: readonly Guard[]
}

/** How filters and registry see agreement. */
export interface WriteGate {
  /** Throws 503 while writes of the resource are not allowed. */
  check(resource: GroupResource): void
  /** The same, and counts the write as in flight until its ticket is given back. */
  enter(resource: GroupResource): WriteTicket
}

export interface WriteTicket {
  permit(): WritePermit
  /**
   * The commit was refused. Resolves when trying again makes sense; throws when it does not. Guards of the
   * caller's own are ignored.
   */
  broken(guards: readonly BrokenGuard[], signal: AbortSignal): Promise<void>
  /** Must be called when the write is over, whatever became of it (rule 7 waits for it). */
  leave(): void
}

type GateState =
  | { readonly kind: 'pending'; readonly lastError: string | undefined }
  | { readonly kind: 'open'; readonly encodingVersion: string; readonly recordRevision: Revision }

interface FencedResource {
  readonly resource: GroupResource
  readonly key: string
  /** Bootstrap kinds are frozen and written unfenced (rule 0). */
  readonly unfencedVersion: string | undefined
  state: GateState
  inFlight: number
  looking: Promise<Seen> | undefined
}

interface Seen {
  readonly encodingVersion: string
  readonly revision: Revision
  readonly after: AfterBrokenGuard
}

/** Rules that the simulator breaks one at a time, to see that it would notice. */
export interface FenceRules {
  readonly guardWrites: boolean
  readonly decideBrokenGuard: typeof decideBrokenGuard
}

export const fenceRules: FenceRules = { guardWrites: true, decideBrokenGuard }

/**
 * The fence (agreement.md, rules 2, 3 and 7). A resource may be written only while this process's entry is in
 * its agreement record, and each write transaction is guarded by that record's revision: one comparison
 * more, no round trip more.
 */
export class Fence implements WriteGate {
  readonly #store: Store
  readonly #world: World
  readonly #self: { readonly serverID: string; readonly process: string }
  readonly #rules: FenceRules
  readonly #resources = new Map<string, FencedResource>()
  #closed: string | undefined
  readonly #idle = Promise.withResolvers<void>()
  /** Told when an entry is gone and registration has to run again. */
  onExpelled: (resource: GroupResource, why: string) => void = () => {}
  /** Told when another process holds our identity: nothing may be written ever again. */
  onStopped: (why: string) => void = () => {}

  constructor(options: {
    readonly store: Store
    readonly world: World
    readonly self: { readonly serverID: string; readonly process: string }
    readonly rules?: FenceRules
  }) {
    this.#store = options.store
    this.#world = options.world
    this.#self = options.self
    this.#rules = options.rules ?? fenceRules
  }

  add(resource: GroupResource, unfencedVersion: string | undefined): void {
    this.#resources.set(groupResourceText(resource), {
      resource,
      key: agreementKey(resource),
      unfencedVersion,
      state: { kind: 'pending', lastError: undefined },
      inFlight: 0,
      looking: undefined,
    })
  }

  /** This process's entry stands in the record at `recordRevision`. */
  open(resource: GroupResource, encodingVersion: string, recordRevision: Revision): void {
    const fenced = this.#of(resource)
    const { state } = fenced
    // News may arrive out of order: the watch is behind what a broken guard has already shown.
    if (state.kind === 'open' && state.recordRevision > recordRevision) return
    fenced.state = { kind: 'open', encodingVersion, recordRevision }
  }

  /** No entry stands: writes wait until registration has succeeded again. */
  shut(resource: GroupResource, lastError?: string): void {
    this.#of(resource).state = { kind: 'pending', lastError }
  }

  stateOf(resource: GroupResource): GateState {
    return this.#of(resource).state
  }

  get closed(): boolean {
    return this.#closed !== undefined
  }

  check(resource: GroupResource): void {
    this.#admit(this.#of(resource))
  }

  enter(resource: GroupResource): WriteTicket {
    const fenced = this.#of(resource)
    this.#admit(fenced)
    fenced.inFlight++
    let left = false
    return {
      permit: () => this.#permit(fenced),
      broken: (guards, signal) => this.#broken(fenced, guards, signal),
      leave: () => {
        if (left) return
        left = true
        fenced.inFlight--
        if (this.#closed !== undefined && this.inFlight === 0) this.#idle.resolve()
      },
    }
  }

  get inFlight(): number {
    let sum = 0
    for (const { inFlight } of this.#resources.values()) sum += inFlight
    return sum
  }

  /** From now on nothing may be written. Resolves when the writes in flight are over (rule 7). */
  close(why: string): Promise<void> {
    this.#closed ??= why
    if (this.inFlight === 0) this.#idle.resolve()
    return this.#idle.promise
  }

  #of(resource: GroupResource): FencedResource {
    const fenced = this.#resources.get(groupResourceText(resource))
    invariant(fenced, `${groupResourceText(resource)} was never added to the fence`)
    return fenced
  }

  #admit(fenced: FencedResource): void {
    if (this.#closed !== undefined) throw serviceUnavailable(this.#closed, 5)
    if (fenced.unfencedVersion !== undefined || fenced.state.kind === 'open') return
    // Upstream's text; the Retry-After is ours, for clients honour it.
    throw serviceUnavailable(
      `wait for storage version registration to complete for resource: ${groupResourceText(fenced.resource)}, last seen error: ${fenced.state.lastError ?? '<nil>'}`,
      1,
    )
  }

  #permit(fenced: FencedResource): WritePermit {
    this.#admit(fenced)
    if (fenced.unfencedVersion !== undefined) return { encodingVersion: fenced.unfencedVersion, guards: [] }
    const { state } = fenced
    invariant(state.kind === 'open', 'admitted writes are open')
    const guards = this.#rules.guardWrites ? [{ key: fenced.key, revision: state.recordRevision }] : []
    return { encodingVersion: state.encodingVersion, guards }
  }

  async #broken(fenced: FencedResource, broken: readonly BrokenGuard[], signal: AbortSignal): Promise<void> {
    const fence = broken.find(({ guard }) => guard.key === fenced.key)?.guard
    if (!fence) return
    // Another write, or the watch, has already shown a newer record in which our entry stands.
    const { state } = fenced
    if (state.kind === 'open' && fence.revision !== 'absent' && state.recordRevision > fence.revision) return
    // One look serves all writes that wait for it: it begins after each of their refusals, or the next one does.
    fenced.looking ??= this.#look(fenced).finally(() => {
      fenced.looking = undefined
    })
    const { encodingVersion, revision, after } = await abortable(fenced.looking, signal)
    switch (after.do) {
      case 'retry':
        this.open(fenced.resource, encodingVersion, revision)
        return
      case 'encode-again':
        this.open(fenced.resource, after.encodingVersion, revision)
        return
      case 'register-again':
        this.shut(fenced.resource, after.why)
        this.onExpelled(fenced.resource, after.why)
        this.#admit(fenced)
        return
      case 'stop':
        this.#closed ??= `this server has lost its identity: ${after.why}`
        this.onStopped(after.why)
        throw new ApiError(503, 'ServiceUnavailable', this.#closed, {})
    }
  }

  /** The record and the own Lease, in one transaction: two reads could straddle an expulsion. */
  async #look(fenced: FencedResource): Promise<Seen> {
    const { state } = fenced
    const encodingVersion = state.kind === 'open' ? state.encodingVersion : ''
    const reading = deadline(this.#world.clock, 10_000)
    try {
      const { entries } = await this.#store.read(
        [fenced.key, identityLeaseKey(this.#self.serverID)],
        reading.signal,
      )
      const stored = storedAgreement(entries[0])
      const { serverID, process } = this.#self
      const entry = stored?.record.status.servers.find((each) => each.serverID === serverID)
      const lease = entries[1] && leaseKind.decode(entries[1])
      const after = this.#rules.decideBrokenGuard({ process, encodingVersion }, { entry, lease })
      return { encodingVersion, revision: stored?.revision ?? 0, after }
    } finally {
      reading.dispose()
    }
  }
}
