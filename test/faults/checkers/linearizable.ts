import type { Operation } from './operation.ts'
import { emptyRegister, type Register, registerText, step } from './register.ts'

export type Verdict =
  | { readonly is: 'linearizable' }
  /** No order explains the answers. `explained`: the longest order found, and `stuck`: what it could not place. */
  | {
      readonly is: 'violated'
      readonly explained: readonly Operation[]
      readonly stuck: Operation | undefined
    }
  /** The search was given up: too many writes of unknown outcome overlap. */
  | { readonly is: 'undecided' }

interface Link {
  next: Entry | undefined
}

/** One end of an operation, in a doubly linked list ordered by time. */
interface Entry extends Link {
  readonly index: number
  readonly operation: Operation
  /** Undefined for the return itself. */
  readonly matching: Entry | undefined
  previous: Link | undefined
}

const defaultLimit = 500_000

/**
 * Whether the operations on one key are linearizable: the search of Wing and Gong with the memory of Lowe, as in
 * Porcupine. Each operation takes effect at one moment between its call and its return; one of unknown outcome at any
 * moment after its call, or never.
 */
export function checkLinearizable(
  operations: readonly Operation[],
  {
    initial = emptyRegister,
    limit = defaultLimit,
  }: { readonly initial?: Register; readonly limit?: number } = {},
): Verdict {
  const head = entriesOf(operations)
  const done = new Set<number>()
  const seen = new Set<string>()
  const lifted: { readonly entry: Entry; readonly before: Register }[] = []
  let state = initial
  let entry = head.next
  let explained: readonly Operation[] = []
  let stuck: Operation | undefined
  for (let steps = 0; entry !== undefined; steps++) {
    if (steps > limit) return { is: 'undecided' }
    const { operation, matching } = entry
    if (matching === undefined) {
      // Returns of unknown outcomes are last of all: whatever had to be placed is placed.
      if (operation.outcome.is === 'unknown') return { is: 'linearizable' }
      if (lifted.length >= explained.length) {
        explained = lifted.map((each) => each.entry.operation)
        stuck = operation
      }
      const last = lifted.pop()
      if (last === undefined) return { is: 'violated', explained, stuck }
      state = last.before
      done.delete(last.entry.index)
      unlift(last.entry)
      entry = last.entry.next
      continue
    }
    const after = step(state, operation)
    if (after !== undefined && isNew(seen, done, entry.index, after)) {
      lifted.push({ entry, before: state })
      done.add(entry.index)
      state = after
      lift(entry)
      entry = head.next
    } else {
      entry = entry.next
    }
  }
  return { is: 'linearizable' }
}

/** Whether this set of operations has not led to this state before. */
function isNew(seen: Set<string>, done: ReadonlySet<number>, index: number, state: Register): boolean {
  // The set is small at its ragged end alone: everything before the first gap is implied by it.
  let first = 0
  while (done.has(first) || first === index) first++
  const beyond = [...done, index].filter((each) => each > first).sort((a, b) => a - b)
  const text = `${first}:${beyond.join()}:${registerText(state)}`
  if (seen.has(text)) return false
  seen.add(text)
  return true
}

/** Calls and returns in the order of time; at one moment calls come first, so that touching intervals overlap. */
function entriesOf(operations: readonly Operation[]): Link {
  const ends = operations
    .toSorted((a, b) => a.invokedMs - b.invokedMs)
    .flatMap((operation, index) => {
      const returned: Entry = { index, operation, matching: undefined, previous: undefined, next: undefined }
      const called: Entry = { ...returned, matching: returned }
      return [
        { atMs: operation.invokedMs, isReturn: 0, entry: called },
        { atMs: operation.returnedMs, isReturn: 1, entry: returned },
      ]
    })
    .sort((a, b) => (a.atMs === b.atMs ? a.isReturn - b.isReturn : a.atMs - b.atMs))
  const head: Link = { next: undefined }
  let last = head
  for (const { entry } of ends) {
    last.next = entry
    entry.previous = last
    last = entry
  }
  return head
}

function lift(call: Entry): void {
  for (const each of [call, call.matching]) {
    if (each?.previous) each.previous.next = each.next
    if (each?.next) each.next.previous = each.previous
  }
}

function unlift(call: Entry): void {
  for (const each of [call.matching, call]) {
    if (each?.previous) each.previous.next = each
    if (each?.next) each.next.previous = each
  }
}
