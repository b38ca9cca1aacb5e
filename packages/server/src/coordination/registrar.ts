import {
  type AgreementEncoder,
  type AgreementEntry,
  type AgreementStatus,
  type GroupResource,
  groupResourceText,
  plainKey,
} from '@strata/api'
import { deadline, jitter, sleep, type World } from '@strata/world'
import { type Codec, encoderFingerprint, equalJson } from '../codec/index.ts'
import type { Guard, Revision } from '../store/index.ts'
import type { AgreementChange, AgreementRecords, AgreementView, ChangeOutcome } from './agreement-records.ts'
import { encodingText, withEntry, withoutServers } from './decide-agreement.ts'
import type { Fence } from './fence.ts'
import { type Foundation, guardOf } from './foundation.ts'
import { identityLeaseKey } from './frozen-kinds.ts'
import { historyOf } from './history-of.ts'
import { isEveryoneHeard } from './is-everyone-heard.ts'
import { KeyWaitLog } from './key-wait-log.ts'
import { LooseWatch } from './loose-watch.ts'
import type { ProtocolRules } from './protocol-rules.ts'
import type { ServerKeys } from './server-keys.ts'
import type { RegistrationWitness } from './witness.ts'

const registrationsAtOnce = 8
/** How often a registration that was overtaken is begun anew at once; then others get their turn first. */
const attemptsAtOnce = 5
/** Each removal is a guard, and a transaction takes only so many; the rest is for the next turn. */
const removalsPerChange = 50

/** An entry may not be written without an identity (rule 1). */
class IdentityNotHeld extends Error {
  override readonly name = 'IdentityNotHeld'
}

export interface RegistrarOptions {
  readonly world: World
  readonly records: AgreementRecords
  readonly fence: Fence
  readonly self: { readonly serverID: string; readonly process: string }
  readonly codecs: readonly Codec[]
  readonly keys: ServerKeys
  readonly expectedServers: number
  /** Whether this server's kinds are voted on, or reported; custom resources are always reported. */
  readonly form: 'report' | 'vote'
  readonly guarantee: AgreementEntry['guarantee']
  readonly rules: Pick<ProtocolRules, 'decideWriteKey' | 'guardPublication' | 'guardIdentity'>
  /** No server has been seen to come or go for a while. */
  readonly isSettled: () => boolean
  readonly witness?: RegistrationWitness
  /** Called when the identity turns out not to be held; resolves when that has been looked into. */
  readonly onIdentityNotHeld: (signal: AbortSignal) => Promise<void>
}

/**
 * Keeps this server's entries in the agreement records, one per resource, and opens the gate of each resource once
 * its entry stands (rule 2). Level-based: a resource is marked, and the loop brings its record to what it should say.
 */
export class Registrar {
  readonly #options: RegistrarOptions
  readonly #codecs: Map<string, Codec>
  /** Of custom resources. */
  readonly #foundations = new Map<string, Foundation>()
  /** Custom resources that are gone, while the own entry may not be. */
  readonly #leaving = new Map<string, GroupResource>()
  readonly #marked = new Set<string>()
  readonly #registered = new Set<string>()
  /** The newest record of each resource that the watch has told of. */
  readonly #told = new Map<string, { readonly status: AgreementStatus; readonly revision: Revision }>()
  /** In which epoch the bytes were last trusted, by resource. */
  readonly #trustedEpochs = new Map<string, number>()
  readonly #looseWatch = new LooseWatch()
  readonly #keyWaits: KeyWaitLog
  readonly #allRegistered = Promise.withResolvers<void>()
  readonly #complete = Promise.withResolvers<void>()
  #isComplete = false
  #wake: (() => void) | undefined

  constructor(options: RegistrarOptions) {
    this.#options = options
    this.#keyWaits = new KeyWaitLog(options.world.log, options.self.serverID)
    this.#codecs = new Map(options.codecs.map((codec) => [groupResourceText(codec.definition), codec]))
    // Whoever awaits these hears of a failure; nobody has to.
    this.#allRegistered.promise.catch(() => {})
    this.#complete.promise.catch(() => {})
  }

  /** Resolves when the entry of every resource of the program has been stored, whether or not it may be written (rule 12). */
  get allRegistered(): Promise<void> {
    return this.#allRegistered.promise
  }

