import { type GroupResource, groupResourceText } from '@strata/api'
import { abortable, deadline, jitter, sleep, type World } from '@strata/world'
import type { Codec } from '../codec/index.ts'
import { serveDefaults } from '../configuration/index.ts'
import { OutcomeUnknown, type Store } from '../store/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'
import type { DefinitionGuard } from './fence/definition-guard.ts'
import { Fence } from './fence/fence.ts'
import { ViewAge } from './fence/loose-view.ts'
import { agreementKey, agreementKind, agreementPrefix } from './frozen-kinds.ts'
import { Identity, IdentityTaken } from './identity/identity.ts'
import { noKeys, type ServerKeys } from './keys/server-keys.ts'
import { type ProtocolRules, protocolRules } from './protocol-rules.ts'
import { AgreementRecords } from './record/agreement-records.ts'
import { collectBallots } from './record/collect-ballots.ts'
import type { GapCause } from './record/decide-recording-gap.ts'
import { type ForgetOutcome, forgetEmpty } from './record/forget-empty.ts'
import { noteGap } from './record/record-gap.ts'
import { EarlierRuns } from './registration/earlier-runs.ts'
import { GapKeeper } from './registration/gap-keeper.ts'
import { leaveFleet } from './registration/leave.ts'
import { observeAgreementChanges } from './registration/observe-changes.ts'
import { Registrar } from './registration/registrar.ts'
import { noObserver, type RegistrationObserver } from './registration/registration-observer.ts'
import { removeOwnEntries } from './registration/remove-own-entries.ts'

export interface CoordinationOptions {
  readonly serverID: string
  /** The name of this server (`--instance`); an annotation of its Lease. */
  readonly instance?: string
  /** The release that it runs; an annotation of its Lease. */
  readonly release?: string
  /** `--expected-servers`; 0 expects no number (rule 11). */
  readonly expectedServers: number
  /** Report: this server writes the version it prefers. Vote: it writes the selected version (rules 12 and 13). */
  readonly form: 'report' | 'vote'
  /** Strict: the record guards each write. Loose: this server writes only while its view of the record is fresh (rule 14). */
  readonly guarantee: 'strict' | 'loose'
  readonly leaseDurationSeconds: number
  readonly renewIntervalSeconds: number
  /** How often entries are checked and repaired, besides on every observed change. */
  readonly repairIntervalSeconds: number
  /** The gate StorageVersionAPI. If off, this server has no entries, and every record says that a server does not record. */
  readonly recordsWrites?: boolean
  /** The gate APIServerIdentity. If off, this server has no Lease either, so other servers cannot see it. */
  readonly hasIdentity?: boolean
  /** Resources that are not served because they cannot be decoded; in its Lease. Undefined until that is known. */
  readonly refused?: () => readonly string[] | undefined
  /** Whether its encryption file is not in force; in its Lease with the next renewal. */
  readonly refusesEncryptionFile?: () => boolean
  readonly rules?: ProtocolRules
  /** The encryption keys of this server (rule 17); none by default. */
  readonly keys?: ServerKeys
  readonly observer?: RegistrationObserver
}

export const coordinationDefaults = {
  expectedServers: serveDefaults.expectedServers,
  form: serveDefaults.form,
  guarantee: serveDefaults.guarantee,
  leaseDurationSeconds: serveDefaults.leaseDurationSeconds,
  renewIntervalSeconds: serveDefaults.renewIntervalSeconds,
  repairIntervalSeconds: 600,
} as const

/** A restart takes less than this. */
const settledAfterMs = 60_000

/**
 * The membership of a server in its fleet. It starts with the identity, then entries, then writes (rules 1 and 2), renews and
 * repairs them, and ends in the reverse order (rule 7).
 */
