import assert from 'node:assert/strict'
import { test } from 'node:test'
import { events } from '../core/event.ts'
import type { Event } from '../core/event-object.ts'
import { fieldErrorText } from '../machinery/field-error.ts'

const newer = events.alsoServedIn?.[0]
const version = newer?.versions['v1']

const full: Event = {
  metadata: { name: 'e', namespace: 'default' },
  involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'a' },
  reason: 'Why',
  message: 'text',
  source: { component: 'c', host: 'h' },
  firstTimestamp: '2024-01-01T00:00:00Z',
  lastTimestamp: null,
  count: 3,
  type: 'Normal',
  eventTime: '2024-01-01T00:00:00.000001Z',
  series: { count: 2, lastObservedTime: '2024-01-01T00:00:00.000001Z' },
  action: 'Do',
  related: { name: 'b' },
  reportingComponent: 'example.dev/c',
  reportingInstance: 'i',
}
const bare: Event = { metadata: {}, source: {}, reportingComponent: '', reportingInstance: '' }

for (const [name, event] of Object.entries({ full, bare })) {
  test(`events.k8s.io: there and back is where you were: ${name}`, () => {
    assert.deepEqual(version?.toHub(version.fromHub(structuredClone(event))), event)
  })
}

test('events.k8s.io: a new event occurs once, with a reporter and a time', () => {
  const problems = (event: Event): string[] => {
    const { validate, validateCreate } = newer?.strategy ?? {}
    return [...(validate?.(event) ?? []), ...(validateCreate?.(event) ?? [])].map(fieldErrorText)
  }
  const { source: _, firstTimestamp: __, count: ___, ...right } = full
  assert.deepEqual(problems(right), [])
  assert.deepEqual(problems({ ...right, count: 1, series: { count: 1 } }), [
    'series.count: Invalid value: "": should be at least 2',
    'series.lastObservedTime: Required value',
    'count: Invalid value: "": needs to be unset',
  ])
  assert.deepEqual(problems({ ...right, reportingComponent: '', action: 'x'.repeat(129) }).slice(0, 2), [
    'reportingController: Required value',
    'reportingController: Invalid value: "": name part must be non-empty',
  ])
})

test('events.k8s.io: only the series of an event goes on', () => {
  const change = (more: Partial<Event>): string[] =>
    (newer?.strategy?.validateUpdate?.({ ...full, ...more }, full) ?? []).map(fieldErrorText)
  assert.deepEqual(change({ series: { count: 9, lastObservedTime: '2024-01-01T00:00:01.000000Z' } }), [])
  assert.deepEqual(change({ reportingComponent: 'example.dev/d' }), [
    'reportingController: Invalid value: "example.dev/d": field is immutable',
  ])
})
