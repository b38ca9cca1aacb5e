import { integer, microTime, structSchema, text } from '../machinery/identity-version.ts'

const count = { ...integer, format: 'int32', description: 'How often it has happened up to now.' } as const
const lastObservedTime = { ...microTime, default: null, description: 'When it was seen last.' }

/** Each group of events has a type of its own for it, alike but for what is required. */
export const eventSeriesSchema = structSchema('EventSeries', 'Something that keeps happening.', {
  count,
  lastObservedTime,
})

export const strictEventSeriesSchema = structSchema(
  'EventSeries',
  'Something that keeps happening, without a new event for each time.',
  { count, lastObservedTime },
  ['count', 'lastObservedTime'],
)

export const eventSourceSchema = structSchema('io.k8s.api.core.v1.EventSource', 'Who reports an event.', {
  component: { ...text, description: 'The program that reports it.' },
  host: { ...text, description: 'The node on which the program runs.' },
})
