import type { ListMeta } from '@strata/api'

export interface CountedObjects {
  readonly any: boolean
  /** Undefined if there are more than one, and the server does not say how many. */
  readonly count: number | undefined
}

interface FirstPage {
  readonly items: readonly unknown[]
  readonly metadata: ListMeta
}

/** What the first page of a list says about the whole list. */
export function countedByPage({ items, metadata }: FirstPage): CountedObjects {
  const { continue: next = '', remainingItemCount } = metadata
  const rest = next === '' ? 0 : remainingItemCount
  return {
    any: items.length > 0 || next !== '',
    count: rest === undefined ? undefined : items.length + rest,
  }
}