export class Coordinator {
  readonly fence: Fence
  readonly identity: Identity
  readonly records: AgreementRecords
  readonly #world: World
  readonly #store: Store
  readonly #cache: WatchCache
  readonly #options: CoordinationOptions
  readonly #registrar: Pick<Registrar, keyof GapKeeper>
  readonly #earlierRuns: EarlierRuns
  readonly #viewAge: ViewAge | undefined
  readonly #stopping = new AbortController()
  #renewing: Promise<boolean> | undefined
  /** The Lease was acquired once, so it may be renewed. */
  #hasAcquired = false
  #isLeaving = false
  /** The store was replaced, and this server is not a member of the new one yet. */
  #isRejoining = false
  /** The store was replaced once: records may have entries that this server has removed before. */
  #wasReplaced = false
  /** The first attempt to acquire the Lease; true if its outcome is unknown. */
  #acquiring: Promise<boolean> = Promise.resolve(false)
  /** An attempt had an unknown outcome: its commit may still arrive, whatever came after it. */
  #mayHaveTaken = false
  /** When this server last observed that a server came or went. */
  #quietSinceMs: number
  #loops: Promise<unknown> = Promise.resolve()
  /** Called when this server may never write again: it should end. May be called more than once. */
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
    this.#store = store
    this.#cache = options.cache
    this.#options = coordination
    this.#quietSinceMs = world.clock.monotonicMs()
    const rules: ProtocolRules = coordination.rules ?? protocolRules
    const { expectedServers, serverID, form, guarantee } = coordination
    const { decideAgreement } = rules
    const observer = coordination.observer ?? noObserver
    this.records = new AgreementRecords({ store, world, decideAgreement, observer })
    this.identity = new Identity({
      ...{ store, world, records: this.records, ...coordination },
      keyRules: () => (coordination.keys ?? noKeys).rules(),
      isRegistered: () => this.recordsWrites && !this.#isLeaving && this.#registrar.pending.length === 0,
    })
    const self = { serverID, process: this.identity.process }
    const intervalMs = coordination.repairIntervalSeconds * 1000
    this.#earlierRuns = new EarlierRuns({ store, world, records: this.records, self, rules, intervalMs })
    const { recordsWrites = true, hasIdentity = true } = coordination
    const isLoose = recordsWrites && guarantee === 'loose'
    const { barrier } = options.cache
    this.#viewAge = isLoose
      ? new ViewAge(world, (signal) => barrier.pass(signal), rules.decideViewAge)
      : undefined
    const { decideBrokenGuard, decideBrokenGap, decideBrokenUnseen, decideWriteKey } = rules
    // A server that does not record is fenced by the mark of its Lease, or of its process, in each record (rule 18).
    const decideUnrecorded = hasIdentity ? decideBrokenGap : decideBrokenUnseen
    const fenceRules = { decideBrokenGuard: recordsWrites ? decideBrokenGuard : decideUnrecorded }
    this.fence = new Fence({ store, world, self, rules: fenceRules, looseView: this.#viewAge })
    const common = {
      ...{ world, records: this.records, fence: this.fence, self, codecs },
      keys: coordination.keys ?? noKeys,
      onIdentityNotHeld: async (signal: AbortSignal) => void (await this.#renew(signal)),
    }
    this.#registrar = recordsWrites
      ? new Registrar({
          ...common,
          expectedServers,
          form,
          guarantee,
          rules: { decideWriteKey },
          observer,
          isSettled: () => this.#isSettled,
          forgetEmpty: (resource, signal) => this.forgetEmpty(resource, signal),
        })
      : new GapKeeper({ ...common, hasIdentity, rules })
    for (const { definition, preferredVersion } of codecs) {
      this.fence.add(definition, definition.bootstrap ? preferredVersion : undefined)
    }
    this.fence.onExpelled = (resource, why) => {
      world.log.warn('no valid entry; registering again', { resource: groupResourceText(resource), why })
      observer.onAwaited(resource)
      this.#registrar.mark(resource)
    }
    this.fence.onStopped = (why) => this.#fatal(why)
  }

  /** Serves a custom resource from now on, or serves it by another definition. */
  define(definitionGuard: DefinitionGuard): void {
    this.#registrar.define(definitionGuard)
  }

  /** Takes over a new revision of the same definition: nothing that writes depend on has changed. */
  refreshDefinition(definitionGuard: DefinitionGuard): void {
    this.#registrar.refreshDefinition(definitionGuard)
  }

  undefine(resource: GroupResource): void {
    this.#registrar.undefine(resource)
  }

  /**
   * The version in which this server writes a resource; undefined stands for the preferred one. A voter reports the selected
   * version even before its entry is stored. Otherwise discovery of a starting server shows the version from before the
   * selection.
   */
  encodingVersionOf(resource: GroupResource): string | undefined {
    const known = this.fence.encodingVersionOf(resource)
    if (known !== undefined || this.#options.form !== 'vote') return known
    const record = this.#cache.collection(agreementPrefix).get(agreementKey(resource))
    return record && agreementKind.decode(record).status.selectedVersion
  }

  /** Notifies the listener after a selection has changed `encodingVersionOf`. Returns a function that unsubscribes. */
  onEncodingVersion(listener: (resource: GroupResource) => void): () => void {
    return this.fence.onEncodingVersion(listener)
  }

  /** Empties `status.persisted` of a resource that no server writes, if nothing is stored. */
  forgetEmpty(resource: GroupResource, signal: AbortSignal): Promise<ForgetOutcome> {
    const { provesEmpty } = this.#options.rules ?? protocolRules
    const { log } = this.#world
    return forgetEmpty({ store: this.#store, records: this.records, log, provesEmpty }, resource, signal)
  }

  /** Encryption keys were added or removed: updates the entries and the Lease (rule 17). */
  keysChanged(): void {
    this.#registrar.markAll()
    void this.leaseChanged()
  }

  /** Whether this server records its storage versions (the gate StorageVersionAPI). */
  get recordsWrites(): boolean {
    return this.#options.recordsWrites ?? true
  }

  /** Resources whose entry is not stored. */
  get pending(): readonly string[] {
    return this.#registrar.pending
  }

  /** The age of a loose server's view of the records; undefined for a strict server, and while it is unknown. */
  get viewAgeMs(): number | undefined {
    return this.#viewAge?.ageMs
  }

  /** Why this server is not ready although it is registered: it may not write. For people. */
  get refusing(): readonly string[] {
    const stale = this.#viewAge?.problem
    return [...(stale === undefined ? [] : [stale]), ...this.#registrar.refusing]
  }

  /**
   * Resolves when the identity is held and every resource is registered. Throws `IdentityTaken`. Registration
   * failures are retried for ever: meanwhile the gate answers 503 with the last error. It does not wait until every resource
   * may be written (see `writable`): otherwise one kind waits for other servers, and the roles, CRDs and Events of this
   * server wait with it.
   */
  async start(signal: AbortSignal): Promise<void> {
    const stopping = this.#stopping.signal
    if (this.#hasIdentity) await this.#acquireUnlessStopped(signal)
    this.#hasAcquired = true
    observeAgreementChanges(this.#cache, this.#world, stopping, {
      onMembership: () => this.#lookAtMembers(),
      onKeys: () => this.#registrar.markWaiting(),
      onRecord: (...record) => this.#registrar.observeRecord(...record),
    })
    this.#registrar.markAll()
    this.#loops = Promise.allSettled([
      this.#registrar.run(stopping),
      this.#hasIdentity ? this.#renewLoop(stopping) : undefined,
      this.#repairLoop(stopping),
      this.#viewAge?.run(stopping),
      // After registration: the record then names this process too, so the removal of another name begins no epoch.
      abortable(this.#registrar.completion.allRegistered, stopping).then(() =>
        this.#earlierRuns.run(stopping),
      ),
    ])
    await abortable(this.#registrar.completion.allRegistered, signal)
    // From now on the Lease says that all are registered: other servers wait for no further entry of this one.
    if (this.recordsWrites) await this.#renewAnew(stopping)
  }

  /**
   * An annotation of the Lease has changed: writes it now instead of with the next renewal. Before the Lease is acquired
   * there is nothing to renew, because another process may hold it. True if it is stored.
   */
  async leaseChanged(): Promise<boolean> {
    return this.#hasAcquired && (await this.#renewAnew(this.#stopping.signal))
  }

  /** Waits for the renewal under way first: its Lease may have been composed before the change. */
  async #renewAnew(signal: AbortSignal): Promise<boolean> {
    await this.#renewing
    return !signal.aborted && (await this.#renew(signal))
  }

  /** The store was replaced (rule 19): nothing may be written, and the Lease is left alone, until `rejoin` is done. */
  suspend(why: string): void {
    this.#isRejoining = true
    this.#wasReplaced = true
    this.fence.suspend(why)
    this.#registrar.forget()
  }

  /**
   * Joins a store that was restored or replaced. First it takes the Lease, which an earlier process may hold (rule 1). Then it
   * puts the gap into every record: that renews the nonce, so that no earlier commit can arrive any more, and raises the
   * epoch. Only then may this server register and write.
   */
  async rejoin(gap: GapCause, signal: AbortSignal): Promise<void> {
    await this.#renewing
    try {
      // A server that is still starting takes its Lease by itself.
      if (this.#hasIdentity && this.#hasAcquired) await this.identity.acquire(signal)
    } catch (error) {
      if (error instanceof IdentityTaken) this.#fatal(error.message)
      throw error
    }
    await this.noteGap(gap, signal)
    this.#isRejoining = false
    this.fence.resume()
    this.#registrar.markAll()
  }

  /** Puts a recording gap into every record. */
  noteGap(gap: GapCause, signal: AbortSignal): Promise<void> {
    return noteGap({ store: this.#store, records: this.records }, gap, this.identity.process, signal)
  }

  /** Resolves when every resource has been registered, and may be written, at the same time. */
  async writable(signal: AbortSignal): Promise<void> {
    await abortable(this.#registrar.completion.complete, signal)
    await abortable(this.#viewAge?.known ?? Promise.resolve(), signal)
  }

  /**
   * Leaves in this order (rule 7): refuse new writes, finish those in flight, remove the entries, then the Lease. Otherwise
   * agreement is declared while this server still drains. If the writes do not finish in time the entries stay, and the
   * collector removes them when the Lease has expired. True if nothing of this server is left.
   */
  async leave(drainMs: number): Promise<boolean> {
    const draining = deadline(this.#world.clock, drainMs)
    try {
      await abortable(this.fence.close('the server is shutting down'), draining.signal)
      this.#stopping.abort(new Error('leaving'))
      await abortable(this.#loops, draining.signal)
      // The Lease must not say "registered" while entries go: others would conclude that this server never had them.
      this.#isLeaving = true
      await leaveFleet(
        {
          ...{ world: this.#world, identity: this.identity },
          removeEntries: (signal) => this.#removeEntries(signal),
          hasEntries: this.recordsWrites && this.#hasIdentity,
        },
        draining.signal,
      )
      // It was stopped while it took its Lease, with an unknown outcome: a Lease that is absent now may still arrive.
      if (await abortable(this.#acquiring, draining.signal)) {
        throw new Error('the outcome of taking the identity Lease is unknown')
      }
      return true
    } catch (error) {
      this.#world.log.warn(
        'left without removing the entries and the Lease; the collector removes them when the Lease expires',
        {
          error: String(error),
        },
      )
      return false
    } finally {
      this.#stopping.abort(new Error('left'))
      draining.dispose()
    }
  }

  async #removeEntries(signal: AbortSignal): Promise<void> {
    await this.#registrar.removeAll(signal)
    if (!this.#wasReplaced) return
    await removeOwnEntries({ store: this.#store, records: this.records }, this.identity.process, signal)
  }

  /** A server that is stopped while it waits for its identity must not take it afterwards: it would never release it. */
  async #acquireUnlessStopped(signal: AbortSignal): Promise<void> {
    const either = new AbortController()
    const abort = (): void => either.abort(signal.aborted ? signal.reason : this.#stopping.signal.reason)
    for (const each of [signal, this.#stopping.signal]) {
      if (each.aborted) abort()
      each.addEventListener('abort', abort, { once: true })
    }
    const acquired = this.#acquire(either.signal)
    this.#acquiring = acquired.then(
      () => false,
      () => this.#mayHaveTaken,
    )
    try {
      await acquired
    } finally {
      for (const each of [signal, this.#stopping.signal]) each.removeEventListener('abort', abort)
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#world
    for (let attempt = 0; ; attempt++) {
      try {
        await this.identity.acquire(signal)
        return
      } catch (error) {
        if (error instanceof OutcomeUnknown) this.#mayHaveTaken = true
        if (error instanceof IdentityTaken || signal.aborted) throw error
        log.warn('could not acquire the identity Lease; retrying', { error: String(error) })
        await sleep(clock, jitter(random, Math.min(7_000, 100 * 2 ** attempt), 0.3), signal)
      }
    }
  }

  async #renewLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#world.clock, this.identity.nextRenewalMs(), signal).catch(() => {})
      if (!signal.aborted) await this.#renew(signal)
      if (!signal.aborted) this.#registrar.markSettled()
    }
  }

  /** Renews the Lease, and takes it again if it is gone. One at a time: two could each find it gone. */
  #renew(signal: AbortSignal): Promise<boolean> {
    this.#renewing ??= this.#renewOnce(signal).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renewOnce(signal: AbortSignal): Promise<boolean> {
    if (!this.#hasIdentity) return true
    // A Lease from a backup may name an earlier process: `rejoin` takes it, so that is no reason to stop.
    if (this.#isRejoining) return false
    const limit = deadline(this.#world.clock, 10_000, signal)
    try {
      const renewed = await this.identity.renew(limit.signal)
      if (renewed === 'lost') {
        this.#fatal(`another process holds the identity Lease kube-system/${this.identity.serverID}`)
      }
      if (renewed !== 'absent' && renewed !== 'foreign') return renewed === 'held'
      const why =
        renewed === 'absent'
          ? 'is gone'
          : 'was replaced by one that no server wrote, without the identity label'
      this.#world.log.warn(`the identity Lease ${why}; taking it again and registering again`, {
        lease: this.identity.serverID,
      })
      await this.#acquire(signal)
      this.#registrar.markAll()
      return true
    } catch (error) {
      if (error instanceof IdentityTaken) this.#fatal(error.message)
      else if (!signal.aborted) this.#world.log.warn('Lease renewal failed', { error: String(error) })
      return false
    } finally {
      limit.dispose()
    }
  }

  /** A server came or went. Registers again now, and once more when no server has come or gone for a minute. */
  #lookAtMembers(): void {
    const { clock } = this.#world
    this.#quietSinceMs = clock.monotonicMs()
    this.#registrar.markAll()
    // The signal ends the timer with the server: otherwise the timer keeps the process alive.
    void sleep(clock, settledAfterMs, this.#stopping.signal).then(
      () => {
        if (this.#isSettled) this.#registrar.markAll()
      },
      () => {},
    )
  }

  get #isSettled(): boolean {
    return this.#world.clock.monotonicMs() - this.#quietSinceMs >= settledAfterMs
  }

  async #repairLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#collectBallots(signal)
      const waitMs = jitter(this.#world.random, this.#options.repairIntervalSeconds * 1000, 0.1)
      await sleep(this.#world.clock, waitMs, signal).catch(() => {})
      if (!signal.aborted) this.#registrar.markAll()
    }
  }

  async #collectBallots(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#world
    const limit = deadline(clock, 30_000, signal)
    const parts = { cache: this.#cache, store: this.#store, records: this.records, log }
    try {
      await collectBallots(parts, limit.signal)
    } catch (error) {
      if (!signal.aborted) log.warn('ballot cleanup failed; retrying later', { error: String(error) })
    } finally {
      limit.dispose()
    }
  }

  get #hasIdentity(): boolean {
    return this.#options.hasIdentity ?? true
  }

  #fatal(why: string): void {
    void this.fence.close(`this server has lost its identity: ${why}`)
    this.#stopping.abort(new Error(why))
    this.#registrar.completion.giveUp(why)
    this.onFatal(why)
  }
}
