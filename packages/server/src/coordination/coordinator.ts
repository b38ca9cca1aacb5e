import { type AgreementEntry, type GroupResource, groupResourceText } from '@strata/api'
import { abortable, deadline, jitter, sleep, type World } from '@strata/world'
import { type Codec, encoderFingerprint } from '../codec/index.ts'
import type { Guard, Store } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import { AgreementRecords, type AgreementView } from './agreement-records.ts'
import { withEntry, withoutServers } from './decide-agreement.ts'
import { Fence } from './fence.ts'
import { identityLeaseKey } from './frozen-kinds.ts'
import { Identity, IdentityTaken } from './identity.ts'
import { observeAgreementChanges } from './observe-changes.ts'
import { type ProtocolRules, protocolRules } from './protocol-rules.ts'

export interface CoordinationOptions {
  readonly serverID: string
  /** For `--expected-servers`; 0 makes no claim (rule 11). */
  readonly expectedServers: number
  readonly leaseDurationSeconds: number
  readonly renewIntervalSeconds: number
  /** Entries are checked and repaired this often, besides on every change that is seen. */
  readonly repairIntervalSeconds: number
  readonly rules?: ProtocolRules
}

export const coordinationDefaults = {
  expectedServers: 0,
  leaseDurationSeconds: 3600,
  renewIntervalSeconds: 10,
  repairIntervalSeconds: 600,
} as const

const registrationsAtOnce = 8

/** An entry may not be written without an identity (rule 1). */
class IdentityNotHeld extends Error {
  override readonly name = 'IdentityNotHeld'
}

/**
 * The life of a server as a member of its fleet: identity, then entries, then writes (rules 1 and 2); renewal
 * and repair; and at the end the same backwards (rule 7).
 */
export class Coordinator {
  readonly fence: Fence
  readonly identity: Identity
  readonly records: AgreementRecords
  readonly #world: World
  readonly #cache: WatchCache
  readonly #options: CoordinationOptions
  readonly #rules: ProtocolRules
  readonly #codecs: ReadonlyMap<string, Codec>
  readonly #dirty = new Set<string>()
  readonly #registered = new Set<string>()
  readonly #complete = Promise.withResolvers<void>()
  readonly #stopping = new AbortController()
  #wake: (() => void) | undefined
  #renewing: Promise<void> | undefined
  #loops: Promise<unknown> = Promise.resolve()
  /** Told once if this server may never write again; it should end. */
  onFatal: (why: string) => void = () => {}

  constructor(options: {
    readonly store: Store
    readonly world: World
    readonly cache: WatchCache
    readonly codecs: readonly Codec[]
    readonly coordination: CoordinationOptions
  }) {
    const { store, world, coordination, codecs } = options
    this.#world = world
    this.#cache = options.cache
    this.#options = coordination
    this.#rules = coordination.rules ?? protocolRules
    this.#codecs = new Map(codecs.map((codec) => [groupResourceText(codec.definition), codec]))
    const { expectedServers, serverID } = coordination
    const { decideAgreement } = this.#rules
    this.records = new AgreementRecords({ store, world, expectedServers, decideAgreement })
    this.identity = new Identity({ store, world, records: this.records, ...coordination })
    this.fence = new Fence({
      store,
      world,
      self: { serverID, process: this.identity.process },
      rules: this.#rules,
    })
    for (const { definition, preferredVersion } of codecs) {
      this.fence.add(definition, definition.bootstrap ? preferredVersion : undefined)
    }
    this.fence.onExpelled = (resource, why) => {
      world.log.warn('expelled; registering again', { resource: groupResourceText(resource), why })
      this.#markDirty(resource)
    }
    this.fence.onStopped = (why) => this.#fatal(why)
    // Whoever awaits `start` hears of it; before and after that nobody has to.
    this.#complete.promise.catch(() => {})
    this.#stopping.signal.addEventListener('abort', () => this.#wake?.(), { once: true })
  }

  /** True once every resource has been registered; a resource that was expelled since is a matter of the gate. */
  get ready(): boolean {
    return this.#registered.size === this.#codecs.size && !this.fence.closed
  }

