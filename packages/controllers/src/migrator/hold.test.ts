import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hold, holdAnnotation, holdIn, holdTimes, isAbandoned, Stillness } from './hold.ts'

const hold: Hold = { id: 'one', hostname: 'h', bootId: 'b', pid: 7, startTicks: '9' }

test('hold: what stands on the object is read back, and nothing is nobody', () => {
  assert.deepEqual(holdIn({ [holdAnnotation]: JSON.stringify(hold) }), hold)
  for (const annotations of [undefined, {}, { [holdAnnotation]: '' }]) {
    assert.equal(holdIn(annotations), undefined)
  }
})

test('hold: one that cannot be read is somebody of whom nothing is known', () => {
  assert.equal(holdIn({ [holdAnnotation]: 'me' })?.id, 'me')
  assert.equal(holdIn({ [holdAnnotation]: '{}' })?.id, '{}')
})

test('hold: abandoned with proof, or after a silence', () => {
  const gone = { isGone: () => true }
  const alive = { isGone: () => false }
  assert.equal(isAbandoned(hold, gone, 0), true)
  assert.equal(isAbandoned(hold, alive, holdTimes.silenceMs - 1), false)
  assert.equal(isAbandoned(hold, alive, holdTimes.silenceMs), true)
})

test('stillness: counts from the first look at a mark, each key by itself', () => {
  let nowMs = 100
  const still = new Stillness({ monotonicMs: () => nowMs } as ConstructorParameters<typeof Stillness>[0])
  assert.equal(still.unmovedForMs('a', '1'), 0)
  nowMs += 50
  assert.equal(still.unmovedForMs('a', '1'), 50)
  assert.equal(still.unmovedForMs('b', '1'), 0)
  assert.equal(still.unmovedForMs('a', '2'), 0)
  nowMs += 10
  assert.equal(still.unmovedForMs('a', '2'), 10)
})
