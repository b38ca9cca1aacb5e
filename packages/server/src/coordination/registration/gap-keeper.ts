import {
  type AgreementStatus,
  type GroupResource,
  groupResourceText,
  type StorageAgreement,
  type UnseenServer,
  unrecordedEncoding,
  unseenServersOf,
} from '@strata/api'
import { deadline, severalAtOnce, timestamp, type World } from '@strata/world'
import { type Codec, equalJson } from '../../codec/index.ts'
import type { Revision } from '../../store/index.ts'
import type { DefinitionGuard } from '../fence/definition-guard.ts'
import type { Fence } from '../fence/fence.ts'
import { identityLeaseKey } from '../frozen-kinds.ts'
import { guardedRunsOf, withUnseen } from '../identity/unseen-names.ts'
import type { WriteKeyDecision } from '../keys/decide-write-key.ts'
import type { ServerKeys } from '../keys/server-keys.ts'
import {
  endedEntries,
  type StatedKeys,
  statedKeysForHolder,
  statedKeysForUnseen,
} from '../keys/stated-keys.ts'
import { type UnregisteredServer, unregisteredServers } from '../keys/unregistered-servers.ts'
import type { ProtocolRules } from '../protocol-rules.ts'
import type { AgreementChange, AgreementRecords, AgreementView } from '../record/agreement-records.ts'
import { historyOf } from '../record/history-prefix.ts'
import { nonceOf } from '../record/record-nonce.ts'
import { Completion } from './completion.ts'
import { atOnce, MarkedLoop } from './marked-loop.ts'
import { retryOvertaken } from './retry-overtaken.ts'
import { IdentityNotHeld } from './wanted-change.ts'

export interface GapKeeperOptions {
  readonly world: World
  readonly records: AgreementRecords
  readonly fence: Fence
  readonly self: { readonly serverID: string; readonly process: string }
  readonly codecs: readonly Codec[]
  readonly keys: ServerKeys
  readonly rules: Pick<ProtocolRules, 'decideWriteKey'>
  /** False with the gate APIServerIdentity off: then no Lease shows this server, and it adds its process to each record. */
  readonly hasIdentity: boolean
  /** Called when this process does not hold its identity: tries to renew the Lease or to take it again. Never rejects. */
  readonly onIdentityNotHeld: (signal: AbortSignal) => Promise<void>
}

/**
 * Replaces the registrar if the gate StorageVersionAPI is off (agreement.md, rule 18). It has no entries. It keeps the mark
 * `unrecorded` in the record of every resource that this server may write, from before its first write. Otherwise: the
 * feature is switched off, v1 is written, the feature is switched on again, and the unrecorded history is believed clean.
 */
export class GapKeeper {
  readonly #options: GapKeeperOptions
  readonly #codecs: Map<string, Codec>
  readonly #required: readonly Codec[]
  readonly #marked: MarkedLoop
  /** Without a Lease: the records that may name this process. Also of CRDs that are gone. */
  readonly #namedIn = new Map<string, GroupResource>()
  /** Servers without an entry in each record, as last read: their Leases state the keys that they read. */
  readonly #unregistered = new Map<string, readonly UnregisteredServer[]>()
  /** Entries of ended processes in each record, as last read. */
  readonly #ended = new Map<string, ReturnType<typeof endedEntries>>()
  /** Without a Lease: resources whose key was chosen beside an earlier run of this server. */
  readonly #besideRun = new Set<string>()
  /** Without a Lease: what it has stated last in each record. It writes under that key alone. */
  readonly #stated = new Map<string, UnseenServer>()
  /** A resource counts as registered when its record has the mark. */
  readonly completion = new Completion()

  constructor(options: GapKeeperOptions) {
    this.#options = options
    this.#marked = new MarkedLoop(options.world)
    this.#required = options.codecs
    this.#codecs = new Map(options.codecs.map((codec) => [groupResourceText(codec.definition), codec]))
  }

