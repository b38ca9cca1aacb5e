import { brokenByWrite, brokenDefinition } from './promises.ts'
import type { RecordChanges } from './record-changes.ts'
import type { LeaseState, RecordChange, Slot, State } from './state.ts'
import type { Rules, Story } from './story.ts'

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
  const slots = state.slots.map((slot) => ({
    ...{ ...slot, isCurrent: false },
    ...(rules.guardsWrites ? { late: 0, lateBefore: 0 } : {}),
  }))
  const epoch = raises ? { proven: -1 } : {}
  return { ...state, record: next, change: undefined, slots, ...epoch }
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
  const slots = state.slots.map((slot) => ({
    ...{ ...slot, ...(slot.phase === 'off' ? {} : { follows: false }) },
    ...(rules.guardsDefinition ? { late: 0, lateBefore: 0 } : {}),
  }))
  const survives = !(state.change?.guardsDefinition && rules.guardsDefinition)
  return {
    ...state,
    ...{ definition: 1 - state.definition, slots },
    change: survives ? state.change : undefined,
  }
}

/** The object is stored by a process of the slot. */
export function store(
  story: Story,
  changes: RecordChanges,
  state: State,
  write: { readonly slot: number; readonly isBefore: boolean; readonly pair: number },
): Omit<Step, 'name'> {
  const broken = brokenByWrite(story, changes, state, write) ?? brokenDefinition(story, state, write.pair)
  return { state: { ...state, stored: write.pair }, broken }
}
