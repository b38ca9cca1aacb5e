import { type AgreementEntry, type Lease, unrecordedEncoding } from '@strata/api'
import { changed, ended, leavingWrites, maySend, moveLease, type Step, store, withSlot } from './deliver.ts'
import { attempts, type Named, type Prepared, type RecordChanges } from './record-changes.ts'
import { type LeaseState, offSlot, type Slot, type State } from './state.ts'
import {
  keyNames,
  pairOf,
  processName,
  type Release,
  type Rules,
  type Story,
  serverName,
  startsOf,
  versions,
} from './story.ts'

/** Everything that the processes of one story do. */
export class ProcessSteps {
  readonly #story: Story
  readonly #rules: Rules
  readonly #changes: RecordChanges

  constructor(story: Story, rules: Rules, changes: RecordChanges) {
    this.#story = story
    this.#rules = rules
    this.#changes = changes
  }

  /**
   * A process starts in an empty slot, of any release, with any file of keys and any view of the CRD. Nothing shows which
   * ones before it takes its Lease, so that is where they are chosen; except where the taking itself is late.
   */
  *start(state: State, index: number): Iterable<Step> {
    if (state.slots[index]?.phase !== 'off') return
    for (const slot of this.#beginnings(state)) {
      if (this.#story.hasLateRecords) {
        yield { name: this.#startText(index, slot), state: withSlot(state, index, slot) }
        continue
      }
      for (const step of this.#acquire(state, index, slot)) {
        yield { ...step, name: `${this.#startText(index, slot)}: ${step.name}` }
      }
    }
  }

  *#beginnings({ definition }: State): Iterable<Slot> {
    const { isCustom, hasLateRecords } = this.#story
    // The CRD may have been switched, once or twice, since it was read.
    const isStale = isCustom && !hasLateRecords
    const views = [
      { follows: true, definition },
      ...(isStale ? [definition, 1 - definition].map((read) => ({ follows: false, definition: read })) : []),
    ]
    for (const start of startsOf(this.#story)) {
      for (const view of views) yield { ...offSlot, phase: 'acquiring', ...start, ...view }
    }
  }

  #startText(index: number, { release, keys }: Slot): string {
    return `${processName(this.#story, index)} starts, release ${release}, keys ${keys}`
  }

