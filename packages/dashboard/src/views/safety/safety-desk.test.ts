import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signal } from '@preact/signals'
import { Simulation } from '@strata/world/sim'
import { observedFleet, recordOf } from '../../live/observed-for-test.ts'
import { explainReview, type SafetyAnswer } from '../../model/safety/safety-answer.ts'
import { SafetyDesk } from './safety-desk.ts'

function desk() {
  const { clock } = new Simulation('safety').process('page')
  const open = new Map<string, PromiseWithResolvers<SafetyAnswer>>()
  const observed = signal(observedFleet(['a'], [recordOf('lamps', { a: 'v1' })]))
  const moment = signal<typeof observed.value | undefined>(undefined)
  const ask = (release: string): Promise<SafetyAnswer> => {
    const asked = Promise.withResolvers<SafetyAnswer>()
    open.set(release, asked)
    return asked.promise
  }
  const answer = (release: string): void =>
    open.get(release)?.resolve(explainReview(release, { verdict: 'Safe', resources: [] }))
  const fail = (release: string): void => open.get(release)?.reject(new Error(`no answer about ${release}`))
  return { desk: new SafetyDesk({ clock, observed, moment, ask }), observed, answer, fail }
}

type Settled = readonly ['answer' | 'fail', string]
const orders: ReadonlyArray<[name: string, settled: readonly Settled[]]> = [
  [
    'the older answer comes last',
    [
      ['answer', 'x+2'],
      ['answer', 'x+1'],
    ],
  ],
  [
    'the older question fails last',
    [
      ['answer', 'x+2'],
      ['fail', 'x+1'],
    ],
  ],
  [
    'the older answer comes first',
    [
      ['answer', 'x+1'],
      ['answer', 'x+2'],
    ],
  ],
]
for (const [name, settled] of orders)
  test(`safety: of two questions the later one is answered: ${name}`, async () => {
    const parts = desk()
    const asked = new Map(['x+1', 'x+2'].map((each) => [each, parts.desk.ask(each)]))
    for (const [how, release] of settled) {
      parts[how](release)
      await asked.get(release)
    }
    const shown = parts.desk.shown.value
    assert.equal(shown.kind === 'answer' && shown.answer.release, 'x+2')
    assert.deepEqual([parts.desk.problem.value, parts.desk.isAsking.value], ['', false])
  })

test('safety: a question is open until the latest one is answered, and a failure shows no older verdict', async () => {
  const { desk: safety, answer, fail } = desk()
  const first = safety.ask('x+1')
  const second = safety.ask('x+2')
  answer('x+1')
  await first
  assert.deepEqual([safety.shown.value.kind, safety.isAsking.value], ['none', true])
  fail('x+2')
  await second
  assert.deepEqual([safety.problem.value, safety.isAsking.value], ['no answer about x+2', false])
})

test('safety: while it was asked a record has changed: the verdict may be of before that', async () => {
  const { desk: safety, observed, answer } = desk()
  const asked = safety.ask('x+1')
  observed.value = observedFleet(['a', 'b'], [recordOf('lamps', { a: 'v1', b: 'v2' }), recordOf('new', {})])
  answer('x+1')
  await asked
  assert.equal(safety.shown.value.kind, 'withdrawn')
})
