import { versionNameOf } from '@strata/api'
import {
  describeServerChanges,
  type FleetStatus,
  type GroupedChange,
  groupResourceChanges,
  shownNames,
} from '@strata/insight'
import type { EventTone, TimelineEvent } from './timeline-event.ts'

/** What happened between two states of the fleet that were seen one after the other. */
export function changesBetween(
  before: FleetStatus,
  after: FleetStatus,
  atMs: number,
): readonly TimelineEvent[] {
  const events = [
    ...sightChanges(before, after),
    ...serverChanges(before, after),
    ...resourceChanges(before, after),
  ]
  return events.map((event, index) => ({ ...event, id: `${atMs} ${index}`, atMs }))
}

type Change = Omit<TimelineEvent, 'id' | 'atMs'>

function sightChanges({ unseen: before }: FleetStatus, { unseen }: FleetStatus): readonly Change[] {
  if ((before === undefined) === (unseen === undefined)) return []
  return unseen === undefined
    ? [{ lane: 'faults', tone: 'good', text: 'the fleet is seen again' }]
    : [{ lane: 'faults', tone: 'alarm', text: `the connection is lost: ${unseen.because}` }]
}

/** A silence is a fault; a server that joins or leaves may be meant to. */
function serverChanges(before: FleetStatus, after: FleetStatus): readonly Change[] {
  return describeServerChanges(before.servers, after.servers).map(({ kind, text }) => {
    if (kind === 'silent') return { lane: 'faults', tone: 'left', text }
    return { lane: kind === 'renews' ? 'faults' : 'servers', tone: 'plain', text }
  })
}

function resourceChanges(before: FleetStatus, after: FleetStatus): readonly Change[] {
  const now = new Map(after.resources.map((each) => [each.resource, each]))
  return groupResourceChanges(before, after).map((change): Change => {
    const { text, names } = change
    const [resource = ''] = names
    const version = now.get(resource)?.agreedVersion
    const event = {
      lane: 'resources' as const,
      tone: toneOf(change, now),
      text: `${shownNames(names)}: ${text}`,
    }
    if (names.length > 1 || version === undefined) return event
    return { ...event, layer: { resource, version: versionNameOf(version) } }
  })
}

function toneOf(
  { isAlarm, names }: GroupedChange,
  now: ReadonlyMap<string, FleetStatus['resources'][number]>,
): EventTone {
  if (isAlarm) return 'alarm'
  return names.every((each) => now.get(each)?.agreed ?? true) ? 'good' : 'disagreed'
}