  /** What keeps this server from being ready, for people. */
  get pending(): readonly string[] {
    return [...this.#codecs.keys()].filter((name) => !this.#registered.has(name))
  }

  /**
   * Resolves when the identity is held and every resource is registered. Throws `IdentityTaken`. Registration
   * failures are retried for ever: meanwhile the gate says 503 with the last error.
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#rules.openGateUnregistered) this.#openUnregistered()
    await this.#acquire(signal)
    const stopping = this.#stopping.signal
    observeAgreementChanges(this.#cache, this.#world, stopping, {
      onMembership: () => this.#markAllDirty(),
      onRecord: (resource, entries, revision) => this.#observeRecord(resource, entries, revision),
    })
    this.#markAllDirty()
    const registering = this.#registerLoop(stopping)
    this.#loops = Promise.allSettled([registering, this.#renewLoop(stopping), this.#repairLoop(stopping)])
    await abortable(this.#complete.promise, signal)
  }

  /**
   * Leave last (rule 7): no new writes, writes in flight finish, entries go, then the Lease. Otherwise
   * agreement is declared while this server still drains. If the writes do not finish in time the entries
   * stay, and the collector removes them when the Lease has expired.
   */
  async leave(drainMs: number): Promise<void> {
    const draining = deadline(this.#world.clock, drainMs)
    try {
      await abortable(this.fence.close('the server is shutting down'), draining.signal)
      this.#stopping.abort(new Error('leaving'))
      await abortable(this.#loops, draining.signal)
      for (const { definition } of this.#codecs.values()) await this.#removeEntry(definition, draining.signal)
      await this.identity.release(draining.signal)
    } catch (error) {
      this.#world.log.warn('left without a farewell; the collector will remove the entries', {
        error: String(error),
      })
    } finally {
      this.#stopping.abort(new Error('left'))
      draining.dispose()
    }
  }

  /** Stops all loops without saying goodbye, as a crash would. */
  abandon(): void {
    void this.fence.close('the server has stopped')
    this.#stopping.abort(new Error('abandoned'))
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.identity.acquire(signal)
        return
      } catch (error) {
        if (error instanceof IdentityTaken || signal.aborted) throw error
        this.#world.log.warn('could not take the identity Lease yet', { error: String(error) })
        await sleep(
          this.#world.clock,
          jitter(this.#world.random, Math.min(7_000, 100 * 2 ** attempt), 0.3),
          signal,
        )
      }
    }
  }

  async #registerLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const names = [...this.#dirty]
      this.#dirty.clear()
      const failed: string[] = []
      const next = async (): Promise<void> => {
        for (let name = names.shift(); name !== undefined; name = names.shift()) {
          if (!(await this.#register(name, signal))) failed.push(name)
        }
      }
      await Promise.all(Array.from({ length: registrationsAtOnce }, next))
      if (signal.aborted) return
      if (failed.length > 0) {
        await sleep(this.#world.clock, jitter(this.#world.random, 500, 0.5), signal).catch(() => {})
        for (const name of failed) this.#dirty.add(name)
      } else if (this.#dirty.size === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }

  /** Publishes the own entry of one resource, then opens its gate. False when it has to be tried again. */
  async #register(name: string, signal: AbortSignal): Promise<boolean> {
    const codec = this.#codecs.get(name)
    if (!codec) return true
    const { definition } = codec
    const limit = deadline(this.#world.clock, 10_000, signal)
    try {
      const entry = this.#entryOf(codec)
      const outcome = await this.records.change(definition, (view) => this.#wanted(view, entry), limit.signal)
      if (outcome.outcome === 'overtaken' || !outcome.stored) return false
      this.fence.open(definition, entry.encodingVersion, outcome.stored.revision)
      this.#registered.add(name)
      if (this.#registered.size === this.#codecs.size) this.#complete.resolve()
      return true
    } catch (error) {
      if (signal.aborted) return true
      const text = error instanceof Error ? error.message : String(error)
      if (error instanceof IdentityNotHeld) await this.#renew(signal)
      // An error does not say that the entry is gone: an open gate stays open, and the guard decides.
      if (this.fence.stateOf(definition).kind === 'pending') this.fence.shut(definition, text)
      this.#world.log.warn('registration failed; trying again', { resource: name, error: text })
      return false
    } finally {
      limit.dispose()
    }
  }

  /**
   * Own entry in; entries of servers whose Lease is absent out (seed 003, "Updating StorageVersion"). Each
   * removal is guarded by that absence and our own entry by our Lease, so that neither can be overtaken.
   */
  #wanted(view: AgreementView, entry: AgreementEntry): { entries: AgreementEntry[]; guards: Guard[] } {
    const mine = view.leases.get(this.identity.serverID)
    if (mine?.holder !== this.identity.process) throw new IdentityNotHeld('the identity Lease is not held')
    const isGone = ({ serverID }: AgreementEntry): boolean => !view.leases.has(serverID)
    const gone = view.entries.filter(isGone)
    return {
      entries: withEntry(withoutServers(view.entries, isGone), entry),
      guards: [
        { key: identityLeaseKey(this.identity.serverID), revision: mine.revision },
        ...gone.map(({ serverID }): Guard => ({ key: identityLeaseKey(serverID), revision: 'absent' })),
      ],
    }
  }

  #entryOf(codec: Codec): AgreementEntry {
    const encodingVersion = codec.preferredVersion
    return {
      serverID: this.identity.serverID,
      process: this.identity.process,
      encodingVersion,
      decodableVersions: codec.decodableVersions.toSorted(),
      servedVersions: codec.servedVersions.toSorted(),
      guarantee: 'strict',
      writeKey: 'identity',
      readableKeys: ['identity'],
      encoderFingerprint: encoderFingerprint(codec, encodingVersion),
    }
  }

  async #removeEntry(resource: GroupResource, signal: AbortSignal): Promise<void> {
    const { process } = this.identity
    const mine = (entry: AgreementEntry): boolean => entry.process === process
    await this.records.change(
      resource,
      ({ entries }) =>
        entries.some(mine) ? { entries: withoutServers(entries, mine), guards: [] } : undefined,
      signal,
    )
  }

  async #renewLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#world.clock, this.identity.nextRenewalMs(), signal).catch(() => {})
      if (!signal.aborted) await this.#renew(signal)
    }
  }

  /** Renews the Lease, and takes it again if it is gone. One at a time: two could each see it gone. */
  #renew(signal: AbortSignal): Promise<void> {
    this.#renewing ??= this.#renewOnce(signal).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renewOnce(signal: AbortSignal): Promise<void> {
    const limit = deadline(this.#world.clock, 10_000, signal)
    try {
      const renewed = await this.identity.renew(limit.signal)
      if (renewed === 'lost') this.#fatal('another process holds the identity Lease')
      if (renewed === 'absent') {
        this.#world.log.warn('the identity Lease is gone; taking it again and registering again')
        await this.#acquire(signal)
        this.#markAllDirty()
      }
    } catch (error) {
      if (error instanceof IdentityTaken) this.#fatal(error.message)
      else if (!signal.aborted) this.#world.log.warn('renewal failed', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }

  async #repairLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = jitter(this.#world.random, this.#options.repairIntervalSeconds * 1000, 0.1)
      await sleep(this.#world.clock, waitMs, signal).catch(() => {})
      if (!signal.aborted) this.#markAllDirty()
    }
  }

  /** A record changed, as the watch tells it: maybe late, so it may only say what the store confirms. */
  #observeRecord(name: string, entries: readonly AgreementEntry[], revision: number): void {
    const codec = this.#codecs.get(name)
    if (!codec || !this.#registered.has(name) || this.fence.closed) return
    const state = this.fence.stateOf(codec.definition)
    if (state.kind === 'open' && state.recordRevision >= revision) return
    const own = entries.find(({ process }) => process === this.identity.process)
    if (own && own.encodingVersion === codec.preferredVersion) {
      this.fence.open(codec.definition, own.encodingVersion, revision)
    } else this.#markDirty(codec.definition)
  }

  #openUnregistered(): void {
    for (const { definition, preferredVersion } of this.#codecs.values()) {
      this.fence.open(definition, preferredVersion, 0)
    }
  }

  #markDirty(resource: GroupResource): void {
    this.#dirty.add(groupResourceText(resource))
    this.#wake?.()
  }

  #markAllDirty(): void {
    for (const name of this.#codecs.keys()) this.#dirty.add(name)
    this.#wake?.()
  }

  #fatal(why: string): void {
    void this.fence.close(`this server has lost its identity: ${why}`)
    this.#stopping.abort(new Error(why))
    this.#complete.reject(new Error(why))
    this.onFatal(why)
  }
}
