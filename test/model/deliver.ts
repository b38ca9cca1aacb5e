import { brokenByWrite, brokenDefinition } from './promises.ts'
import type { RecordChanges } from './record-changes.ts'
import {
  type LateWrite,
  type LeaseState,
  offSlot,
  type RecordChange,
  type Slot,
  type State,
} from './state.ts'
import { processName, type Rules, type Story } from './story.ts'

/** What one step makes of a state. */
export interface Step {
  readonly name: string
  readonly state: State
  /** The promise that the step breaks. */
  readonly broken?: string | undefined
}

export const withSlot = (state: State, index: number, slot: Slot): State => ({
  ...state,
  slots: state.slots.map((each, place) => (place === index ? slot : each)),
})

/** A commit of the record is on its way, or there at once. */
export function changed(state: State, change: RecordChange, { hasLateRecords }: Story, rules: Rules): State {
  return hasLateRecords ? { ...state, change } : moveRecord(state, change, rules)
}

/** The record moves: whatever else was guarded by it can never be committed. */
export function moveRecord(state: State, { next, raises }: RecordChange, rules: Rules): State {
  const slots = state.slots.map((slot) => (slot.isCurrent ? { ...slot, isCurrent: false } : slot))
  const late = rules.guardsWrites ? undefined : state.late
  const epoch = raises ? { proven: -1 } : {}
  return { ...state, record: next, change: undefined, late, slots, ...epoch }
}

/** A Lease comes, changes hands or goes. */
export function moveLease(state: State, server: number, lease: LeaseState | undefined): State {
  const at = <T>(list: readonly T[], value: T): T[] =>
    list.map((each, place) => (place === server ? value : each))
  const survives = state.change && (state.change.leaseGuards & (1 << server)) === 0
  return {
    ...state,
    leases: at(state.leases, lease),
    takings: at(state.takings, undefined),
    change: survives ? state.change : undefined,
  }
}

/** The CRD's storage version is switched. */
export function moveDefinition(state: State, rules: Rules): State {
  const slots = state.slots.map((slot) => (slot.phase === 'off' ? slot : { ...slot, follows: false }))
  const late = rules.guardsDefinition ? undefined : state.late
  const survives = !(state.change?.guardsDefinition && rules.guardsDefinition)
  return {
    ...state,
    ...{ definition: 1 - state.definition, slots, late },
    change: survives ? state.change : undefined,
  }
}

/** The object is stored by a process of the slot. */
export function store(
  story: Story,
  changes: RecordChanges,
  state: State,
  write: LateWrite,
): Omit<Step, 'name'> {
  const broken = brokenByWrite(story, changes, state, write) ?? brokenDefinition(story, state, write.pair)
  return { state: { ...state, stored: write.pair }, broken }
}

/** Whether the store would accept a write that the process sends now. */
export function maySend({ phase, isCurrent, follows }: Slot, rules: Rules): boolean {
  return phase === 'open' && isCurrent && (follows || !rules.guardsDefinition)
}

/** The process may leave a write on its way, or none. One such write in the fleet is enough: see README.md. */
export function leavingWrites(
  state: State,
  index: number,
  rules: Rules,
): readonly { readonly says: string; readonly state: State }[] {
  const slot = state.slots[index] as Slot
  const none = { says: '', state }
  if (state.late || !maySend(slot, rules)) return [none]
  const late: LateWrite = { slot: index, isBefore: false, pair: slot.writes }
  return [none, { says: ', with a write on its way', state: { ...state, late } }]
}

/** The process has ended: whatever it has left is the past's. */
export function ended(story: Story, { table }: RecordChanges, state: State, index: number): State {
  const [now, before] = [processName(story, index), processName(story, index, true)]
  const renamed = (record: number): number =>
    table.renamed(record, `end ${index}`, (name) => (name === now ? before : name))
  const past = <T extends { readonly slot: number; readonly isBefore: boolean }>(left: T | undefined) =>
    left?.slot === index ? { ...left, isBefore: true } : left
  return withSlot(
    {
      ...state,
      record: renamed(state.record),
      change: state.change && { ...state.change, next: renamed(state.change.next) },
      leases: state.leases.map(past),
      takings: state.takings.map(past),
      late: past(state.late),
    },
    index,
    offSlot,
  )
}
