import type { Input } from './target.ts'

/**
 * Smaller forms of a value, the boldest first: parts left out, then parts made smaller. The fields of an input itself stay,
 * since the target relies on them; what is in them may become anything smaller of the same type.
 */
export function* smallerInputs(inputs: readonly Input[]): Generator<readonly Input[]> {
  const last = inputs.length - 1
  // The last one shows the failure.
  for (const kept of shorterLists(inputs.slice(0, last))) yield [...kept, inputs[last] as Input]
  for (const [index, input] of inputs.entries()) {
    for (const [field, value] of Object.entries(input)) {
      for (const smaller of smallerValues(value)) yield inputs.with(index, { ...input, [field]: smaller })
    }
  }
}

function* smallerValues(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* smallerTexts(value)
  else if (typeof value === 'number' && value !== 0) yield* new Set([0, Math.trunc(value / 2)])
  else if (Array.isArray(value)) yield* smallerLists(value)
  else if (typeof value === 'object' && value !== null)
    yield* smallerObjects(value as Record<string, unknown>)
}

function* smallerTexts(text: string): Generator<string> {
  for (let size = text.length; size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size)
  }
}

function* shorterLists<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let size = list.length; size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)]
  }
}

function* smallerLists(list: readonly unknown[]): Generator<unknown> {
  yield* shorterLists(list)
  for (const [index, each] of list.entries()) {
    for (const smaller of smallerValues(each)) yield list.with(index, smaller)
  }
}

function* smallerObjects(object: Record<string, unknown>): Generator<unknown> {
  const entries = Object.entries(object)
  for (const kept of shorterLists(entries)) yield Object.fromEntries(kept)
  for (const [index, [field, value]] of entries.entries()) {
    for (const smaller of smallerValues(value))
      yield Object.fromEntries(entries.with(index, [field, smaller]))
  }
}

/** Greedy: takes the first smaller form that still fails, until none does or no tries are left. */
export async function shrink(
  inputs: readonly Input[],
  stillFails: (inputs: readonly Input[]) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<readonly Input[]> {
  let best = inputs
  for (let found = true; found && mayGoOn(); ) {
    found = false
    for (const candidate of smallerInputs(best)) {
      if (!mayGoOn()) break
      if (!(await stillFails(candidate))) continue
      best = candidate
      found = true
      break
    }
  }
  return best
}
