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
      reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
      message: { ...text, description: 'A human-readable message.' },
      source: { ...eventSourceSchema, default: {}, description: 'The reporter of the event.' },
      firstTimestamp: { ...time, default: null, description: 'When the event first occurred.' },
      lastTimestamp: { ...time, default: null, description: 'When the event last occurred.' },
      count: { ...integer, format: 'int32', description: 'How often the event has occurred.' },
      type: { ...text, description: 'Normal or Warning.' },
      eventTime: { ...microTime, default: null, description: 'When the event was first observed.' },
      series: { ...eventSeriesSchema, nullable: true, description: 'The series of events, if any.' },
      action: { ...text, description: 'The action that was taken or failed.' },
      related: { ...objectReferenceSchema, nullable: true, description: 'A related object.' },
      reportingComponent: { ...text, default: '', description: 'The controller that reports the event.' },
      reportingInstance: { ...text, default: '', description: 'The instance of the controller.' },
    },
    ['metadata', 'involvedObject'],
  ),
  description: 'A report about an object. Events expire after a time.',
}

/**
 * A report about an object. Events expire (--event-ttl). Stored as core/v1 alone; events.k8s.io serves the same objects.
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
