/**
 * One moment of the modelled fleet. Numbers stand for names, so that a state is a short string.
 *
 * Three facts keep the space finite without leaving a behaviour out:
 * - A commit that is guarded by a record or a Lease dies when that moves, so no revision has to be remembered: what is on
 *   its way is what could still be committed.
 * - Of several commits guarded by one record only the first one counts, and preparing a commit changes nothing. So at most
 *   one change of the record is on its way.
 * - A stopped process leaves only a Lease, an entry and late writes. All earlier processes of a slot are one: `before`.
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
  /** Writes that the store would still accept: a bit for each pair, of this process and of earlier ones. */
  readonly late: number
  readonly lateBefore: number
}

export const offSlot: Slot = {
  ...{ phase: 'off', release: 0, keys: 0, writes: 0, isCurrent: false, follows: true, definition: 0 },
  ...{ late: 0, lateBefore: 0 },
}

const char = String.fromCharCode

/** A string that is equal exactly for equal states. */
export function encodeState(state: State): string {
  const { record, change, stored, definition, proven } = state
  let text = char(record & 255, record >> 8, stored + 1, definition + 2 * (proven + 1))
  text += change
    ? char(1 + (change.next & 127), 1 + (change.next >> 7), change.leaseGuards, flagsOf(change))
    : char(0)
  for (const lease of state.leases) text += encodeLease(lease)
  for (const taking of state.takings) text += encodeLease(taking)
  for (const slot of state.slots) text += encodeSlot(slot)
  return text
}

const flagsOf = ({ guardsDefinition, raises }: RecordChange): number =>
  (guardsDefinition ? 1 : 0) + (raises ? 2 : 0)

export const encodeLease = (lease: LeaseState | undefined): string =>
  lease
    ? char(1 + lease.slot * 32 + (lease.records ? 16 : 0) + lease.keys * 2 + (lease.isBefore ? 1 : 0))
    : char(0)

export function encodeSlot(slot: Slot): string {
  const flags = (slot.isCurrent ? 1 : 0) + (slot.follows ? 2 : 0) + slot.definition * 4 + slot.writes * 16
  return char(
    phases.indexOf(slot.phase) + slot.release * 16,
    flags,
    slot.keys,
    slot.late + slot.lateBefore * 16,
  )
}

export function decodeState(text: string, servers: number): State {
  let at = 0
  const next = (): number => text.charCodeAt(at++)
  const record = next() + (next() << 8)
  const stored = next() - 1
  const packed = next()
  const low = next()
  const change =
    low === 0
      ? undefined
      : { next: low - 1 + ((next() - 1) << 7), leaseGuards: next(), ...decodeFlags(next()) }
  const leases = Array.from({ length: servers }, () => decodeLease(next()))
  const takings = Array.from({ length: servers }, () => decodeLease(next()))
  const slots: Slot[] = []
  while (at < text.length) slots.push(decodeSlot(next(), next(), next(), next()))
  return { record, stored, definition: packed & 1, proven: (packed >> 1) - 1, change, leases, takings, slots }
}

const decodeFlags = (flags: number): Pick<RecordChange, 'guardsDefinition' | 'raises'> => ({
  guardsDefinition: (flags & 1) !== 0,
  raises: (flags & 2) !== 0,
})

function decodeLease(code: number): LeaseState | undefined {
  if (code === 0) return undefined
  const bits = code - 1
  return { slot: bits >> 5, records: (bits & 16) !== 0, keys: (bits >> 1) & 7, isBefore: (bits & 1) === 1 }
}

const decodeSlot = (first: number, flags: number, keys: number, late: number): Slot => ({
  phase: phases[first & 15] ?? 'off',
  release: first >> 4,
  isCurrent: (flags & 1) !== 0,
  follows: (flags & 2) !== 0,
  definition: (flags >> 2) & 3,
  writes: flags >> 4,
  keys,
  late: late & 15,
  lateBefore: late >> 4,
})
