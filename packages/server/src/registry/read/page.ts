import { compareKeys, type Entry, type Key, type Revision, type Store } from '../../store/index.ts'
import type { Collection } from '../../watch-cache/index.ts'
import type { Selection } from './selection.ts'

export interface PageRequest {
  readonly selection: Selection
  /** Only keys greater than this one. */
  readonly after: Key | undefined
  /** Undefined: everything. */
  readonly limit: number | undefined
}

export interface SelectedPage {
  readonly entries: readonly Entry[]
  /** How many keys of the range were not read; they may or may not match. */
  readonly remaining: number
}

/** Entries per read from the store, where the selector decides how many are needed. */
const entriesPerRead = 1_000

/** A page of the cache. No await, so that the page shows one revision. */
export function cachedPage(
  collection: Collection,
  { selection, after, limit = Number.POSITIVE_INFINITY }: PageRequest,
): SelectedPage {
  const { scope } = selection
  if (!scope.endsWith('/')) {
    const entry = collection.get(scope)
    const selected = entry && !isBehind(entry.key, after) && selection.matches(entry.key, entry.value)
    return { entries: selected ? [entry] : [], remaining: 0 }
  }
  const range = collection.range(scope, after)
  const entries: Entry[] = []
  for (let index = 0; index < range.count; index++) {
    if (entries.length >= limit) return { entries, remaining: range.count - index }
    const entry = range.at(index)
    if (selection.isEverything || selection.matches(entry.key, entry.value)) entries.push(entry)
  }
  return { entries, remaining: 0 }
}

/** Converts the objects of a page in advance, where a conversion webhook is needed. */
export async function readyPage(collection: Collection, { selection, after }: PageRequest): Promise<void> {
  const { scope } = selection
  const single = scope.endsWith('/') ? undefined : collection.get(scope)
  const range = single ? undefined : collection.range(scope, after)
  const values = single
    ? [single.value]
    : Array.from({ length: range?.count ?? 0 }, (_, index) => range?.at(index).value ?? new Uint8Array())
  await selection.ready(values)
}

/** A page of the store, as of `revision`. */
export async function storedPage(
  store: Store,
  revision: Revision,
  { selection, after, limit = Number.POSITIVE_INFINITY }: PageRequest,
  signal: AbortSignal,
): Promise<SelectedPage> {
  const { scope } = selection
  const entries: Entry[] = []
  const single = !scope.endsWith('/')
  const perRead = single ? 1 : selection.isEverything ? Math.min(limit, entriesPerRead) : entriesPerRead
  let from = after
  for (;;) {
    const range = { prefix: scope, revision, limit: perRead, after: from }
    const page = await store.list(range, signal)
    if (selection.needsWebhook) await selection.ready(page.entries.map(({ value }) => value))
    for (const [index, entry] of page.entries.entries()) {
      if (entries.length >= limit) {
        return { entries, remaining: page.remaining + page.entries.length - index }
      }
      // A longer key with the same beginning sorts after the one that is meant.
      if (single && entry.key !== scope) return { entries, remaining: 0 }
      if (selection.matches(entry.key, entry.value)) entries.push(entry)
    }
    if (page.remaining === 0 || single) return { entries, remaining: 0 }
    if (entries.length >= limit) return { entries, remaining: page.remaining }
    from = page.entries.at(-1)?.key
  }
}

function isBehind(key: Key, after: Key | undefined): boolean {
  return after !== undefined && compareKeys(key, after) <= 0
}
