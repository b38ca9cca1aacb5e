/** One request of a client for one key. Colours are unique: a value names the write that made it. */
export type Action =
  | { readonly do: 'create'; readonly colour: string }
  /** Conditional on the state that the client had seen. */
  | { readonly do: 'replace'; readonly colour: string; readonly expected: Seen }
  | { readonly do: 'delete'; readonly expected: Seen }
  | { readonly do: 'read' }
  /** The whole store is copied, or replaced by the copy. Both happen to every key at once. */
  | { readonly do: 'backup' | 'restore' }

export interface Seen {
  readonly colour: string
  readonly revision: number
}

/** The response that the client got. */
export type Outcome =
  | { readonly is: 'stored'; readonly revision: number }
  | ({ readonly is: 'seen' } & Seen)
  | { readonly is: 'deleted' | 'done' }
  /** A create found the key taken; anything else found it missing. */
  | { readonly is: 'exists' | 'absent' }
  /** The precondition did not hold. */
  | { readonly is: 'conflict' }
  /** The answer was that nothing was written, or nothing could be sent. */
  | { readonly is: 'refused'; readonly why: string }
  /** The write may have happened, may happen later, or never. */
  | { readonly is: 'unknown' }

export interface Operation {
  readonly client: string
  readonly key: string
  readonly action: Action
  readonly outcome: Outcome
  /** On the monotonic clock of the one process that all clients share. */
  readonly invokedMs: number
  /** Infinity while the outcome is unknown: such a write stays open to the end of the history. */
  readonly returnedMs: number
  /** How many restores had been completed, both when it was sent and when it was answered; undefined if those differ. */
  readonly incarnation: number | undefined
}

export function describeOperation({
  client,
  key,
  action,
  outcome,
  invokedMs,
  returnedMs,
}: Operation): string {
  const { do: verb } = action
  const colour = 'colour' in action ? ` ${action.colour}` : ''
  const expected = 'expected' in action ? ` if ${action.expected.colour}@${action.expected.revision}` : ''
  const answer = Object.values(outcome).join(' ')
  const ended = Number.isFinite(returnedMs) ? returnedMs.toFixed(0) : 'open'
  return `[${invokedMs.toFixed(0)}..${ended}] ${client}: ${verb} ${key}${colour}${expected}: ${answer}`
}