  /** It is killed, or stops. What it has sent may still arrive. */
  *crash(state: State, index: number): Iterable<Step> {
    const slot = state.slots[index] as Slot
    if (slot.phase === 'off') return
    for (const left of leavingWrites(state, index, this.#rules)) {
      yield {
        name: `${processName(this.#story, index)} ends${left.says}`,
        state: this.#ended(left.state, index),
      }
    }
  }

  *live(state: State, index: number): Iterable<Step> {
    const slot = state.slots[index] as Slot
    yield* this.#takeBack(state, index)
    switch (slot.phase) {
      case 'off':
        return
      case 'acquiring':
        yield* this.#acquire(state, index, slot)
        return
      case 'registering':
        yield* this.#register(state, index, slot)
        yield* this.#observe(state, index, slot)
        break
      case 'open':
        yield* this.#register(state, index, slot)
        yield* this.#observe(state, index, slot)
        yield* this.#lookAgain(state, index, slot)
    }
    yield* this.#follow(state, index, slot)
  }

  /** An object is stored by a process that may write. */
  *write(state: State, index: number): Iterable<Step> {
    const slot = state.slots[index] as Slot
    if (!maySend(slot, this.#rules)) return
    const stored = store(this.#story, this.#changes, state, {
      slot: index,
      isBefore: false,
      pair: slot.writes,
    })
    const process = processName(this.#story, index)
    yield { name: `${process} stores an object`, ...stored }
    // A write that is guarded is kept back where its process ends: until then the process may as well write now.
    if (this.#rules.guardsWrites && this.#rules.guardsDefinition) return
    for (const left of leavingWrites(state, index, this.#rules)) {
      if (left.state !== state) yield { name: `${process} sends a write`, state: left.state }
    }
  }

  #ended(state: State, index: number): State {
    return ended(this.#story, this.#changes, state, index)
  }

  #releaseOf(slot: Slot): Release {
    return this.#story.releases[slot.release] ?? { prefers: 0, reads: [] }
  }

  #serverOf(index: number): number {
    return this.#story.slots[index] ?? 0
  }

  #holds({ leases }: State, index: number): boolean {
    const lease = leases[this.#serverOf(index)]
    return lease !== undefined && lease.slot === index && !lease.isBefore
  }

  #sent(state: State, name: string, prepared: Prepared): Step[] {
    if (prepared.outcome !== 'change') return []
    return [{ name, state: changed(state, prepared.change, this.#story, this.#rules) }]
  }

  /** Rule 1: entries of the process before go first, then the Lease is taken, then once more. */
  *#acquire(state: State, index: number, slot: Slot): Iterable<Step> {
    const server = this.#serverOf(index)
    const process = processName(this.#story, index)
    const id = serverName(server)
    if (this.#releaseOf(slot).gates === 'unseen') {
      const next: Slot = { ...slot, phase: 'registering' }
      yield { name: `${process} has no identity`, state: withSlot(state, index, next) }
      return
    }
    const isOld = (each: Named): boolean => each.serverID === id && each.process !== process
    const removal = this.#changes.remove(state, attempts.removeOld + index, isOld, [server])
    if (removal.outcome === 'change') {
      yield* this.#sent(state, `${process} removes what the process before it has left`, removal)
      return
    }
    if (this.#holds(state, index)) {
      const next: Slot = { ...slot, phase: 'registering' }
      yield { name: `${process} has its identity`, state: withSlot(state, index, next) }
      return
    }
    const records = this.#releaseOf(slot).gates === undefined
    const taken: LeaseState = { slot: index, isBefore: false, keys: slot.keys, records }
    if (!this.#story.hasLateRecords) {
      const next: Slot = { ...slot, phase: 'registering' }
      const name = `${process} takes the Lease`
      yield { name, state: withSlot(moveLease(state, server, taken), index, next) }
      return
    }
    const takings = state.takings.map((each, place) => (place === server ? taken : each))
    yield { name: `${process} takes the Lease`, state: { ...state, takings } }
  }

  /** Rule 2. */
  *#register(state: State, index: number, slot: Slot): Iterable<Step> {
    if (!slot.follows && this.#rules.guardsDefinition) return
    const process = processName(this.#story, index)
    const prepared = this.#changes.register(state, index)
    if (prepared.outcome === 'identity not held') {
      for (const left of leavingWrites(state, index, this.#rules)) {
        const name = `${process} finds its identity not held${left.says}`
        yield { name, state: this.#withoutIdentity(left.state, index, slot) }
      }
    } else if (prepared.outcome === 'change')
      yield* this.#sent(state, `${process} publishes its entry`, prepared)
    else yield* this.#observe(state, index, slot)
  }

  /** A Lease that is gone is taken anew; one that another process holds ends this one. */
  #withoutIdentity(state: State, index: number, slot: Slot): State {
    if (state.leases[this.#serverOf(index)] !== undefined) return this.#ended(state, index)
    return withSlot(state, index, { ...slot, phase: 'acquiring', isCurrent: false, writes: 0 })
  }

  /** The record says what it must say before this process may write: it writes under that record. */
  *#observe(state: State, index: number, slot: Slot): Iterable<Step> {
    if (slot.phase === 'open' && slot.isCurrent) return
    const process = processName(this.#story, index)
    const status = this.#changes.statusOf(state)
    const { gates, prefers } = this.#releaseOf(slot)
    const own = status?.servers.find((each) => each.process === process)
    const says =
      gates === 'lease'
        ? status?.encodings.includes(unrecordedEncoding)
        : gates === 'unseen'
          ? status?.unseenProcesses?.includes(process)
          : own !== undefined
    if (!says) return
    const unrecorded = pairOf(versions[prefers] ?? '', keyNames[0])
    const next = own ? this.#under(own, slot) : this.#open(slot, unrecorded)
    yield { name: `${process} may write`, state: withSlot(state, index, next) }
  }

  #under(own: AgreementEntry, slot: Slot): Slot {
    const isWritable =
      own.preferredVersion !== undefined ||
      !this.#story.isCustom ||
      own.encodingVersion === versions[slot.definition]
    if (own.refusesWrites || !isWritable) {
      return { ...slot, phase: 'registering', isCurrent: false, writes: 0 }
    }
    return this.#open(slot, pairOf(own.encodingVersion, own.writeKey))
  }

  #open(slot: Slot, writes: number): Slot {
    return { ...slot, phase: 'open', isCurrent: true, writes }
  }

  /** Rule 3: a write was refused because the record has moved. */
  *#lookAgain(state: State, index: number, slot: Slot): Iterable<Step> {
    if (slot.phase !== 'open' || slot.isCurrent) return
    const server = this.#serverOf(index)
    const process = processName(this.#story, index)
    const held = state.leases[server]
    const holderIdentity = held && processName(this.#story, held.slot, held.isBefore)
    const lease = held && ({ metadata: {}, spec: { holderIdentity } } as Lease)
    const entry = this.#changes.entryOf(state, server)
    const { encodings, unseenProcesses = [] } = this.#changes.statusOf(state) ?? {}
    const encodingVersion = versions[slot.writes >> 1] ?? ''
    const writeKey = entry?.writeKey ?? ''
    const { decideBrokenGap, decideBrokenGuard, decideBrokenUnseen } = this.#rules
    const { gates } = this.#releaseOf(slot)
    const decide =
      gates === 'lease' ? decideBrokenGap : gates === 'unseen' ? decideBrokenUnseen : decideBrokenGuard
    const statement = unseenProcesses.includes(process)
      ? { process, since: '', writeKey, readableKeys: [] }
      : undefined
    const after = decide({ process, encodingVersion }, { entry, lease, encodings, statement })
    const next = ((): Slot | undefined => {
      switch (after.do) {
        case 'retry':
          return this.#open(slot, pairOf(encodingVersion, writeKey))
        case 'encode-again':
          return this.#open(slot, pairOf(after.encodingVersion, writeKey))
        case 'refuse':
          return { ...slot, phase: 'registering', writes: 0 }
        case 'register-again':
          return { ...slot, phase: held || gates === 'unseen' ? 'registering' : 'acquiring', writes: 0 }
        case 'stop':
          return undefined
      }
    })()
    yield {
      name: `${process} looks again: ${after.do}`,
      state: next ? withSlot(state, index, next) : this.#ended(state, index),
    }
  }

  /** Rule 7: a process that stops takes its entry back. That it has ended, and another runs, does not undo the commit. */
  *#takeBack(state: State, index: number): Iterable<Step> {
    const process = processName(this.#story, index, true)
    const isMine = (each: Named): boolean => each.process === process
    const removal = this.#changes.remove(state, attempts.removeOwn + index, isMine, [])
    yield* this.#sent(state, `${process} takes its entry back`, removal)
  }

  /** Rule 4: the process hears of the CRD as it stands, and registers by it. */
  *#follow(state: State, index: number, slot: Slot): Iterable<Step> {
    if (slot.follows) return
    const next: Slot = { ...slot, phase: 'registering', isCurrent: false, follows: true, writes: 0 }
    yield {
      name: `${processName(this.#story, index)} follows the CRD`,
      state: withSlot(state, index, { ...next, definition: state.definition }),
    }
  }
}