  /** Resolves when every resource of the program has been registered, and may be written, at the same time. */
  get complete(): Promise<void> {
    return this.#complete.promise
  }

  /** Registration will never be complete. */
  giveUp(why: string): void {
    this.#allRegistered.reject(new Error(why))
    this.#complete.reject(new Error(why))
  }

  /** Resources of the program whose entry is not stored, or was taken out: readiness follows (rule 2). */
  get pending(): readonly string[] {
    return this.#requiredStates()
      .filter(
        ({ name, state }) => !this.#registered.has(name) || (state.kind === 'pending' && !state.refuses),
      )
      .map(({ name }) => name)
  }

  /** Resources of the program that this server may not write though its entry stands, and why (rule 12). */
  get refusing(): readonly string[] {
    return this.#requiredStates().flatMap(({ name, state }) =>
      state.kind === 'pending' && state.refuses ? [`${name}: ${state.lastError}`] : [],
    )
  }

  #requiredStates(): { readonly name: string; readonly state: ReturnType<Fence['stateOf']> }[] {
    const { codecs, fence } = this.#options
    return codecs.map(({ definition }) => ({
      name: groupResourceText(definition),
      state: fence.stateOf(definition),
    }))
  }

  #noteProgress(): void {
    if (this.#isComplete || this.pending.length > 0) return
    this.#allRegistered.resolve()
    if (this.refusing.length > 0) return
    this.#isComplete = true
    this.#complete.resolve()
  }

  /**
   * A custom resource is served by this definition from now on. Where that changes what this server says about itself,
   * its gate closes until the entry says so (rule 4); writes in flight are refused by the store, for each is guarded by
   * the definition it was made under.
   */
  define(foundation: Foundation): void {
    const { fence } = this.#options
    const { codec } = foundation
    const { definition } = codec
    const name = groupResourceText(definition)
    const before = this.#codecs.get(name)
    const isAsBefore =
      before !== undefined &&
      this.#registered.has(name) &&
      equalJson(this.#entryOf(before), this.#entryOf(codec))
    this.#codecs.set(name, codec)
    this.#foundations.set(name, foundation)
    if (before) fence.rest(definition, foundation)
    else fence.add(definition, undefined, foundation)
    if (isAsBefore) codec.trust.adopt(before.trust)
    else {
      fence.shut(definition)
      this.#registered.delete(name)
      this.#options.witness?.onAwaited(definition)
    }
    this.mark(definition)
  }

  /** The same definition, which has changed in nothing that writes depend on. */
  rest(foundation: Foundation): void {
    const { definition } = foundation.codec
    this.#foundations.set(groupResourceText(definition), foundation)
    this.#options.fence.rest(definition, foundation)
  }

  /** A custom resource is served no more: this server's entry goes, for it will not write it again. */
  undefine(resource: GroupResource): void {
    const name = groupResourceText(resource)
    this.#codecs.delete(name)
    this.#foundations.delete(name)
    this.#registered.delete(name)
    this.#options.fence.remove(resource)
    this.#keyWaits.forget(name)
    this.#leaving.set(name, resource)
    this.mark(resource)
  }

  mark(resource: GroupResource): void {
    this.#marked.add(groupResourceText(resource))
    this.#wake?.()
  }

  markAll(): void {
    for (const name of this.#codecs.keys()) this.#marked.add(name)
    this.#wake?.()
  }

  /** Marks what a loose process may still have written to, and cannot any more (rule 14). */
  markSettled(): void {
    const due = this.#looseWatch.due(this.#nowMs)
    for (const name of due) if (this.#codecs.has(name)) this.#marked.add(name)
    if (due.length > 0) this.#wake?.()
  }

  get #nowMs(): number {
    return this.#options.world.clock.monotonicMs()
  }

  /** Brings marked resources to what they should say, until the signal is aborted. Failures are tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.world
    const onAbort = (): void => this.#wake?.()
    signal.addEventListener('abort', onAbort, { once: true })
    while (!signal.aborted) {
      const names = [...this.#marked]
      this.#marked.clear()
      const failed: string[] = []
      const next = async (): Promise<void> => {
        for (let name = names.shift(); name !== undefined; name = names.shift()) {
          if (!(await this.#register(name, signal))) failed.push(name)
        }
      }
      await Promise.all(Array.from({ length: registrationsAtOnce }, next))
      if (failed.length > 0) {
        await sleep(clock, jitter(random, 500, 0.5), signal).catch(() => {})
        for (const name of failed) this.#marked.add(name)
      } else if (this.#marked.size === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
    signal.removeEventListener('abort', onAbort)
  }

  /**
   * A record changed, as the watch tells it. That may be late, so nothing is decided on it: a newer revision under
   * which our entry stands spares the next write a broken guard, anything else is looked at in the store.
   */
  observeRecord(name: string, status: AgreementStatus, revision: Revision): void {
    this.#told.set(name, { status, revision })
    this.#looseWatch.observe(name, status, this.#nowMs)
    const { fence, self, guarantee } = this.#options
    const codec = this.#codecs.get(name)
    if (!codec || !this.#registered.has(name)) return
    this.#learnTrust(codec, status, revision)
    if (fence.closed) return
    const state = fence.stateOf(codec.definition)
    if (state.kind === 'open' && state.recordRevision >= revision) return
    const own = status.servers.find(({ process }) => process === self.process)
    if (own && isWritableBy(codec, own)) {
      fence.open(codec.definition, own, revision)
      this.#noteProgress()
      if (this.#mayChangeKeys(codec, own, status)) this.mark(codec.definition)
      return
    }
    if (own?.refusesWrites) {
      const { encodingVersion: selectedVersion, keyProblem } = own
      fence.refuse(codec.definition, codec, { selectedVersion, keyProblem, revision })
    } else if (guarantee === 'loose') {
      // No guard will break, so that this is all the warning there is (rule 14).
      fence.shut(codec.definition, 'the entry in the agreement record is gone', revision)
    }
    this.mark(codec.definition)
  }

  /** Whether the keys that the own entry names may be others by now: somebody else reads or writes otherwise than before. */
  #mayChangeKeys(codec: Codec, own: AgreementEntry, { servers }: AgreementStatus): boolean {
    const { keys } = this.#options
    const { preferred, readable, retired } = keys.of(codec.definition)
    const named = new Set(servers.flatMap(({ readableKeys }) => readableKeys))
    for (const key of named) if (!readable.includes(key)) keys.lookFor(key)
    return preferred !== own.writeKey || retired.length > 0 || !equalJson(readable, own.readableKeys)
  }

  /** Bytes may be served as they are while, and as far back as, everyone encodes as we do. */
  #learnTrust(codec: Codec, status: AgreementStatus, revision: Revision): void {
    const { epoch, encodings, epochRevision, servers } = status
    const name = groupResourceText(codec.definition)
    const own = servers.find(({ process }) => process === this.#options.self.process) ?? this.#entryOf(codec)
    const [only, ...others] = encodings
    const isLeft = (status.looseUntilSettled ?? []).length > 0
    const isUniform = !own.refusesWrites && !isLeft && only === encodingText(own) && others.length === 0
    // What was written in another epoch may have been encoded otherwise, even if no moment of that was seen here.
    if (!isUniform || this.#trustedEpochs.get(name) !== epoch) codec.trust.mixed(revision)
    if (!isUniform) return
    codec.trust.uniform(epochRevision ?? revision)
    this.#trustedEpochs.set(name, epoch)
  }

  /** Takes all own entries back (rule 7). */
  async removeAll(signal: AbortSignal): Promise<void> {
    // Also of what was defined a moment ago: nobody who stays looks at the record of a resource that is gone.
    const defined = [...this.#codecs.values()].map(({ definition }) => definition)
    const waiting = [...defined, ...this.#leaving.values()].values()
    const next = async (): Promise<void> => {
      for (const resource of waiting) await this.#remove(resource, signal)
    }
    await Promise.all(Array.from({ length: registrationsAtOnce }, next))
  }

  async #remove(resource: GroupResource, signal: AbortSignal): Promise<void> {
    const { records, self } = this.#options
    const mine = ({ process }: AgreementEntry): boolean => process === self.process
    await records.change(
      resource,
      ({ entries }) =>
        entries.some(mine)
          ? { entries: withoutServers(entries, mine), guards: [], farewell: self.process }
          : undefined,
      signal,
    )
  }

  /** False when it has to be tried again. */
  async #leave(name: string, resource: GroupResource, signal: AbortSignal): Promise<boolean> {
    const { world } = this.#options
    const limit = deadline(world.clock, 10_000, signal)
    try {
      await this.#remove(resource, limit.signal)
      this.#leaving.delete(name)
      return true
    } catch (error) {
      if (signal.aborted) return true
      world.log.warn('could not take the own entry back; trying again', {
        resource: name,
        error: String(error),
      })
      return false
    } finally {
      limit.dispose()
    }
  }

  /** Publishes the own entry of one resource, then opens its gate. False when it has to be tried again. */
  async #register(name: string, signal: AbortSignal): Promise<boolean> {
    const { world, fence, onIdentityNotHeld } = this.#options
    const codec = this.#codecs.get(name)
    const leaving = this.#leaving.get(name)
    if (!codec) return leaving ? this.#leave(name, leaving, signal) : true
    this.#leaving.delete(name)
    const { definition } = codec
    const limit = deadline(world.clock, 10_000, signal)
    try {
      const outcome = await this.#publish(name, codec, limit.signal)
      // Defined anew meanwhile: that has been marked, and is another registration.
      if (this.#codecs.get(name) !== codec) return true
      if (outcome.outcome === 'overtaken' || !outcome.stored) {
        throw new Error('a Lease came or went, or a definition changed, while the entry was being stored')
      }
      this.#apply(codec, outcome.stored.record.status, outcome.stored.revision)
      return true
    } catch (error) {
      if (signal.aborted) return true
      const text = error instanceof Error ? error.message : String(error)
      // An error does not say that the entry is gone: an open gate stays open, and the guard decides.
      if (this.#codecs.get(name) !== codec) return true
      const state = fence.stateOf(definition)
      // Nor that a refusal is over. Otherwise: one failed look, and a server that only waits for the others is taken for
      // one that has not registered, and is ended.
      if (state.kind === 'pending' && !state.refuses) fence.shut(definition, text)
      this.#options.witness?.onFailure()
      world.log.warn('registration failed; trying again', { resource: name, error: text })
      if (error instanceof IdentityNotHeld) await onIdentityNotHeld(signal)
      return false
    } finally {
      limit.dispose()
    }
  }

  /**
   * Stores the own entry. That the own Lease was renewed meanwhile, or another server came or went, is no failure: what
   * stands by now is looked at at once. A server that renews often would otherwise wait half a second each time.
   */
  async #publish(name: string, codec: Codec, signal: AbortSignal): Promise<ChangeOutcome> {
    const { world, records } = this.#options
    const entry = this.#entryOf(codec)
    for (let attempt = 1; ; attempt++) {
      // Of what the entry was made by, though its status may have changed: under another definition it would be a lie.
      if (this.#codecs.get(name) !== codec) return { outcome: 'overtaken' }
      const foundation = this.#foundations.get(name)
      const outcome = await records.change(
        codec.definition,
        (view) => ({
          ...this.#wanted(view, this.#underKey(codec, entry, view), foundation),
          ...historyOf(codec),
          settledLoose: this.#settledLoose(name, view),
        }),
        signal,
      )
      if (outcome.outcome !== 'overtaken' || attempt === attemptsAtOnce) return outcome
      await sleep(world.clock, jitter(world.random, 10 * attempt, 0.9), signal)
    }
  }

  /** Under which key it is written is decided on what everyone reads, in the commit that says so (rule 17). */
  #underKey(codec: Codec, entry: AgreementEntry, view: AgreementView): AgreementEntry {
    const { keys, self, expectedServers, rules } = this.#options
    const isHere = ({ serverID }: AgreementEntry): boolean => view.leases.has(serverID)
    const decision = rules.decideWriteKey({
      ...{ keys: keys.of(codec.definition), ...self, previous: view.stored?.record.status },
      // Those whose Lease is gone go with this change.
      entries: view.entries.filter(isHere),
      isEveryoneHeard: isEveryoneHeard(view, self.serverID, expectedServers),
    })
    return { ...entry, ...decision, ...(decision.keyProblem === undefined ? {} : { refusesWrites: true }) }
  }

  /** What is read is seen too: whoever starts is told by no watch of what stands already. */
  #settledLoose(name: string, { stored }: AgreementView): ReadonlySet<string> {
    this.#looseWatch.observe(name, stored?.record.status ?? {}, this.#nowMs)
    return this.#looseWatch.settled(name, this.#nowMs)
  }

  /** The own entry is stored. What it says there counts: of a voter, others decide what it writes. */
  #apply(codec: Codec, status: AgreementStatus, revision: Revision): void {
    const { fence, keys, self } = this.#options
    const { definition } = codec
    const name = groupResourceText(definition)
    const own = status.servers.find(({ process }) => process === self.process)
    if (!own) throw new Error('the entry was stored, and is not there')
    const { encodingVersion: selectedVersion, keyProblem } = own
    if (isWritableBy(codec, own)) fence.open(definition, own, revision)
    else fence.refuse(definition, codec, { selectedVersion, keyProblem, revision })
    keys.published(definition, own.readableKeys)
    // Not when the watch tells of it: who waits decides anew then, and for a moment would be said to wait for nobody.
    this.#keyWaits.observe(name, status, revision)
    this.#learnTrust(codec, status, revision)
    this.#registered.add(name)
    // The watch may have told of a newer record while this one was on its way, and was not listened to then.
    const told = this.#told.get(name)
    if (told && told.revision > revision) this.observeRecord(name, told.status, told.revision)
    this.#noteProgress()
  }

  /**
   * Own entry in; entries of servers whose Lease is absent out (seed 003, "Updating StorageVersion"). Each
   * removal is guarded by that absence and our own entry by our Lease, so that neither can be overtaken.
   */
  #wanted(view: AgreementView, entry: AgreementEntry, foundation: Foundation | undefined): AgreementChange {
    const { rules, self, isSettled } = this.#options
    const { serverID, process } = self
    const mine = view.leases.get(serverID)
    if (rules.guardIdentity && mine?.holder !== process)
      throw new IdentityNotHeld('the identity Lease is not held')
    const isGone = (each: AgreementEntry): boolean => !view.leases.has(each.serverID)
    const gone = view.entries.filter(isGone).slice(0, removalsPerChange)
    return {
      isSettled: isSettled(),
      entries: withEntry(
        withoutServers(view.entries, (each) => gone.includes(each)),
        entry,
      ),
      guards: [
        ...(rules.guardIdentity && mine
          ? [{ key: identityLeaseKey(serverID), revision: mine.revision }]
          : []),
        // Rule 4: a server with an old view of the definition may not publish by it.
        ...(foundation && rules.guardPublication ? [guardOf(foundation)] : []),
        ...gone.map((each): Guard => ({ key: identityLeaseKey(each.serverID), revision: 'absent' })),
      ],
    }
  }

  /** What this server says of itself. What a voter encodes is not its own choice, and is filled in by whoever decides. */
  #entryOf(codec: Codec): AgreementEntry {
    const { preferredVersion } = codec
    const { expectedServers, form, guarantee, keys, self } = this.#options
    const { preferred, readable } = keys.of(codec.definition)
    const isVoted = form === 'vote' && !codec.definition.isCustom
    return {
      ...self,
      encodingVersion: preferredVersion,
      // What this kind is called in other groups can be read from the store as well, and has to be said to be: nobody
      // may serve what it does not decode (seed 003).
      decodableVersions: [...codec.decodableVersions, ...codec.equivalentVersions].sort(),
      servedVersions: codec.servedVersions.toSorted(),
      guarantee,
      // What is decided when it is stored is decided on what the others say; this is what it says for itself.
      writeKey: preferred ?? readable[0] ?? plainKey,
      readableKeys: readable,
      encoderFingerprint: encoderFingerprint(codec, preferredVersion),
      ...(expectedServers > 0 ? { expectedServers } : {}),
      ...(codec.definition.isCustom ? { isCustom: true } : {}),
      ...(isVoted ? { preferredVersion, encoders: encodersOf(codec) } : {}),
    }
  }
}

/** A release writes whatever it can read, of the resource's own group: what is stored is never of another one. */
function encodersOf(codec: Codec): AgreementEncoder[] {
  return codec.decodableVersions
    .toSorted()
    .map((encodingVersion) => ({ encodingVersion, fingerprint: encoderFingerprint(codec, encodingVersion) }))
}

/** Whether the stored entry allows this codec to write: a definition may have changed since, or a selection moved away. */
function isWritableBy(codec: Codec, own: AgreementEntry): boolean {
  if (own.refusesWrites) return false
  return own.preferredVersion === undefined
    ? own.encodingVersion === codec.preferredVersion
    : codec.decodableVersions.includes(own.encodingVersion)
}
