import type { Event } from '../core/event-object.ts'
import { type ObjectReference, objectReferenceSchema, referencePaths } from '../core/object-reference.ts'
import { validateEvent } from '../core/validate-event.ts'
import type { OtherGroup, VersionDefinition } from '../machinery/define-resource.ts'
import { integer, microTime, objectSchema, text, time } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'
import { validateNewEvent, validateSettledEvent } from './validate-strictly.ts'

/** An event as events.k8s.io/v1 has it: the hub with other names. */
interface EventV1 extends ApiObject {
  eventTime?: string | null
  series?: { count?: number; lastObservedTime?: string | null }
  reportingController?: string
  reportingInstance?: string
  action?: string
  reason?: string
  regarding?: ObjectReference
  related?: ObjectReference
  note?: string
  type?: string
  deprecatedSource?: { component?: string; host?: string }
  deprecatedFirstTimestamp?: string | null
  deprecatedLastTimestamp?: string | null
  deprecatedCount?: number
}

const schema = objectSchema({
  eventTime: { ...microTime, default: null },
  series: {
    type: 'object',
    nullable: true,
    properties: {
      count: { ...integer, format: 'int32' },
      lastObservedTime: { ...microTime, default: null },
    },
  },
  reportingController: text,
  reportingInstance: text,
  action: text,
  reason: text,
  regarding: { ...objectReferenceSchema, default: {} },
  related: { ...objectReferenceSchema, nullable: true },
  note: text,
  type: text,
  deprecatedSource: { type: 'object', default: {}, properties: { component: text, host: text } },
  deprecatedFirstTimestamp: { ...time, default: null },
  deprecatedLastTimestamp: { ...time, default: null },
  deprecatedCount: { ...integer, format: 'int32' },
})

/** Each field of this version with the hub's name for it; those that are called the same are not in it. */
const renamed = {
  reportingController: 'reportingComponent',
  regarding: 'involvedObject',
  note: 'message',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
} as const

const v1: VersionDefinition<EventV1, Event> = {
  schema,
  applyDefaults: (event) => {
    if (event.deprecatedCount === 0) delete event.deprecatedCount
  },
  toHub: (event) => {
    const hub = rename(event, Object.entries(renamed)) as Event
    // Written in the hub even when they are nothing.
    hub.reportingComponent ??= ''
    hub.reportingInstance ??= ''
    return hub
  },
  fromHub: (hub) => {
    const event = rename(
      hub,
      Object.entries(renamed).map(([here, there]) => [there, here]),
    ) as EventV1
    if (event.reportingController === '') delete event.reportingController
    if (event.reportingInstance === '') delete event.reportingInstance
    return event
  },
}

function rename(object: ApiObject, names: ReadonlyArray<readonly [from: string, to: string]>): ApiObject {
  const known = new Map(names)
  const copy: ApiObject = { metadata: object.metadata }
  for (const [field, value] of Object.entries(object)) copy[known.get(field) ?? field] = value
  return copy
}

/** The newer group of events. Whoever comes by it is held to more: an event is told once, and only its series grows. */
export const eventsGroup: OtherGroup<Event> = {
  group: 'events.k8s.io',
  versions: { v1 },
  selectableFields: [...referencePaths('regarding'), 'reason', 'reportingController', 'type'],
  strategy: {
    validate: (event) => validateEvent(event, 'reportingController'),
    validateCreate: validateNewEvent,
    validateUpdate: validateSettledEvent,
  },
}
