import { MadeOnce } from './made-once.ts'
import {
  type LateWrite,
  type LeaseState,
  offSlot,
  phases,
  type RecordChange,
  type Slot,
  type State,
} from './state.ts'

/** Words of 32 bits that one state takes. Equal states have equal words, and no other has them. */
export const wordsPerState = 5

/** Bits of the number of a record. */
const recordBits = 19
const slotBits = 11
const leaseBits = 7

/** More records would not be told apart. */
export const mostRecords = 2 ** recordBits - 1

const bit = (holds: boolean): number => (holds ? 1 : 0)

export const packSlot = (slot: Slot): number =>
  phases.indexOf(slot.phase) |
  (slot.release << 2) |
  (slot.keys << 4) |
  (slot.writes << 6) |
  (slot.definition << 8) |
  (bit(slot.isCurrent) << 9) |
  (bit(slot.follows) << 10)

/** Without the slot, for where that is told by the place. */
export const packHolding = (lease: LeaseState): number =>
  1 | (bit(lease.isBefore) << 1) | (bit(lease.records) << 2) | (lease.keys << 3)

const packLease = (lease: LeaseState | undefined): number =>
  lease ? packHolding(lease) | (lease.slot << 5) : 0

export function packLeases({ leases }: Pick<State, 'leases'>): number {
  let packed = 0
  for (const lease of leases) packed = (packed << leaseBits) | packLease(lease)
  return packed
}

const packLate = (late: LateWrite | undefined): number =>
  late ? 1 | (bit(late.isBefore) << 1) | (late.pair << 2) | (late.slot << 4) : 0

const packChange = (change: RecordChange | undefined): number =>
  change
    ? 1 |
      (bit(change.guardsDefinition) << 1) |
      (bit(change.raises) << 2) |
      (change.leaseGuards << 3) |
      (change.next << 6)
    : 0

/** At most three slots and three servers; no more than two servers where a Lease is taken late. */
export function packState(state: State, words: Uint32Array): void {
  const { slots, leases, takings } = state
  const [a, b, c] = slots
  const seen = (state.stored + 1) | ((state.proven + 1) << 3) | (state.definition << 6)
  words[0] = state.record | (packLate(state.late) << recordBits) | (seen << 25)
  words[1] = (a ? packSlot(a) : 0) | ((b ? packSlot(b) : 0) << slotBits)
  words[2] = (c ? packSlot(c) : 0) | (packLease(leases[0]) << slotBits) | (packLease(leases[1]) << 18)
  words[3] = packChange(state.change)
  words[4] = packLease(leases[2]) | (packLease(takings[0]) << leaseBits) | (packLease(takings[1]) << 14)
}

/** The state that was packed. Slots and Leases are shared, for there are few different ones. */
export class Unpacker {
  readonly #slotCount: number
  readonly #serverCount: number
  readonly #slots = new MadeOnce(unpackSlot)
  readonly #leases = new MadeOnce(unpackLease)

  constructor(slotCount: number, serverCount: number) {
    this.#slotCount = slotCount
    this.#serverCount = serverCount
  }

  unpack(words: Uint32Array): State {
    const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = words
    const seen = first >>> 25
    const slots = [second & 2047, (second >>> slotBits) & 2047, third & 2047]
    const leases = [(third >>> slotBits) & 127, (third >>> 18) & 127, fifth & 127]
    const takings = [(fifth >>> leaseBits) & 127, (fifth >>> 14) & 127, 0]
    return {
      record: first & mostRecords,
      late: unpackLate((first >>> recordBits) & 63),
      stored: (seen & 7) - 1,
      proven: ((seen >>> 3) & 7) - 1,
      definition: seen >>> 6,
      change: unpackChange(fourth),
      slots: slots.slice(0, this.#slotCount).map((code) => this.#slots.at(code)),
      leases: leases.slice(0, this.#serverCount).map((code) => this.#lease(code)),
      takings: takings.slice(0, this.#serverCount).map((code) => this.#lease(code)),
    }
  }

  #lease(code: number): LeaseState | undefined {
    return code === 0 ? undefined : this.#leases.at(code)
  }
}

const unpackSlot = (code: number): Slot => ({
  phase: phases[code & 3] ?? offSlot.phase,
  release: (code >> 2) & 3,
  keys: (code >> 4) & 3,
  writes: (code >> 6) & 3,
  definition: (code >> 8) & 1,
  isCurrent: ((code >> 9) & 1) === 1,
  follows: ((code >> 10) & 1) === 1,
})

const unpackLease = (code: number): LeaseState => ({
  slot: code >> 5,
  isBefore: (code & 2) !== 0,
  keys: (code >> 3) & 3,
  records: (code & 4) !== 0,
})

const unpackLate = (code: number): LateWrite | undefined =>
  code === 0 ? undefined : { slot: code >> 4, isBefore: (code & 2) !== 0, pair: (code >> 2) & 3 }

const unpackChange = (code: number): RecordChange | undefined =>
  code === 0
    ? undefined
    : {
        next: code >>> 6,
        leaseGuards: (code >> 3) & 7,
        guardsDefinition: (code & 2) !== 0,
        raises: (code & 4) !== 0,
      }
