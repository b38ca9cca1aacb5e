import { ageOf, type Column, nameColumn, textColumn } from '../machinery/columns.ts'
import type { Event } from './event-object.ts'

/** Events of the newer style have one time, and a series instead of a count. */
const firstSeen = (event: Event, nowMs: number): string =>
  ageOf(event.firstTimestamp ?? event.eventTime, nowMs)

function lastSeen(event: Event, nowMs: number): string {
  if (event.series) return ageOf(event.series.lastObservedTime, nowMs)
  return event.lastTimestamp ? ageOf(event.lastTimestamp, nowMs) : firstSeen(event, nowMs)
}

function objectOf({ involvedObject: { kind = '', name = '' } = {} }: Event): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`
}

function sourceOf({ source = {}, reportingComponent = '', reportingInstance = '' }: Event): string {
  const component = source.component || reportingComponent
  const instance = source.host || reportingInstance
  return instance === '' ? component : `${component}, ${instance}`
}

export const eventColumns: readonly Column<Event>[] = [
  textColumn(
    'Last Seen',
    'The time at which the most recent occurrence of this event was recorded.',
    lastSeen,
  ),
  textColumn(
    'Type',
    'Type of this event (Normal, Warning), new types could be added in the future',
    ({ type }) => type ?? '',
  ),
  textColumn(
    'Reason',
    "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
    ({ reason }) => reason ?? '',
  ),
  textColumn('Object', 'The object that this event is about.', objectOf),
  {
    name: 'Subobject',
    type: 'string',
    priority: 1,
    description:
      'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
    cell: ({ involvedObject }) => involvedObject?.fieldPath ?? '',
  },
  {
    name: 'Source',
    type: 'string',
    priority: 1,
    description: 'The component reporting this event. Should be a short machine understandable string.',
    cell: sourceOf,
  },
  textColumn(
    'Message',
    'A human-readable description of the status of this operation.',
    ({ message }) => message?.trim() ?? '',
  ),
  {
    name: 'First Seen',
    type: 'string',
    priority: 1,
    description: 'The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)',
    cell: firstSeen,
  },
  {
    name: 'Count',
    type: 'string',
    priority: 1,
    description: 'The number of times this event has occurred.',
    cell: ({ series, count }) => (series ? (series.count ?? 0) : count || 1),
  },
  { ...nameColumn, priority: 1 },
]
