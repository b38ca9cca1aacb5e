import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewOf } from '@strata/insight'
import type { Observed } from '../../live/observed.ts'
import { nowMs, observedFleet, recordOf } from '../../live/observed-for-test.ts'
import { statusOf } from '../fleet-facts.ts'
import { eventsBefore } from './at-first.ts'
import { changesBetween } from './fleet-changes.ts'
import { spansOf } from './migration-spans.ts'
import { eventOfPlay } from './played-events.ts'

type Writes = Readonly<Record<string, string>>
const fleet = (servers: string, ...things: readonly Writes[]): Observed =>
  observedFleet(
    [...servers],
    things.map((writes, index) => recordOf(`things${index}`, writes)),
  )
const lost = { ...fleet('ab', { a: 'v1', b: 'v1' }), unseen: { because: 'no answer' } as never }
const v1 = { a: 'v1', b: 'v1' }
const mixed = { a: 'v2', b: 'v1' }
const v2 = { a: 'v2', b: 'v2' }
/** What the Lease of b says. */
function withLease(observed: Observed, said: { release?: string; renewTime?: string }): Observed {
  const objects = observed.leases.objects.map((lease) => {
    if (lease.metadata.name !== 'b') return lease
    const { release, ...spec } = said
    const named = release === undefined ? {} : { annotations: { 'strata.dev/release': release } }
    return { ...lease, metadata: { ...lease.metadata, ...named }, spec: { ...lease.spec, ...spec } }
  })
  return { ...observed, leases: { ...observed.leases, objects } }
}
const silent = withLease(fleet('ab', v1), { renewTime: new Date(nowMs - 3_600_000).toISOString() })
const written = recordOf('things0', v1)
const servers = written.status.servers.map((each) =>
  each.serverID === 'b' ? { ...each, refusesWrites: true } : each,
)
const refusing = observedFleet(['a', 'b'], [recordOf('things0', v1, { servers })])

const cases: ReadonlyArray<[name: string, before: Observed, after: Observed, want: readonly string[]]> = [
  ['nothing happens', fleet('ab', v1), fleet('ab', v1), []],
  [
    'a resource disagrees',
    fleet('ab', v1),
    fleet('ab', mixed),
    ['resources disagreed: things0.example.dev: agreed v1 → disagreed'],
  ],
  [
    'many that agree again are one event',
    fleet('ab', mixed, mixed),
    fleet('ab', v2, v2),
    ['resources good: things0.example.dev, things1.example.dev: disagreed → agreed v2'],
  ],
  ['a server joins', fleet('a', { a: 'v1' }), fleet('ab', v1), ['servers plain: S2 (b) joined']],
  ['a server leaves', fleet('ab', v1), fleet('a', { a: 'v1' }), ['servers plain: S2 (b) left']],
  ['a server is silent', fleet('ab', v1), silent, ['faults left: S2 (b) is silent']],
  ['and renews its Lease again', silent, fleet('ab', v1), ['faults plain: S2 (b) renews its Lease again']],
  [
    'a server of a release with an odd name joins',
    fleet('a', { a: 'v1' }),
    withLease(fleet('ab', v1), { release: 'x is silent' }),
    ['servers plain: S2 (b) joined, release x is silent'],
  ],
  [
    'writes are refused',
    fleet('ab', v1),
    refusing,
    ['resources alarm: things0.example.dev: WRITES REFUSED: '],
  ],
  [
    'and are not any more',
    refusing,
    fleet('ab', v1),
    ['resources good: things0.example.dev: no server refuses writes any more'],
  ],
  ['the connection is lost', fleet('ab', v1), lost, ['faults alarm: the connection is lost: no answer']],
  ['and is back', lost, fleet('ab', v1), ['faults good: the fleet is seen again']],
]
for (const [name, before, after, want] of cases)
  test(`events: ${name}`, () => {
    const events = changesBetween(statusOf(before, nowMs), statusOf(after, nowMs), nowMs)
    const texts = events.map(({ lane, tone, text }) => `${lane} ${tone}: ${text}`)
    assert.equal(texts.length, want.length, texts.join('\n'))
    for (const [index, each] of want.entries()) assert.ok(texts[index]?.startsWith(each), texts.join('; '))
  })

test('events: the mark of one resource has the colour of its version', () => {
  const [event] = changesBetween(statusOf(fleet('ab', mixed), nowMs), statusOf(fleet('ab', v2), nowMs), nowMs)
  assert.deepEqual(event?.layer, { resource: 'things0.example.dev', version: 'v2' })
})

test('events: what was agreed in the same second before the page was opened is one event', () => {
  const agreedSince = '2026-01-01T00:00:00Z'
  const records = ['one', 'two'].map((name) => recordOf(name, v1, { agreedSince }))
  const observed = observedFleet(['a', 'b'], records)
  const events = eventsBefore(observed, statusOf(observed, nowMs)).filter(({ lane }) => lane === 'resources')
  assert.deepEqual(
    events.map(({ atMs, text }) => [atMs, text]),
    [[Date.parse(agreedSince), 'one.example.dev, two.example.dev: agreed v1']],
  )
})

test('events: a gap in what was recorded is a fault', () => {
  const recordingGap = {
    epoch: 3,
    at: '2026-01-01T00:00:00Z',
    reason: 'StoreRestored',
    message: 'restored',
  } as const
  const observed = observedFleet(['a', 'b'], [recordOf('one', v1, { recordingGap })])
  const [event] = eventsBefore(observed, statusOf(observed, nowMs)).filter(({ lane }) => lane === 'faults')
  assert.equal(event?.text, 'one.example.dev: recording gap: restored')
})

const played: ReadonlyArray<[kind: string, want: string]> = [
  ['crashed', 'faults alarm'],
  ['thawed', 'faults good'],
  ['roll-done', 'servers good'],
  ['a kind of a later release', 'servers plain'],
]
for (const [kind, want] of played)
  test(`events: of strata up: ${kind}`, () => {
    const event = eventOfPlay({ number: 1, time: '2026-01-01T00:00:00.250Z', kind, message: 'said' })
    assert.deepEqual([`${event.lane} ${event.tone}`, event.atMs % 1_000], [want, 250])
  })

const migration = (conditions: readonly object[], more = {}) =>
  viewOf('storagemigration.k8s.io', {
    metadata: { name: 'm', creationTimestamp: '2026-01-01T00:00:00Z', ...more },
    spec: { resource: { group: 'example.dev', resource: 'things' } },
    status: { conditions, target: { encodingVersion: 'example.dev/v2' } } as never,
  } as never)
const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' })

const spans: ReadonlyArray<[name: string, view: ReturnType<typeof migration>, want: readonly unknown[]]> = [
  ['runs', migration([condition('Running')]), ['plain', undefined, 'running']],
  ['has ended', migration([condition('Succeeded')]), ['good', 60, 'succeeded']],
  ['has failed', migration([condition('Failed')]), ['alarm', 60, 'failed']],
  [
    'pauses',
    migration([condition('Running')], { annotations: { 'strata.dev/paused': '' } }),
    ['plain', undefined, 'paused'],
  ],
]
for (const [name, view, [tone, seconds, state]] of spans)
  test(`spans: a migration that ${name}`, () => {
    const [span] = spansOf([view])
    const took = span?.toMs === undefined ? undefined : (span.toMs - span.fromMs) / 1_000
    assert.deepEqual([span?.tone, took], [tone, seconds])
    assert.ok(span?.text.startsWith(`things.example.dev to v2: ${state}`), `it says ${span?.text}`)
  })
