import { eventsGroup } from '../events/event-version.ts'
import { defineResource } from '../machinery/define-resource.ts'
import {
  identityVersion,
  integer,
  microTime,
  objectSchema,
  text,
  time,
} from '../machinery/identity-version.ts'
import { eventColumns } from './event-columns.ts'
import type { Event } from './event-object.ts'
import { objectReferenceSchema, referencePaths } from './object-reference.ts'
import { validateEvent } from './validate-event.ts'

/** Go has these as structs and as times, which it writes even when nothing was set. */
const schema = objectSchema({
  involvedObject: { ...objectReferenceSchema, default: {} },
  reason: text,
  message: text,
  source: { type: 'object', default: {}, properties: { component: text, host: text } },
  firstTimestamp: { ...time, default: null },
  lastTimestamp: { ...time, default: null },
  count: { ...integer, format: 'int32' },
  type: text,
  eventTime: { ...microTime, default: null },
  series: {
    type: 'object',
    nullable: true,
    properties: {
      count: { ...integer, format: 'int32' },
      lastObservedTime: { ...microTime, default: null },
    },
  },
  action: text,
  related: { ...objectReferenceSchema, nullable: true },
  reportingComponent: { ...text, default: '' },
  reportingInstance: { ...text, default: '' },
})

/**
 * Something that happened to an object, told for people. Events go by themselves when they are old (--event-ttl).
 * Stored as core/v1 alone; events.k8s.io is another way to say the same.
 */
export const events = defineResource<Event>({
  group: '',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<Event>(schema, (event) => {
      // No pointer upstream, so nothing and zero are the same.
      if (event.count === 0) delete event.count
    }),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'events',
  selectableFields: [...referencePaths('involvedObject'), 'reason', 'reportingComponent', 'source', 'type'],
  selectableValues: {
    source: (event) => (event as Event).source?.component || (event as Event).reportingComponent || '',
  },
  alsoServedIn: [eventsGroup],
  columns: eventColumns,
  strategy: {
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    hasNoDependents: true,
    validate: (event) => validateEvent(event, 'reportingComponent'),
  },
})
