import {
  type AgreementEntry,
  type AgreementStatus,
  commonWriteKey,
  isFenced,
  type StorageAgreement,
} from '@strata/api'
import {
  type AgreementChange,
  type AgreementView,
  agreementFacts,
  type HeldLease,
  IdentityNotHeld,
  statedKeysForHolder,
  withoutServers,
} from '@strata/server/coordination'
import { MadeOnce } from './made-once.ts'
import { packLeases } from './packing.ts'
import { RecordTable } from './record-table.ts'
import type { LeaseState, RecordChange, Slot, State } from './state.ts'
import { keyNames, pairOf, processName, type Rules, type Story, serverName, versions } from './story.ts'

/** An entry, or the name of a process without an identity. */
export type Named = Pick<AgreementEntry, 'serverID' | 'process'>

/** What becomes of an attempt to change the record. */
export type Prepared =
  | { readonly outcome: 'change'; readonly change: RecordChange }
  | { readonly outcome: 'stands' }
  | { readonly outcome: 'identity not held' }

const stands: Prepared = { outcome: 'stands' }
const identityNotHeld: Prepared = { outcome: 'identity not held' }
const mostRemembered = 6_000_000

/** Attempts to change the record, as numbers below 256; a slot, a server or a name is added. */
export const attempts = {
  register: 0,
  settle: 128,
  removeOld: 129,
  removeOwn: 133,
  removeGone: 137,
  forget: 141,
}

const resource = { group: 'example.dev', resource: 'things' }
const leaseKeyPattern = /server-([abc])$/

/** Changes of the record, decided by the server's own functions on what the state shows. Remembered, for most recur. */
export class RecordChanges {
  readonly table: RecordTable = new RecordTable()
  readonly #story: Story
  readonly #rules: Rules
  readonly #remembered = new Map<number, Prepared>()
  readonly #agreed = new MadeOnce((record) => this.#agreedPair(this.table.statusOf(record)))

  constructor(story: Story, rules: Rules) {
    this.#story = story
    this.#rules = rules
  }

  statusOf({ record }: Pick<State, 'record'>): AgreementStatus | undefined {
    return this.table.statusOf(record)
  }

