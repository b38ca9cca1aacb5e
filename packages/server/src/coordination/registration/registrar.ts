import { type AgreementEntry, type AgreementStatus, type GroupResource, groupResourceText } from '@strata/api'
import { deadline, severalAtOnce, type World } from '@strata/world'
import { type Codec, equalJson } from '../../codec/index.ts'
import type { Guard, Revision } from '../../store/index.ts'
import { ByteTrust } from '../fence/byte-trust.ts'
import type { DefinitionGuard } from '../fence/definition-guard.ts'
import type { Fence } from '../fence/fence.ts'
import { isFleetComplete } from '../keys/is-fleet-complete.ts'
import { keyElsewhere } from '../keys/key-elsewhere.ts'
import { KeyWaitLog } from '../keys/key-wait-log.ts'
import { statedKeysForHolder } from '../keys/stated-keys.ts'
import { unregisteredServers } from '../keys/unregistered-servers.ts'
import type { ProtocolRules } from '../protocol-rules.ts'
import type {
  AgreementRecords,
  AgreementView,
  ChangeOutcome,
  StoredAgreement,
} from '../record/agreement-records.ts'
import { withoutServers, writersOf } from '../record/decide-agreement.ts'
import type { ForgetOutcome } from '../record/forget-empty.ts'
import { historyOf } from '../record/history-prefix.ts'
import { nonceOf } from '../record/record-nonce.ts'
import { Completion } from './completion.ts'
import { LooseWatch } from './loose-watch.ts'
import { atOnce, MarkedLoop } from './marked-loop.ts'
import { isWritableBy, type OwnFacts, ownEntry } from './own-entry.ts'
import type { RegistrationObserver } from './registration-observer.ts'
import { retryOvertaken } from './retry-overtaken.ts'
import { IdentityNotHeld, wantedChange } from './wanted-change.ts'

export interface RegistrarOptions extends OwnFacts {
  readonly world: World
  readonly records: AgreementRecords
  readonly fence: Fence
  readonly codecs: readonly Codec[]
  readonly rules: Pick<ProtocolRules, 'decideWriteKey'>
  /** No server has been seen to come or go for a while. */
  readonly isSettled: () => boolean
  readonly observer?: RegistrationObserver
  /** Empties `status.persisted` of a resource that no server writes, if nothing is stored. */
  readonly forgetEmpty: (resource: GroupResource, signal: AbortSignal) => Promise<ForgetOutcome>
  /** Called when this process does not hold its identity: tries to renew the Lease or to take it again. Never rejects. */
  readonly onIdentityNotHeld: (signal: AbortSignal) => Promise<void>
}

interface ObservedRecord {
  readonly status: AgreementStatus
  readonly revision: Revision
  readonly nonce: string | undefined
}

/**
 * Keeps this server's entries in the agreement records, one per resource, and opens the gate of each resource once
 * its entry is stored (rule 2). Level-based: a resource is marked, and the loop reconciles its record.
 */
export class Registrar {
  readonly #options: RegistrarOptions
  readonly #codecs: Map<string, Codec>
  /** The CRDs of custom resources. */
  readonly #definitionGuards = new Map<string, DefinitionGuard>()
  /** Custom resources that are gone, whose record may still have the own entry. */
  readonly #leaving = new Map<string, GroupResource>()
  readonly #marked: MarkedLoop
  readonly #lastFailures = new Map<string, string>()
  readonly #registered = new Set<string>()
  /** The newest record of each resource that the watch has delivered. */
  readonly #observed = new Map<string, ObservedRecord>()
  /** The own entry of each resource, as it was last stored. */
  readonly #own = new Map<string, AgreementEntry>()
  readonly #trust = new ByteTrust()
  readonly #looseWatch = new LooseWatch()
  readonly #keyWaits: KeyWaitLog
  /** A resource counts as registered when its entry is stored. */
  readonly completion = new Completion()

  constructor(options: RegistrarOptions) {
    this.#options = options
    this.#marked = new MarkedLoop(options.world)
    this.#keyWaits = new KeyWaitLog(options.world.log, options.self.serverID)
    this.#codecs = new Map(options.codecs.map((codec) => [groupResourceText(codec.definition), codec]))
  }

  /** Built-in resources whose entry is not stored, or was removed: readiness waits for them (rule 2). */
  get pending(): readonly string[] {
    return this.#requiredStates()
      .filter(
        ({ name, state }) => !this.#registered.has(name) || (state.kind === 'pending' && !state.refuses),
      )
      .map(({ name }) => name)
  }

  /** Built-in resources that this server may not write though its entry is stored, and why (rules 12 and 17). */
  get refusing(): readonly string[] {
    return this.#options.fence.refusalsOf(this.#options.codecs)
  }