  /** Built-in resources whose record does not have the mark yet. */
  get pending(): readonly string[] {
    return this.#required
      .filter(({ definition }) => {
        const state = this.#options.fence.stateOf(definition)
        return state.kind === 'pending' && !state.refuses
      })
      .map(({ definition }) => groupResourceText(definition))
  }

  /** Built-in resources that this server does not write because of keys (rule 17). No selection binds it. */
  get refusing(): readonly string[] {
    return this.#options.fence.refusalsOf(this.#required)
  }

  define(definitionGuard: DefinitionGuard): void {
    const { fence } = this.#options
    const { definition } = definitionGuard.codec
    const name = groupResourceText(definition)
    if (this.#codecs.has(name)) fence.refreshDefinition(definition, definitionGuard)
    else fence.add(definition, undefined, definitionGuard)
    this.#codecs.set(name, definitionGuard.codec)
    fence.shut(definition)
    this.mark(definition)
  }

  refreshDefinition(definitionGuard: DefinitionGuard): void {
    this.#options.fence.refreshDefinition(definitionGuard.codec.definition, definitionGuard)
  }

  undefine(resource: GroupResource): void {
    const name = groupResourceText(resource)
    this.#codecs.delete(name)
    this.#unregistered.delete(name)
    this.#ended.delete(name)
    this.#stated.delete(name)
    this.#options.fence.remove(resource)
  }

  /** The store was replaced (rule 19). Nothing to forget: what is kept here is read again each time. */
  forget(): void {}

  mark(resource: GroupResource): void {
    this.#marked.mark(groupResourceText(resource))
  }

  markAll(): void {
    this.#marked.mark(...this.#codecs.keys())
  }

  /** Nothing to mark: a resource without a common key is retried anyway. */
  markWaiting(): void {}

  /** Nothing to mark: only servers that record remove the marks of loose processes. */
  markSettled(): void {}

  /** The watch delivered a record. If it has the mark, it spares the next write a broken guard; else the mark is restored. */
  observeRecord(name: string, status: AgreementStatus, revision: Revision, nonce: string | undefined): void {
    const { fence, hasIdentity, self } = this.#options
    const codec = this.#codecs.get(name)
    if (!codec || fence.closed) return
    const says = hasIdentity ? status.encodings.includes(unrecordedEncoding) : isNamed(status, self.process)
    const state = fence.stateOf(codec.definition)
    if (!says) this.mark(codec.definition)
    else if (state.kind !== 'open') return
    else if (hasIdentity) this.#keepOpen(codec, status, revision, nonce)
    else this.#keepOpenUnseen(codec, revision, nonce)
  }

  /** Keeps writing under the stated key. Another key is decided on what is stored. */
  #keepOpenUnseen(codec: Codec, revision: Revision, nonce: string | undefined): void {
    const { fence, keys } = this.#options
    const { definition } = codec
    const stated = this.#stated.get(groupResourceText(definition))
    if (!stated || stated.keyProblem !== undefined) return this.mark(definition)
    const { preferredVersion: encodingVersion } = codec
    fence.open(definition, { encodingVersion, writeKey: stated.writeKey }, revision, nonce)
    const { preferred, readable } = keys.of(definition)
    if (preferred !== stated.writeKey || !equalJson(readable, stated.readableKeys)) this.mark(definition)
  }

