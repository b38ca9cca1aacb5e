import type { AgreementStatus } from '@strata/api'
import { MadeOnce } from './made-once.ts'
import { packHolding, packSlot } from './packing.ts'
import type { RecordChanges } from './record-changes.ts'
import type { LeaseState, RecordChange, Slot, State } from './state.ts'
import { processName, type Story, serverName } from './story.ts'

/**
 * Servers are alike, and so are the processes of one server: a state and the same state with two of them exchanged lead to
 * the same broken promises, so one of them is enough. They are put into the order of what they are doing.
 */
export class Symmetry {
  readonly #story: Story
  /** Each server has one process. Otherwise only processes of one server are exchanged. */
  readonly #areServersAlike: boolean
  readonly #changes: RecordChanges
  /** What a record says of the processes of each slot, without their names; as numbers, for there are few. */
  readonly #signatures = new MadeOnce((record) => this.#signed(this.#changes.table.statusOf(record)))
  readonly #signatureNumbers = new Map<string, number>()

  constructor(story: Story, changes: RecordChanges) {
    this.#story = story
    this.#areServersAlike = story.slots.every((server, slot) => server === slot)
    this.#changes = changes
  }

  canonical(state: State): State {
    const { slots } = this.#story
    const keys = slots.map((_, slot) => this.#keyOf(state, slot))
    const order = [...slots.keys()]
    const mayChange = (a: number, b: number): boolean => this.#areServersAlike || slots[a] === slots[b]
    // At most three: the simplest way to sort is the fastest one.
    for (let round = 1; round < order.length; round++) {
      for (let place = 1; place < order.length; place++) {
        const [a = 0, b = 0] = [order[place - 1], order[place]]
        if (!mayChange(a, b) || (keys[a] as number) <= (keys[b] as number)) continue
        order[place - 1] = b
        order[place] = a
      }
    }
    return order.every((from, to) => from === to) ? state : this.#permuted(state, order)
  }

  /** All that the state says of the process of a slot, and of those before it, as a number. */
  #keyOf(state: State, slot: number): number {
    const { leases, takings, late, change } = state
    const server = this.#story.slots[slot] ?? 0
    const held = (lease: LeaseState | undefined): number => (lease?.slot === slot ? packHolding(lease) : 0)
    const writes = late?.slot === slot ? 1 + late.pair * 2 + (late.isBefore ? 1 : 0) : 0
    const signatures = this.#signatures.at(state.record)[slot] ?? 0
    const local = packSlot(state.slots[slot] as Slot) * 32 + held(leases[server])
    const sent = held(takings[server]) * 16 + writes
    const later = change ? (this.#signatures.at(change.next)[slot] ?? 0) : 0
    const guarded = change && this.#areServersAlike ? (change.leaseGuards >> server) & 1 : 0
    return (((local * 512 + sent) * 1024 + signatures) * 1024 + later) * 2 + guarded
  }

  #permuted(state: State, order: readonly number[]): State {
    const placeOf = (slot: number): number => order.indexOf(slot)
    const moved = <T extends { readonly slot: number }>(each: T | undefined): T | undefined =>
      each && { ...each, slot: placeOf(each.slot) }
    const leases = state.leases.map(moved)
    const takings = state.takings.map(moved)
    const byServer = <T>(list: readonly T[]): readonly T[] =>
      this.#areServersAlike ? order.map((from) => list[from] as T) : list
    return {
      ...state,
      record: this.#renamed(state.record, order),
      change: state.change && this.#changePermuted(state.change, order),
      leases: byServer(leases),
      takings: byServer(takings),
      late: moved(state.late),
      slots: order.map((from) => state.slots[from] as Slot),
    }
  }

  #changePermuted(change: RecordChange, order: readonly number[]): RecordChange {
    const bits = order.reduce((sum, from, to) => sum | (((change.leaseGuards >> from) & 1) << to), 0)
    const leaseGuards = this.#areServersAlike ? bits : change.leaseGuards
    return { ...change, next: this.#renamed(change.next, order), leaseGuards }
  }

  #renamed(record: number, order: readonly number[]): number {
    return this.#changes.table.renamed(record, order.join(''), (name) => {
      for (const [to, from] of order.entries()) {
        for (const isBefore of [false, true]) {
          if (name === processName(this.#story, from, isBefore)) return processName(this.#story, to, isBefore)
        }
        if (this.#areServersAlike && name === serverName(from)) return serverName(to)
      }
      return name
    })
  }

  #signed(status: AgreementStatus | undefined): readonly number[] {
    return this.#story.slots.map((_, slot) => {
      const names = [processName(this.#story, slot), processName(this.#story, slot, true)]
      const entry = status?.servers.find(({ process }) => names.includes(process))
      const said = entry && { ...entry, serverID: '', process: names.indexOf(entry.process) }
      const text = JSON.stringify([said, names.map((name) => status?.unseenProcesses?.includes(name))])
      const known = this.#signatureNumbers.get(text)
      if (known !== undefined) return known
      const number = this.#signatureNumbers.size
      if (number >= 1024) throw new Error('more signatures than a key has room for')
      this.#signatureNumbers.set(text, number)
      return number
    })
  }
}
