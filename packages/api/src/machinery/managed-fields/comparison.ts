import { emptyFieldSet, type FieldSet, fieldSetNode, leafFieldSet } from './field-set.ts'
import type { PathElement } from './path-element.ts'

/**
 * The paths in which two objects differ. No path is in more than one of the three, but for elements of a
 * list that had twins: there, the path of the twins goes and the path of the one that is left comes.
 */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

const none = { added: emptyFieldSet, modified: emptyFieldSet, removed: emptyFieldSet }
export const pathAdded: Comparison = { ...none, added: leafFieldSet }
export const pathModified: Comparison = { ...none, modified: leafFieldSet }
export const pathRemoved: Comparison = { ...none, removed: leafFieldSet }

/** The changes below one path, while they are being found. */
export interface Changes {
  readonly added: Map<PathElement, FieldSet>
  readonly modified: Map<PathElement, FieldSet>
  readonly removed: Map<PathElement, FieldSet>
}

/** Made by the first change, because most values of most updates have none. */
export function recordChange(
  changes: Changes | undefined,
  element: PathElement,
  below: Comparison | undefined,
): Changes | undefined {
  if (below === undefined) return changes
  const all = changes ?? { added: new Map(), modified: new Map(), removed: new Map() }
  if (below.added !== emptyFieldSet) all.added.set(element, below.added)
  if (below.modified !== emptyFieldSet) all.modified.set(element, below.modified)
  if (below.removed !== emptyFieldSet) all.removed.set(element, below.removed)
  return all
}

/** What changed below a path, together with what happened to the path itself. */
export function comparisonOf(
  changes: Changes | undefined,
  itself: Comparison | undefined,
): Comparison | undefined {
  if (changes === undefined) return itself
  return {
    added: fieldSetNode(itself === pathAdded, changes.added),
    modified: fieldSetNode(itself === pathModified, changes.modified),
    removed: fieldSetNode(itself === pathRemoved, changes.removed),
  }
}