  #requiredStates(): { readonly name: string; readonly state: ReturnType<Fence['stateOf']> }[] {
    const { codecs, fence } = this.#options
    return codecs.map(({ definition }) => ({
      name: groupResourceText(definition),
      state: fence.stateOf(definition),
    }))
  }

  /**
   * Serves a custom resource by this definition from now on. If that changes this server's entry, the gate closes until the
   * entry is stored (rule 4). The store refuses writes in flight: each is guarded by the CRD that it was made by.
   */
  define(definitionGuard: DefinitionGuard): void {
    const { fence } = this.#options
    const { codec } = definitionGuard
    const { definition } = codec
    const name = groupResourceText(definition)
    const before = this.#codecs.get(name)
    const isAsBefore =
      before !== undefined &&
      this.#registered.has(name) &&
      equalJson(ownEntry(before, this.#options), ownEntry(codec, this.#options))
    this.#codecs.set(name, codec)
    this.#definitionGuards.set(name, definitionGuard)
    if (before) fence.refreshDefinition(definition, definitionGuard)
    else fence.add(definition, undefined, definitionGuard)
    if (isAsBefore) codec.trust.adopt(before.trust)
    else {
      fence.shut(definition)
      this.#registered.delete(name)
      this.#options.observer?.onAwaited(definition)
    }
    this.mark(definition)
  }

  /** Takes over a new revision of the same definition: nothing that writes depend on has changed. */
  refreshDefinition(definitionGuard: DefinitionGuard): void {
    const { definition } = definitionGuard.codec
    this.#definitionGuards.set(groupResourceText(definition), definitionGuard)
    this.#options.fence.refreshDefinition(definition, definitionGuard)
  }

  /** The CRD is gone: removes this server's entry. */
  undefine(resource: GroupResource): void {
    const name = groupResourceText(resource)
    this.#codecs.delete(name)
    this.#definitionGuards.delete(name)
    this.#registered.delete(name)
    this.#options.fence.remove(resource)
    this.#keyWaits.forget(name)
    this.#own.delete(name)
    this.#leaving.set(name, resource)
    this.mark(resource)
  }

  /** The store was replaced: entries and records of the old store do not count any more (rule 19). */
  forget(): void {
    this.#observed.clear()
    this.#registered.clear()
  }

  mark(resource: GroupResource): void {
    this.#marked.mark(groupResourceText(resource))
  }

  markAll(): void {
    this.#marked.mark(...this.#codecs.keys())
  }

  /** Marks resources that wait for a key, or are refused because of one: a server reads other keys than before. */
  markWaiting(): void {
    const waiting = [...this.#own].filter(([, own]) => own.wantedKey ?? own.keyProblem)
    this.#marked.mark(...waiting.map(([name]) => name).filter((name) => this.#codecs.has(name)))
  }

  /** Marks resources that a removed loose process cannot write any more (rule 14). */
  markSettled(): void {
    const due = this.#looseWatch.due(this.#nowMs)
    this.#marked.mark(...due.filter((name) => this.#codecs.has(name)))
  }

  get #nowMs(): number {
    return this.#options.world.clock.monotonicMs()
  }

  /** Reconciles the records of marked resources until the signal is aborted. Failures are retried. */
  run(signal: AbortSignal): Promise<void> {
    return this.#marked.run((name) => this.#register(name, signal), signal)
  }

  /**
   * The watch delivered a record. It may be late, so it changes only the gate: a newer revision with our entry spares the
   * next write a broken guard. Anything else is also read again from the store.
   */
  observeRecord(name: string, status: AgreementStatus, revision: Revision, nonce: string | undefined): void {
    this.#observed.set(name, { status, revision, nonce })
    this.#looseWatch.observe(name, status, this.#nowMs)
    const { fence, self, guarantee } = this.#options
    const codec = this.#codecs.get(name)
    if (!codec || !this.#registered.has(name)) return
    const own = status.servers.find(({ process }) => process === self.process)
    this.#trust.learn(codec, own ?? ownEntry(codec, this.#options), status, revision)
    if (fence.closed) return
    const state = fence.stateOf(codec.definition)
    if (state.kind === 'open' && state.recordRevision >= revision) return
    if (own && isWritableBy(codec, own)) {
      fence.open(codec.definition, own, revision, nonce)
      this.completion.observe(this)
      this.#lookForKeys(codec, status)
      if (this.#mayChangeKeys(codec, own)) this.mark(codec.definition)
      return
    }
    if (own?.refusesWrites) {
      const { encodingVersion: selectedVersion, keyProblem } = own
      fence.refuse(codec.definition, codec, { selectedVersion, keyProblem, revision })
    } else if (guarantee === 'loose') {
      // A loose server has no guard that could break: it stops because of this event (rule 14).
      fence.shut(codec.definition, 'the entry in the agreement record is gone', revision)
    }
    this.mark(codec.definition)
  }

  /** Whether the own entry may get other keys: another server may read or write other keys than before. */
  #mayChangeKeys(codec: Codec, own: AgreementEntry): boolean {
    const { preferred, readable, retired } = this.#options.keys.of(codec.definition)
    return preferred !== own.writeKey || retired.length > 0 || !equalJson(readable, own.readableKeys)
  }

  /** Other servers read keys that this server does not know: its KMS may know them by now. */
  #lookForKeys(codec: Codec, { servers }: AgreementStatus): void {
    const { keys } = this.#options
    const { readable } = keys.of(codec.definition)
    const named = new Set(servers.flatMap(({ readableKeys }) => readableKeys))
    for (const key of named) if (!readable.includes(key)) keys.lookFor(key)
  }

  /** Removes all own entries (rule 7). */
  async removeAll(signal: AbortSignal): Promise<void> {
    // Also those of CRDs that are gone: no other server reads the record of such a resource.
    const defined = [...this.#codecs.values()].map(({ definition }) => definition)
    await severalAtOnce(atOnce, [...defined, ...this.#leaving.values()], (resource) =>
      this.#remove(resource, signal),
    )
  }

  async #remove(resource: GroupResource, signal: AbortSignal): Promise<void> {
    const { records, fence, self } = this.#options
    const mine = ({ process }: AgreementEntry): boolean => process === self.process
    const leavingProcess = fence.mayStillArrive(resource) ? undefined : self.process
    await records.change(
      resource,
      ({ entries }) =>
        entries.some(mine)
          ? { entries: withoutServers(entries, mine), guards: [], leavingProcess }
          : undefined,
      signal,
    )
  }

  /** False if it has to be retried. */
  async #leave(name: string, resource: GroupResource, signal: AbortSignal): Promise<boolean> {
    const { world } = this.#options
    const limit = deadline(world.clock, 10_000, signal)
    try {
      await this.#remove(resource, limit.signal)
      this.#leaving.delete(name)
      return true
    } catch (error) {
      if (signal.aborted) return true
      world.log.warn('could not remove the entry of this server; retrying', {
        resource: name,
        error: String(error),
      })
      return false
    } finally {
      limit.dispose()
    }
  }

  /** Stores the own entry of one resource, then opens its gate. False if it has to be retried. */
  async #register(name: string, signal: AbortSignal): Promise<boolean> {
    const { world, fence, onIdentityNotHeld } = this.#options
    const codec = this.#codecs.get(name)
    const leaving = this.#leaving.get(name)
    // `rejoin` marks every resource.
    if (fence.isSuspended) return codec !== undefined
    if (!codec) return leaving ? this.#leave(name, leaving, signal) : true
    this.#leaving.delete(name)
    const { definition } = codec
    const limit = deadline(world.clock, 10_000, signal)
    try {
      const outcome = await this.#publish(name, codec, limit.signal)
      // The CRD has changed meanwhile: the resource is marked, and registered again.
      if (this.#codecs.get(name) !== codec) return true
      if (outcome.outcome === 'overtaken' || !outcome.stored) {
        throw new Error('a Lease or the CRD changed while the entry was being stored')
      }
      this.#apply(codec, outcome.stored)
      return true
    } catch (error) {
      if (signal.aborted) return true
      const text = error instanceof Error ? error.message : String(error)
      // An error does not say that the entry is gone: an open gate stays open, and the guard decides.
      if (this.#codecs.get(name) !== codec) return true
      const state = fence.stateOf(definition)
      // Nor does it end a refusal. Otherwise a failed read makes a server that only waits for other servers look
      // unregistered, and its supervisor ends it.
      if (state.kind === 'pending' && !state.refuses) fence.shut(definition, text)
      this.#options.observer?.onFailure()
      // Each reason is logged once: a store that is away for an hour gives one line per resource, not seven thousand.
      if (this.#lastFailures.get(name) !== text) {
        world.log.warn('registration failed; retrying', { resource: name, error: text })
      }
      this.#lastFailures.set(name, text)
      if (error instanceof IdentityNotHeld) await onIdentityNotHeld(signal)
      return false
    } finally {
      limit.dispose()
    }
  }

  /**
   * Stores the own entry. A server that lacks a key under which objects may be stored has to refuse writes. If no other server
   * writes, it first checks whether anything is stored. Otherwise: a CRD is deleted, its key is dropped, and when the CRD is
   * created again every write is refused for ever because of a key that nothing is stored under.
   */
  async #publish(name: string, codec: Codec, signal: AbortSignal): Promise<ChangeOutcome> {
    const { world, records, fence, isSettled } = this.#options
    const entry = ownEntry(codec, this.#options)
    const look = { isWanted: false, isTaken: false, unproven: undefined as string | undefined }
    const change = async (): Promise<ChangeOutcome> => {
      // The entry is valid only for the definition that it was made by. The status of the CRD may have changed.
      if (this.#codecs.get(name) !== codec) return { outcome: 'overtaken' }
      const definitionGuard = this.#definitionGuards.get(name)
      return records.change(
        codec.definition,
        (view) => {
          if (fence.isSuspended) throw new Error('the store was replaced while the entry was being stored')
          const { keyed, guards, lacksKeys } = this.#underKey(codec, entry, view, look.unproven)
          if (lacksKeys && !look.isTaken && writersOf(view.entries).length === 0) {
            look.isWanted = true
            return undefined
          }
          const wanted = wantedChange(view, keyed, definitionGuard)
          return {
            ...{ ...wanted, guards: [...wanted.guards, ...guards] },
            ...historyOf(codec),
            isSettled: isSettled(),
            settledLoose: this.#settledLoose(name, view),
          }
        },
        signal,
      )
    }
    const first = await retryOvertaken(world, change, signal)
    if (!look.isWanted) return first
    const forget = () => this.#options.forgetEmpty(codec.definition, signal)
    const looked = await retryOvertaken(world, forget, signal)
    look.isTaken = true
    look.unproven = looked.outcome === 'refused' ? looked.why : undefined
    return retryOvertaken(world, change, signal)
  }

  /** Decides the key on the keys that all servers read, in the commit that stores the entry (rule 17). */
  #underKey(
    { definition }: Codec,
    entry: AgreementEntry,
    view: AgreementView,
    unproven: string | undefined,
  ): { readonly keyed: AgreementEntry; readonly guards: readonly Guard[]; readonly lacksKeys: boolean } {
    const { self, expectedServers, rules } = this.#options
    const keys = this.#options.keys.of(definition)
    const unregistered = unregisteredServers(view, self, definition)
    const isHere = ({ serverID }: AgreementEntry): boolean => view.leases.has(serverID)
    const {
      reliesOnLeases,
      lacksKeys = false,
      ...decision
    } = rules.decideWriteKey({
      ...{ keys, process: self.process, previous: view.stored?.record.status },
      // This change removes entries whose Lease is gone.
      entries: statedKeysForHolder(view.stored?.record, view.entries.filter(isHere), self),
      isFleetComplete: isFleetComplete(view, self.serverID, expectedServers),
      ...{ unregistered, unproven, elsewhere: keyElsewhere(this.#own.values(), keys.preferred) },
    })
    const refusal = decision.keyProblem === undefined ? {} : { refusesWrites: true }
    return {
      keyed: { ...entry, ...decision, ...refusal },
      guards: reliesOnLeases ? unregistered.flatMap(({ guard }) => guard ?? []) : [],
      lacksKeys,
    }
  }

  /** Also counts marks that were read: a starting server gets no event for marks that stand already. */
  #settledLoose(name: string, { stored }: AgreementView): ReadonlySet<string> {
    this.#looseWatch.observe(name, stored?.record.status ?? {}, this.#nowMs)
    return this.#looseWatch.settled(name, this.#nowMs)
  }

  /** Applies the own entry as stored: for a voter, the selection has decided what it writes. */
  #apply(codec: Codec, { record, revision }: StoredAgreement): void {
    const { status } = record
    const { fence, keys, self } = this.#options
    const { definition } = codec
    const name = groupResourceText(definition)
    const own = status.servers.find(({ process }) => process === self.process)
    if (!own) throw new Error('the entry was stored, but the record does not have it')
    const { encodingVersion: selectedVersion, keyProblem } = own
    if (isWritableBy(codec, own)) fence.open(definition, own, revision, nonceOf(record))
    else fence.refuse(definition, codec, { selectedVersion, keyProblem, revision })
    keys.published(definition, own.readableKeys)
    this.#own.set(name, own)
    // Not when the watch delivers it: a waiting server decides again then, and would log for a moment that it waits no longer.
    this.#keyWaits.observe(name, status, revision)
    this.#trust.learn(codec, own, status, revision)
    this.#registered.add(name)
    this.#lastFailures.delete(name)
    // The watch may have delivered a newer record while this one was being stored, and it was ignored then.
    const newer = this.#observed.get(name)
    if (newer && newer.revision > revision) {
      this.observeRecord(name, newer.status, newer.revision, newer.nonce)
    }
    this.completion.observe(this)
  }
}
