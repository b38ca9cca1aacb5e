import type { Event } from '../core/event-object.ts'
import { eventSourceSchema, strictEventSeriesSchema } from '../core/event-schemas.ts'
import { type ObjectReference, objectReferenceSchema, referencePaths } from '../core/object-reference.ts'
import { validateEvent } from '../core/validate-event.ts'
import type { OtherGroup, VersionDefinition } from '../machinery/define-resource.ts'
import { integer, microTime, objectSchema, text, time } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
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

const schema: Schema = {
  ...objectSchema(
    {
      eventTime: { ...microTime, default: null, description: 'When the event was first observed.' },
      series: { ...strictEventSeriesSchema, nullable: true, description: 'The series of events, if any.' },
      reportingController: { ...text, description: 'The reporting controller, such as example.com/name.' },
      reportingInstance: { ...text, description: 'The instance of the controller.' },
      action: { ...text, description: 'The action that was taken or failed.' },
      reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
      regarding: { ...objectReferenceSchema, default: {}, description: 'What the event is about.' },
      related: { ...objectReferenceSchema, nullable: true, description: 'A related object.' },
      note: { ...text, description: 'A human-readable message of at most 1 kB.' },
      type: { ...text, description: 'Normal or Warning.' },
      deprecatedSource: { ...eventSourceSchema, default: {}, description: 'source in core/v1.' },
      deprecatedFirstTimestamp: { ...time, default: null, description: 'firstTimestamp in core/v1.' },
      deprecatedLastTimestamp: { ...time, default: null, description: 'lastTimestamp in core/v1.' },
      deprecatedCount: { ...integer, format: 'int32', description: 'count in core/v1.' },
    },
    ['eventTime'],
  ),
  description: 'A report about an object. Events expire after a time.',
}

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
    // Set in the hub even if they are empty.
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

/** The newer group of events. Its rules are stricter: an event is created once, and only its series grows. */
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
