/**
 * One moment of the modelled fleet. Numbers stand for names, so that a state fits into a few words (`packing.ts`).
 *
 * Three facts keep the space finite without leaving a behaviour out:
 * - A commit that is guarded by a record or a Lease dies when that moves, so no revision has to be remembered: what is on
 *   its way is what could still be committed.
 * - Of several commits guarded by one record only the first one counts, and preparing a commit changes nothing. So at most
 *   one change of the record is on its way.
 * - A stopped process leaves only a Lease, an entry and a late write. All earlier processes of a slot are one: `before`.
 */
export interface State {
  /** In the table of records; 0 if there is none. */
  readonly record: number
  readonly change: RecordChange | undefined
  /** By server. */
  readonly leases: readonly (LeaseState | undefined)[]
  /** By server: a commit that takes the Lease, on its way. It is guarded by the Lease as it stands. */
  readonly takings: readonly (LeaseState | undefined)[]
  /**
   * The version and key in which one object is stored; -1 if it is not. One is enough: a broken promise is about some
   * object, and all others may as well be absent.
   */
  readonly stored: number
  /** A write that the store would still accept although its process has ended, or writes no more. One is enough. */
  readonly late: LateWrite | undefined
  readonly slots: readonly Slot[]
  /** The storage version of the CRD; 0 where the resource is built in. */
  readonly definition: number
  /** The pair that a census called proven in the record's epoch; -1 if none did. */
  readonly proven: number
}

/** A commit that moves the record, on its way. It is guarded by the record as it stands. */
export interface RecordChange {
  readonly next: number
  /** A bit for each server whose Lease it is guarded by. */
  readonly leaseGuards: number
  readonly guardsDefinition: boolean
  /** It raises the epoch. */
  readonly raises: boolean
}

export interface LateWrite {
  readonly slot: number
  readonly isBefore: boolean
  readonly pair: number
}

export interface LeaseState {
  /** The slot of the process that holds it. */
  readonly slot: number
  /** Whether that is an earlier process of the slot. */
  readonly isBefore: boolean
  /** Which keys that process reads and writes. */
  readonly keys: number
  /** Whether that process records what it writes. */
  readonly records: boolean
}

/**
 * `off` is also a process that stops: what it still does, it may do at any time, as if it had been sent before its end.
 * `registering` is also one that refuses writes.
 */
export const phases = ['off', 'acquiring', 'registering', 'open'] as const
export type Phase = (typeof phases)[number]

/** One process at a time, of one server. */
export interface Slot {
  readonly phase: Phase
  readonly release: number
  readonly keys: number
  /** What it writes: a pair of version and key. */
  readonly writes: number
  /** Whether it writes under the record as it stands. */
  readonly isCurrent: boolean
  /** Whether it follows the definition as it stands, and which version that stores. */
  readonly follows: boolean
  readonly definition: number
}

export const offSlot: Slot = {
  ...{ phase: 'off', release: 0, keys: 0, writes: 0, isCurrent: false, follows: true, definition: 0 },
}
