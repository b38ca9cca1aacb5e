import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostRecords, packState, Unpacker, wordsPerState } from './packing.ts'
import { offSlot, phases, type Slot, type State } from './state.ts'

const nothing: State = {
  ...{ record: 0, change: undefined, stored: -1, late: undefined, definition: 0, proven: -1 },
  leases: [undefined, undefined, undefined],
  takings: [undefined, undefined, undefined],
  slots: [offSlot, offSlot, offSlot],
}

const change = { next: 1, leaseGuards: 0, guardsDefinition: false, raises: false }
const lease = { slot: 0, isBefore: false, keys: 0, records: false }
const late = { slot: 0, isBefore: false, pair: 0 }

/** In each case one thing is as large as it gets, or everything is. */
const cases: readonly State[] = [
  nothing,
  { ...nothing, record: mostRecords },
  { ...nothing, change },
  { ...nothing, change: { next: mostRecords, leaseGuards: 7, guardsDefinition: true, raises: true } },
  { ...nothing, stored: 3 },
  { ...nothing, proven: 3 },
  { ...nothing, definition: 1 },
  { ...nothing, late },
  { ...nothing, late: { slot: 2, isBefore: true, pair: 3 } },
  ...[0, 1, 2].flatMap((server) => [
    { ...nothing, leases: nothing.leases.with(server, lease) },
    { ...nothing, leases: nothing.leases.with(server, { slot: 2, isBefore: true, keys: 3, records: true }) },
  ]),
  ...[0, 1].map((server) => ({ ...nothing, takings: nothing.takings.with(server, lease) })),
  ...[0, 1, 2].flatMap((index) =>
    slotCases().map((slot) => ({ ...nothing, slots: nothing.slots.with(index, slot) })),
  ),
  {
    ...{
      record: mostRecords,
      change: { ...change, next: mostRecords, leaseGuards: 7 },
      stored: 3,
      proven: 3,
    },
    ...{ late: { slot: 2, isBefore: true, pair: 3 }, definition: 1 },
    leases: [0, 1, 2].map((slot) => ({ slot, isBefore: true, keys: 3, records: true })),
    takings: [{ slot: 1, isBefore: true, keys: 3, records: true }, lease, undefined],
    slots: [0, 1, 2].map(() => ({
      ...offSlot,
      ...{ phase: 'open', release: 3, keys: 3, writes: 3, isCurrent: true, definition: 1 },
    })),
  },
]

function slotCases(): Slot[] {
  return [
    ...phases.map((phase) => ({ ...offSlot, phase })),
    ...[{ release: 3 }, { keys: 3 }, { writes: 3 }, { definition: 1 }].map((each) => ({
      ...offSlot,
      ...each,
    })),
    ...[{ isCurrent: true }, { follows: false }].map((each) => ({ ...offSlot, ...each })),
  ]
}

const packed = (state: State): Uint32Array => {
  const words = new Uint32Array(wordsPerState)
  packState(state, words)
  return words
}

test('a state is unpacked as it was packed, whatever is in it', () => {
  const unpacker = new Unpacker(3, 3)
  for (const state of cases) assert.deepEqual(unpacker.unpack(packed(state)), state)
})
