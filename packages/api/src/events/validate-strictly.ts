import type { Event } from '../core/event-object.ts'
import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { jsonEqual } from '../machinery/patch/json-value.ts'

/** Upstream's further rules for an event that is created through events.k8s.io. */
export function validateNewEvent(event: Event): FieldError[] {
  const errors = validateSeries(event)
  const { type = '', source = {} } = event
  if (!event.eventTime) errors.push(required('eventTime'))
  if (type !== 'Normal' && type !== 'Warning') {
    errors.push(invalid('type', '', `has invalid value: ${type}`))
  }
  const unset = (field: string): FieldError => invalid(field, '', 'needs to be unset')
  if (event.firstTimestamp) errors.push(unset('firstTimestamp'))
  if (event.lastTimestamp) errors.push(unset('lastTimestamp'))
  if (event.count) errors.push(unset('count'))
  if (source.component || source.host) errors.push(unset('source'))
  return errors
}

/** In upstream's order. */
const settled = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const

/** An event that has happened does not change: only its series may grow. */
export function validateSettledEvent(event: Event, stored: Event): FieldError[] {
  return [
    ...(jsonEqual(event.series, stored.series) ? [] : validateSeries(event)),
    ...settled
      .filter((field) => !jsonEqual(event[field] ?? '', stored[field] ?? ''))
      .map((field) => {
        const path = field === 'reportingComponent' ? 'reportingController' : field
        return invalid(path, event[field] ?? null, 'field is immutable')
      }),
  ]
}

function validateSeries({ series }: Event): FieldError[] {
  if (!series) return []
  const errors: FieldError[] = []
  if ((series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'))
  if (!series.lastObservedTime) errors.push(required('series.lastObservedTime'))
  return errors
}
