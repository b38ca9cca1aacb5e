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
import type { Schema } from '../machinery/schema.ts'
import { eventColumns } from './event-columns.ts'
import type { Event } from './event-object.ts'
import { eventSeriesSchema, eventSourceSchema } from './event-schemas.ts'
import { objectReferenceSchema, referencePaths } from './object-reference.ts'
import { validateEvent } from './validate-event.ts'

/** Go has these as structs and as times, which it writes even when nothing was set. */
const schema: Schema = {
  ...objectSchema(
    {
      involvedObject: { ...objectReferenceSchema, default: {}, description: 'What the event is about.' },
      reason: { ...text, description: 'Why it happened, in one word for programs.' },
      message: { ...text, description: 'What happened, for people.' },
      source: { ...eventSourceSchema, default: {}, description: 'Who reports the event.' },
      firstTimestamp: { ...time, default: null, description: 'When it happened first.' },
      lastTimestamp: { ...time, default: null, description: 'When it happened last.' },
      count: { ...integer, format: 'int32', description: 'How often it has happened.' },
      type: { ...text, description: 'Normal or Warning.' },
      eventTime: { ...microTime, default: null, description: 'When it was first seen.' },
      series: { ...eventSeriesSchema, nullable: true, description: 'How it goes on, if it does.' },
      action: { ...text, description: 'What was done, or failed, to the object.' },
      related: {
        ...objectReferenceSchema,
        nullable: true,
        description: 'Another object that has to do with it.',
      },
      reportingComponent: { ...text, default: '', description: 'The controller that reports it.' },
      reportingInstance: { ...text, default: '', description: 'Which instance of that controller.' },
    },
    ['metadata', 'involvedObject'],
  ),
  description: 'Something that happened to an object, told for people. Events are kept for a while only.',
}

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
