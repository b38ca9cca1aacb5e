import { persistedOf, unknownVersion, unrecordedEncoding } from '@strata/api'
import type { RecordChanges } from './record-changes.ts'
import type { LateWrite, State } from './state.ts'
import { keyOf, processName, type Story, versionOf, versions } from './story.ts'

/** What a write breaks in the moment in which the store accepts it; undefined if nothing. */
export function brokenByWrite(
  story: Story,
  changes: RecordChanges,
  state: State,
  { slot, isBefore, pair }: LateWrite,
): string | undefined {
  const status = changes.statusOf(state)
  const process = processName(story, slot, isBefore)
  const entry = status?.servers.find((each) => each.process === process)
  const [version, key] = [versionOf(pair), keyOf(pair)]
  // The record says that this process writes without recording it, and claims nothing.
  if (status?.unseenProcesses?.includes(process)) return undefined
  if (!entry) {
    if (status?.encodings.includes(unrecordedEncoding)) return undefined
    return `recorded-version: ${process} stores ${version} without an entry`
  }
  if (entry.refusesWrites) return `recorded-version: ${process} refuses writes and stores ${version}`
  if (entry.encodingVersion !== version || entry.writeKey !== key) {
    return `recorded-version: ${process} stores ${version} under ${key} and recorded ${entry.encodingVersion} under ${entry.writeKey}`
  }
  if (status?.agreedVersion !== undefined && status.agreedVersion !== version) {
    return `agreement: ${version} is stored while ${status.agreedVersion} is agreed on`
  }
  if (status?.selectedVersion !== undefined && status.selectedVersion !== version) {
    return `selection: ${version} is stored while ${status.selectedVersion} is selected`
  }
  const blind = status?.servers.find((each) => !each.refusesWrites && !each.readableKeys.includes(key))
  if (blind) return `readable-keys: ${process} stores under ${key}, which ${blind.process} cannot read`
  return undefined
}

/** What a state breaks; undefined if nothing. */
export function brokenBy(story: Story, changes: RecordChanges, state: State): string | undefined {
  return brokenProof(state) ?? brokenMemory(changes, state) ?? brokenReading(story, state)
}

/** What a census called proven stays true while the epoch stands. */
function brokenProof({ proven, stored }: State): string | undefined {
  if (proven < 0 || stored < 0 || stored === proven) return undefined
  return `proven: only ${pairText(proven)} was proven, and ${pairText(stored)} is stored`
}

/** The version and key that the object is stored in are named by the record. */
function brokenMemory(changes: RecordChanges, state: State): string | undefined {
  if (state.stored < 0) return undefined
  const status = changes.statusOf(state)
  const isNamed = (status ? persistedOf(status) : []).some(
    (each) =>
      each.encodingVersion === unknownVersion ||
      (each.encodingVersion === versionOf(state.stored) && each.writeKey === keyOf(state.stored)),
  )
  return isNamed
    ? undefined
    : `persisted: ${pairText(state.stored)} is stored, and the record does not name it`
}

/** A server that may write reads the key that the object is stored under. */
function brokenReading(story: Story, { slots, stored }: State): string | undefined {
  if (stored < 0) return undefined
  const blind = slots.findIndex(
    ({ phase, isCurrent, keys }) =>
      phase === 'open' && isCurrent && !story.keyFiles[keys]?.includes(stored & 1),
  )
  if (blind < 0) return undefined
  return `readable-keys: ${processName(story, blind)} may write and cannot read ${keyOf(stored)}`
}

const pairText = (pair: number): string => `${versionOf(pair)} under ${keyOf(pair)}`

/** Stored custom resources are in the storage version of their CRD, as it is now. */
export function brokenDefinition(story: Story, state: State, pair: number): string | undefined {
  if (!story.isCustom || pair >> 1 === state.definition) return undefined
  return `definition: ${versionOf(pair)} is stored while the CRD stores ${versions[state.definition]}`
}
