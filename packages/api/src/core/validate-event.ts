import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { qualifiedName } from '../machinery/name-rules.ts'
import type { Event } from './event-object.ts'

const maxCharacters = 128
const maxMessageCharacters = 1024

/**
 * Upstream's rules for every event. An event with an eventTime must name its reporter; `reporter` is the name of that field
 * in the requested group.
 */
export function validateEvent(event: Event, reporter: string): FieldError[] {
  const { involvedObject = {}, metadata } = event
  const about = involvedObject.namespace ?? ''
  const namespace = metadata.namespace ?? ''
  const mismatch = invalid('involvedObject.namespace', about, 'does not match event.namespace')
  if (!event.eventTime) {
    // Events about cluster-scoped objects are in the default namespace.
    const matches = about === '' ? namespace === '' || namespace === 'default' : namespace === about
    return matches ? [] : [mismatch]
  }
  const errors: FieldError[] = []
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(mismatch)
  const { reportingComponent = '' } = event
  if (reportingComponent === '') errors.push(required(reporter))
  errors.push(
    ...qualifiedName(reportingComponent).map((problem) => invalid(reporter, reportingComponent, problem)),
  )
  for (const field of ['reportingInstance', 'action', 'reason'] as const) {
    const value = event[field] ?? ''
    if (value === '') errors.push(required(field))
    errors.push(...atMost(field, value, maxCharacters))
  }
  return [...errors, ...atMost('message', event.message ?? '', maxMessageCharacters)]
}

function atMost(field: string, value: string, limit: number): FieldError[] {
  return value.length > limit ? [invalid(field, '', `can have at most ${limit} characters`)] : []
}
