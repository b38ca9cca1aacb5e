import { integer, microTime, structSchema, text } from '../machinery/identity-version.ts'

const count = {
  ...integer,
  format: 'int32',
  description: 'How often the event has occurred so far.',
} as const
const lastObservedTime = {
  ...microTime,
  default: null,
  description: 'When the last occurrence was observed.',
}

/** Each group of events has a type of its own for it, alike but for what is required. */
export const eventSeriesSchema = structSchema('EventSeries', 'A series of repeated events.', {
  count,
  lastObservedTime,
})

export const strictEventSeriesSchema = structSchema(
  'EventSeries',
  'A series of repeated events, recorded as one.',
  { count, lastObservedTime },
  ['count', 'lastObservedTime'],
)

export const eventSourceSchema = structSchema('io.k8s.api.core.v1.EventSource', 'The reporter of an event.', {
  component: { ...text, description: 'The component that reports the event.' },
  host: { ...text, description: 'The node that the component runs on.' },
})
