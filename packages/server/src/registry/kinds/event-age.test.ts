import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '@strata/api'
import { lastWriteMs } from './event-age.ts'

const nowMs = Date.parse('2026-01-01T12:00:00Z')
const created = { metadata: { creationTimestamp: '2026-01-01T11:00:00Z' } }

const cases: ReadonlyArray<[name: string, event: Event, want: string]> = [
  ['counts from its creation', created, '2026-01-01T11:00:00Z'],
  ['was seen again', { ...created, lastTimestamp: '2026-01-01T11:30:00Z' }, '2026-01-01T11:30:00Z'],
  [
    'belongs to a series that goes on',
    { ...created, series: { lastObservedTime: '2026-01-01T11:45:00.000000Z' } },
    '2026-01-01T11:45:00Z',
  ],
  ['tells of long ago', { ...created, lastTimestamp: '2024-01-01T00:00:00Z' }, '2026-01-01T11:00:00Z'],
  [
    'tells of the future, which is not believed',
    { ...created, eventTime: '2100-01-01T00:00:00.000000Z' },
    '2026-01-01T11:00:00Z',
  ],
  ['tells nothing, and stays for now', { metadata: {}, lastTimestamp: null }, '2026-01-01T12:00:00Z'],
]
for (const [name, event, want] of cases) {
  test(`age of an event that ${name}`, () => assert.equal(lastWriteMs(event, nowMs), Date.parse(want)))
}
