import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideEvent, type MigrationEvent, quarantineEvents } from './decide-event.ts'

const rows: readonly [MigrationEvent, type: string, reason: string, message: RegExp][] = [
  [{ kind: 'created', because: 'v1 may be stored' }, 'Normal', 'MigrationCreated', /: v1 may be stored$/],
  [{ kind: 'started', target: 'v2', by: 'controllers' }, 'Normal', 'MigrationStarted', /^controllers .* v2$/],
  [{ kind: 'waiting', because: 'a writes v1' }, 'Normal', 'MigrationWaiting', /^a writes v1$/],
  [{ kind: 'stalled', because: 'not served' }, 'Warning', 'MigrationWaiting', /^not served$/],
  [{ kind: 'aborted', because: 'the target moved' }, 'Warning', 'MigrationAborted', /: the target moved$/],
  [{ kind: 'paused' }, 'Normal', 'MigrationPaused', /strata\.dev\/paused/],
  [
    { kind: 'paused', because: 'no server answers' },
    ...(['Warning', 'MigrationPaused', /^no server answers; .*strata\.dev\/paused/] as const),
  ],
  [
    { kind: 'quarantined', object: { namespace: 'n', name: 'o', reason: 'Denied', message: 'no' } },
    ...(['Warning', 'ObjectQuarantined', /^n\/o: Denied: no$/] as const),
  ],
  [
    { kind: 'quarantined', object: { name: 'o', reason: 'Denied' } },
    ...(['Warning', 'ObjectQuarantined', /^o: Denied$/] as const),
  ],
  [
    { kind: 'unread', annotation: 'strata.dev/priority', text: 'high', wanted: 'a whole number' },
    ...([
      'Warning',
      'AnnotationIgnored',
      /^strata\.dev\/priority "high" is ignored: .*whole number$/,
    ] as const),
  ],
  [{ kind: 'quarantinedMore', count: 3 }, 'Warning', 'ObjectQuarantined', /^and 3 more/],
  [{ kind: 'succeeded', proof: 'proven' }, 'Normal', 'MigrationSucceeded', /: proven$/],
  [{ kind: 'failed', message: 'it was cancelled' }, 'Warning', 'MigrationFailed', /^it was cancelled$/],
]
for (const [event, type, reason, message] of rows) {
  test(`event: ${event.kind}: ${reason}`, () => {
    const words = decideEvent(event)
    assert.deepEqual([words.type, words.reason], [type, reason])
    assert.match(words.message, message)
  })
}

test('event: what is said is as long as the API takes it', () => {
  assert.equal(decideEvent({ kind: 'failed', message: 'x'.repeat(5_000) }).message.length, 1_000)
})

test('event: of many objects the first are named, and the others counted', () => {
  const objects = Array.from({ length: 100 }, (_, index) => ({ name: `o-${index}`, reason: 'Denied' }))
  const reported = quarantineEvents({ total: 1_234, objects })
  assert.deepEqual([reported.length, reported.at(-1)], [11, { kind: 'quarantinedMore', count: 1_224 }])
  assert.deepEqual(quarantineEvents({ total: 0, objects: [] }), [])
  assert.equal(quarantineEvents({ total: 2, objects: objects.slice(0, 2) }).length, 2)
})
