import type { Revision } from '../../store/index.ts'
import type { CacheEvent } from '../../watch-cache/index.ts'
import type { Selection } from './selection.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

const plain = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const

/**
 * The event type of a change for a watcher with a selector, or undefined if the watcher gets none. An object that starts to match
 * is ADDED. One that stops matching is DELETED, with its last matching state, since the new state does not match.
 */
export function transitionOf(selection: Selection, event: CacheEvent): EventType | undefined {
  const { kind, key, value, previous } = event
  if (!selection.dependsOnContent) return selection.matches(key, value) ? plain[kind] : undefined
  const matched = previous !== undefined && selection.matches(key, previous)
  const matches = kind !== 'deleted' && selection.matches(key, value)
  if (matches) return matched ? 'MODIFIED' : 'ADDED'
  return matched ? 'DELETED' : undefined
}

/** The state that a watcher gets for an event of that type; its resourceVersion is always that of the change. */
export function shownState(
  type: EventType,
  { value, revision, previous, previousRevision }: CacheEvent,
): { readonly value: Uint8Array; readonly writtenAt: Revision } {
  return type === 'DELETED' && previous
    ? { value: previous, writtenAt: previousRevision }
    : { value, writtenAt: revision }
}