  /** The process of the slot publishes its entry. */
  register(state: State, slot: number): Prepared {
    const own = state.slots[slot] as Slot
    const choice = slot | (own.release << 2) | (own.keys << 4) | (own.definition << 6)
    return this.#prepare(state, attempts.register + choice, this.#story.isCustom, (view) =>
      this.#wanted(view, slot, own),
    )
  }

  /** Removes the entries of processes that the predicate matches, and their names unless `keepsNames`, under these Leases. */
  remove(
    state: State,
    attempt: number,
    isGone: (each: Named) => boolean,
    guarded: readonly number[],
    keepsNames = false,
  ): Prepared {
    return this.#prepare(state, attempt, false, ({ entries, stored }) => {
      const named = stored?.record.status.unseenProcesses ?? []
      const unseen = keepsNames
        ? named
        : named.filter((process) => !isGone({ serverID: process.split('_')[0] ?? '', process }))
      if (unseen.length === named.length && !entries.some(isGone)) return undefined
      const guards = guarded.map((server) => ({ key: serverName(server), revision: 1 }))
      return { entries: withoutServers(entries, isGone), unseen, guards }
    })
  }

  /** A census has read everything in this epoch, and it was all in the agreed version, under the common key. */
  settle(state: State): Prepared {
    return this.#prepare(state, attempts.settle, false, ({ entries, stored }) => {
      const status = stored?.record.status
      const { agreedVersion: encodingVersion, epoch = 0 } = status ?? {}
      const writeKey = status && commonWriteKey(status.servers)
      if (encodingVersion === undefined || writeKey === undefined) return undefined
      return { entries, guards: [], proof: { epoch, encodingVersion, writeKey } }
    })
  }

  /** The pair that all write, if the record says so, and that every write is guarded; -1 otherwise. */
  agreedPair({ record }: Pick<State, 'record'>): number {
    return this.#agreed.at(record)
  }

  #agreedPair(status: AgreementStatus | undefined): number {
    const key = status && commonWriteKey(status.servers)
    if (status?.agreedVersion === undefined || key === undefined || !isFenced(status)) return -1
    return pairOf(status.agreedVersion, key)
  }

  entryOf(state: Pick<State, 'record'>, server: number): AgreementEntry | undefined {
    const name = serverName(server)
    return this.statusOf(state)?.servers.find(({ serverID }) => serverID === name)
  }

  #prepare(
    state: State,
    attempt: number,
    guardsDefinition: boolean,
    decide: (view: AgreementView) => AgreementChange | undefined,
  ): Prepared {
    const key = (state.record * 2 ** 21 + packLeases(state)) * 2 ** 8 + attempt
    const known = this.#remembered.get(key)
    if (known) return known
    const prepared = this.#decide(state, guardsDefinition, decide)
    // A decision can be made again at any time; memory cannot.
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear()
    this.#remembered.set(key, prepared)
    return prepared
  }

  #decide(
    state: State,
    guardsDefinition: boolean,
    decide: (view: AgreementView) => AgreementChange | undefined,
  ): Prepared {
    const view = this.#view(state)
    let wanted: AgreementChange | undefined
    try {
      wanted = decide(view)
    } catch (error) {
      if (error instanceof IdentityNotHeld) return identityNotHeld
      throw error
    }
    if (!wanted) return stands
    const status = this.#rules.decideAgreement(agreementFacts(view, wanted, { now: '' }))
    const next = this.table.numberOf(status)
    const before = this.statusOf(state)
    if (before && status.epoch < before.epoch) throw new Error('an epoch went back')
    const raises = status.epoch !== (before?.epoch ?? 0)
    if (next === state.record && !raises) return stands
    const leaseGuards = wanted.guards.reduce((bits, { key }) => bits | bitOfLease(key), 0)
    return { outcome: 'change', change: { next, leaseGuards, guardsDefinition, raises } }
  }

  #wanted(view: AgreementView, slot: number, own: Slot): AgreementChange | undefined {
    const server = serverName(this.#story.slots[slot] ?? 0)
    const process = processName(this.#story, slot)
    switch (this.#story.releases[own.release]?.gates) {
      case undefined:
        return this.#registration(view, slot, own)
      case 'lease': {
        if (view.leases.get(server)?.holder !== process) throw new IdentityNotHeld('not held')
        return { entries: view.entries, guards: [{ key: server, revision: 1 }] }
      }
      case 'unseen': {
        const named = view.stored?.record.status.unseenProcesses ?? []
        if (named.includes(process)) return undefined
        return { entries: view.entries, guards: [], unseen: [...named, process] }
      }
    }
  }

  #registration(view: AgreementView, slot: number, own: Slot): AgreementChange {
    const { decideWriteKey, isFleetComplete, unregisteredServers, wantedChange } = this.#rules
    const entry = this.#ownEntry(slot, own)
    const definition = { ...resource, isCustom: this.#story.isCustom }
    const { serverID, process } = entry
    const unregistered = unregisteredServers(view, { serverID, process }, definition)
    const { reliesOnLeases, ...decision } = decideWriteKey({
      keys: this.#keysOf(own.keys),
      ...{ process, unregistered, elsewhere: undefined },
      previous: view.stored?.record.status,
      entries: statedKeysForHolder(
        view.stored?.record,
        view.entries.filter((each) => view.leases.has(each.serverID)),
        { serverID, process },
      ),
      isFleetComplete: isFleetComplete(view, serverID, 0),
    })
    const refusal = decision.keyProblem === undefined ? {} : { refusesWrites: true }
    const wanted = wantedChange(view, { ...entry, ...decision, ...refusal }, undefined)
    const others = reliesOnLeases ? unregistered.flatMap(({ guard }) => guard ?? []) : []
    return { ...wanted, guards: [...wanted.guards, ...others] }
  }

  #ownEntry(slot: number, own: Slot): AgreementEntry {
    const { releases, form, isCustom, slots } = this.#story
    const { prefers, reads } = releases[own.release] ?? { prefers: 0, reads: [] }
    const preferred = versions[isCustom ? own.definition : prefers] ?? ''
    const decodable = reads.map((each) => versions[each] ?? '')
    const { readable, preferred: writeKey = '' } = this.#keysOf(own.keys)
    return {
      serverID: serverName(slots[slot] ?? 0),
      process: processName(this.#story, slot),
      encodingVersion: preferred,
      decodableVersions: decodable,
      servedVersions: decodable,
      guarantee: 'strict',
      ...{ writeKey, readableKeys: readable },
      encoderFingerprint: preferred,
      ...(isCustom ? { isCustom } : {}),
      ...(form === 'vote'
        ? {
            preferredVersion: preferred,
            encoders: decodable.map((each) => ({ encodingVersion: each, fingerprint: each })),
          }
        : {}),
    }
  }

  #keysOf(file: number) {
    const readable = (this.#story.keyFiles[file] ?? []).map((each) => keyNames[each] ?? '')
    return { preferred: readable[0], writable: readable, readable, retired: [] }
  }

  #view(state: State): AgreementView {
    const status = this.statusOf(state)
    const record = { metadata: { name: 'example.dev.things' }, spec: resource, status } as StorageAgreement
    const leases = new Map<string, HeldLease>()
    for (const [server, lease] of state.leases.entries()) {
      if (lease) leases.set(serverName(server), this.#heldLease(lease))
    }
    return { stored: status && { record, revision: 1 }, entries: status?.servers ?? [], leases }
  }

  #heldLease({ slot, isBefore, keys, records }: LeaseState): HeldLease {
    const { readable, preferred } = this.#keysOf(keys)
    return {
      ...{ revision: 1, holder: processName(this.#story, slot, isBefore), isIdentity: true, records },
      keyRules: [{ resources: ['*.*'], reads: readable, ...(preferred ? { writes: preferred } : {}) }],
    }
  }
}

/** A guard of a Lease, by the server's place. */
function bitOfLease(key: string): number {
  const letter = leaseKeyPattern.exec(key)?.[1]
  return letter === undefined ? 0 : 1 << 'abc'.indexOf(letter)
}
