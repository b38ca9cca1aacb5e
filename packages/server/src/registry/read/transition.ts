import type { Revision } from '../../store/index.ts'
import type { CacheEvent } from '../../watch-cache/index.ts'
import type { Selection } from './selection.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

const plain = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const

/**
 * What a change is to a watcher with a selector, or undefined if it is nothing to him. An object that starts to match
 * is new to him, and one that stops is gone: he is shown its last matching state, since the new one is none of his.
 */
export function transitionOf(selection: Selection, event: CacheEvent): EventType | undefined {
  const { kind, key, value, previous } = event
  if (!selection.dependsOnContent) return selection.matches(key, value) ? plain[kind] : undefined
  const matched = previous !== undefined && selection.matches(key, previous)
  const matches = kind !== 'deleted' && selection.matches(key, value)
  if (matches) return matched ? 'MODIFIED' : 'ADDED'
  return matched ? 'DELETED' : undefined
}

/** What a watcher is shown of a change of that type; its resourceVersion is the change's in any case. */
export function shownState(
  type: EventType,
  { value, revision, previous, previousRevision }: CacheEvent,
): { readonly value: Uint8Array; readonly writtenAt: Revision } {
  return type === 'DELETED' && previous
    ? { value: previous, writtenAt: previousRevision }
    : { value, writtenAt: revision }
}
