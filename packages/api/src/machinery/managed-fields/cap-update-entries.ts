import { unionFieldSets } from './field-set.ts'
import { type ManagedByKey, managedSeconds, managerKey } from './managed-entry.ts'
import { compareTexts } from './path-element.ts'

const maxUpdateEntries = 10

/**
 * Keeps the list short: a client that writes under a new name each time would otherwise make the object grow
 * for ever. The oldest updaters of a version become one entry, `ancient-changes`, in place.
 */
export function capUpdateEntries(managed: ManagedByKey): void {
  const updaters = Array.from(managed).filter(([, { operation }]) => operation === 'Update')
  let excess = updaters.length - maxUpdateEntries
  if (excess <= 0) return
  updaters.sort(([keyA, a], [keyB, b]) => managedSeconds(a) - managedSeconds(b) || compareTexts(keyA, keyB))
  // The oldest entry of a version frees no space alone: it has to be merged with a second one.
  const waiting = new Map<string, string>()
  for (const [key, { apiVersion, set, time }] of updaters) {
    if (excess <= 0) return
    const first = waiting.get(apiVersion)
    if (first === undefined) {
      waiting.set(apiVersion, key)
      continue
    }
    const id = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const
    const bucket = managerKey(id)
    const joins = managed.has(bucket) && key !== bucket ? bucket : first
    const older = managed.get(joins)
    managed.delete(joins)
    managed.delete(key)
    managed.set(bucket, { ...id, time, set: older ? unionFieldSets(set, older.set) : set })
    excess--
  }
}