  /** Keeps writing under the newer record, if there is a key for it: another server may write under a key that is not here. */
  #keepOpen(codec: Codec, status: AgreementStatus, revision: Revision, nonce: string | undefined): void {
    const { fence } = this.#options
    // The status names processes without an identity, but not their keys: those are read from the store.
    if (status.unseenProcesses?.length) return this.mark(codec.definition)
    const { definition, preferredVersion: encodingVersion } = codec
    const { writeKey, keyProblem } = this.#keyOf(codec, status, status.servers)
    if (keyProblem === undefined)
      return fence.open(definition, { encodingVersion, writeKey }, revision, nonce)
    fence.refuse(definition, codec, { selectedVersion: encodingVersion, keyProblem, revision })
    this.mark(definition)
  }

  /** Runs until the signal is aborted. Failures are retried. */
  run(signal: AbortSignal): Promise<void> {
    return this.#marked.run((name) => this.#markRecord(name, signal), signal)
  }

  /**
   * Removes the marks when this server leaves. The mark of a server with a Lease ends with the Lease. A server without one has
   * to remove its name: nothing is agreed on before.
   */
  async removeAll(signal: AbortSignal): Promise<void> {
    const { hasIdentity, records, self } = this.#options
    if (hasIdentity) return
    const leaves = ({ stored, entries }: AgreementView): AgreementChange | undefined => {
      const named = stored?.record.status.unseenProcesses ?? []
      if (!named.includes(self.process)) return undefined
      return { entries, guards: [], unseen: named.filter((each) => each !== self.process) }
    }
    await severalAtOnce(atOnce, this.#namedIn.values(), async (resource) => {
      await records.change(resource, leaves, signal)
    })
  }

  /** Puts the mark into the record, then opens the gate. False if it has to be retried. */
  async #markRecord(name: string, signal: AbortSignal): Promise<boolean> {
    const { world, records, fence, onIdentityNotHeld } = this.#options
    const codec = this.#codecs.get(name)
    // `rejoin` marks every resource.
    if (!codec || fence.isSuspended) return true
    const { definition } = codec
    const limit = deadline(world.clock, 10_000, signal)
    try {
      // Before the commit: if its outcome is unknown, the record may name this process.
      this.#namedIn.set(name, definition)
      const outcome = await retryOvertaken(
        world,
        () => records.change(definition, (view) => this.#wanted(view, codec), limit.signal),
        limit.signal,
      )
      if (this.#codecs.get(name) !== codec) return true
      if (outcome.outcome === 'overtaken' || !outcome.stored)
        throw new Error('the identity Lease has changed')
      const { record, revision } = outcome.stored
      const { hasIdentity, self, keys } = this.#options
      const stated = unseenServersOf(record).find(({ process }) => process === self.process)
      if (!hasIdentity && !stated)
        throw new Error('the statement was stored, but the record does not have it')
      if (stated) this.#stated.set(name, stated)
      if (guardedRunsOf(record, self.serverID).length <= 1) this.#besideRun.delete(name)
      const statedKeys = statedKeysForHolder(record, record.status.servers, self)
      const { writeKey, keyProblem } = stated ?? this.#keyOf(codec, record.status, statedKeys)
      const { preferredVersion: encodingVersion } = codec
      if (keyProblem === undefined) {
        fence.open(definition, { encodingVersion, writeKey }, revision, nonceOf(record))
      } else {
        // Also if the gate was open: this server has a key problem, and the others rely on it to write nothing.
        fence.refuse(definition, codec, { selectedVersion: encodingVersion, keyProblem, revision })
      }
      if (stated) keys.published(definition, stated.readableKeys)
      this.completion.observe(this)
      return keyProblem === undefined
    } catch (error) {
      if (signal.aborted || this.#codecs.get(name) !== codec) return true
      const text = error instanceof Error ? error.message : String(error)
      const state = fence.stateOf(definition)
      if (state.kind === 'pending' && !state.refuses) fence.shut(definition, text)
      world.log.warn('could not mark the record as written without recording; retrying', {
        resource: name,
        error: text,
      })
      if (error instanceof IdentityNotHeld) await onIdentityNotHeld(signal)
      return false
    } finally {
      limit.dispose()
    }
  }

  /**
   * A server with a Lease states no write key in the record. So it takes a key that all known servers read (rule 17), also
   * those without an identity. Otherwise: A, both gates off, reads key one alone; B, StorageVersionAPI off, prefers key two
   * and writes under it; A answers 500 for what B has written.
   */
  #keyOf(
    { definition }: Codec,
    previous: AgreementStatus | undefined,
    entries: readonly StatedKeys[],
  ): WriteKeyDecision {
    const { keys, self, rules } = this.#options
    const own = keys.of(definition)
    const ended = new Set(this.#ended.get(groupResourceText(definition))?.map(({ process }) => process))
    return rules.decideWriteKey({
      ...{ keys: own, process: self.process, previous, isFleetComplete: false },
      entries: entries.filter(({ process }) => !ended.has(process)),
      // A server that states nothing does not block this one: if no server records there may be several, and none would start.
      elsewhere: own.preferred,
      unregistered: this.#unregistered.get(groupResourceText(definition)) ?? [],
    })
  }

  /**
   * The change that marks a record. It adds no entry: the Lease of this server causes the mark. Without a Lease, the name of
   * its process does; the name guards its writes, and its statement beside it names its keys.
   */
  #wanted(view: AgreementView, codec: Codec): AgreementChange | undefined {
    const { entries, leases } = view
    const { hasIdentity, self, fence } = this.#options
    if (fence.isSuspended) throw new Error('the store was replaced while the mark was being stored')
    const { definition } = codec
    const name = groupResourceText(definition)
    this.#unregistered.set(name, unregisteredServers(view, self, definition))
    this.#ended.set(name, endedEntries(view))
    if (!hasIdentity) return this.#wantedUnseen(view, codec)
    const mine = leases.get(self.serverID)
    if (mine?.holder !== self.process) throw new IdentityNotHeld('the identity Lease is not held')
    const guards = [{ key: identityLeaseKey(self.serverID), revision: mine.revision }]
    return { entries, guards, ...historyOf(codec) }
  }

  #wantedUnseen(view: AgreementView, codec: Codec): AgreementChange | undefined {
    const { stored, entries } = view
    const { self, world } = this.#options
    const name = groupResourceText(codec.definition)
    const record = stored?.record
    const before = record && unseenServersOf(record).find(({ process }) => process === self.process)
    const decided = this.#keyForUnseen(codec, record, statedKeysForUnseen(record, entries))
    const { writeKey, readableKeys, keyProblem } = decided
    const states: UnseenServer = {
      ...{ process: self.process, since: before?.since ?? timestamp(world.clock), writeKey, readableKeys },
      ...(keyProblem === undefined ? {} : { keyProblem }),
    }
    if (before && equalJson(before, states)) return undefined
    const unregistered = decided.reliesOnLeases ? (this.#unregistered.get(name) ?? []) : []
    return {
      ...{ entries, unseen: withUnseen(record, self.process), states, ...historyOf(codec) },
      guards: [...unregistered, ...(this.#ended.get(name) ?? [])].flatMap(({ guard }) => guard ?? []),
    }
  }

  /**
   * A key that was chosen beside an earlier run of this server is chosen again when that run has gone. Otherwise: B is killed,
   * and starts again with a new key in the first place; it keeps the old key because of a process that has ended.
   */
  #keyForUnseen(
    codec: Codec,
    record: StorageAgreement | undefined,
    statedKeys: readonly StatedKeys[],
  ): WriteKeyDecision {
    const { self } = this.#options
    const name = groupResourceText(codec.definition)
    const others = statedKeys.filter(({ process }) => process !== self.process)
    const isBesideRun =
      record !== undefined && guardedRunsOf(record, self.serverID).some((each) => each !== self.process)
    const decided = this.#keyOf(codec, record?.status, statedKeys)
    if (isBesideRun && others.length === statedKeys.length) this.#besideRun.add(name)
    if (isBesideRun || !this.#besideRun.has(name)) return decided
    const again = this.#keyOf(codec, record?.status, others)
    return again.keyProblem === undefined ? again : decided
  }
}

function isNamed({ unseenProcesses = [] }: AgreementStatus, process: string): boolean {
  return unseenProcesses.includes(process)
}
