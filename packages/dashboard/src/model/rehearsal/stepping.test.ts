import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidePlayhead, type PlayCommand, type Playhead, stepOfKey } from './stepping.ts'

const still = (at: number): Playhead => ({ at, isPlaying: false })
const playing = (at: number): Playhead => ({ at, isPlaying: true })

const cases: ReadonlyArray<[name: string, from: Playhead, command: PlayCommand, want: Playhead]> = [
  ['play goes on from where it is', still(1), 'play', playing(1)],
  ['play begins anew at the end', still(3), 'play', playing(0)],
  ['pause stays', playing(2), 'pause', still(2)],
  ['a tick shows the next step', playing(1), 'tick', playing(2)],
  ['the last tick ends the play', playing(2), 'tick', still(3)],
  ['a tick that comes late changes nothing', still(1), 'tick', still(1)],
  ['next stops the play', playing(1), 'next', still(2)],
  ['there is no step after the last one', still(3), 'next', still(3)],
  ['there is no step before the first one', still(0), 'previous', still(0)],
  ['a step that is chosen', playing(0), { show: 2 }, still(2)],
  ['a step that is not there', still(0), { show: 9 }, still(3)],
]
for (const [name, from, command, want] of cases)
  test(`stepping through a rehearsal: ${name}`, () => {
    assert.deepEqual(decidePlayhead(from, command, { steps: 4, isMotionReduced: false }), want)
  })

test('stepping through a rehearsal: with reduced motion the end is shown at once', () => {
  assert.deepEqual(decidePlayhead(still(0), 'play', { steps: 4, isMotionReduced: true }), still(3))
})

test('stepping through a rehearsal: one step, and none', () => {
  for (const steps of [0, 1])
    assert.deepEqual(decidePlayhead(still(0), 'play', { steps, isMotionReduced: false }), still(0))
})

test('stepping through a rehearsal: arrows lead on, unless a field needs them', () => {
  assert.equal(stepOfKey('ArrowRight', false), 'next')
  assert.equal(stepOfKey('ArrowLeft', false), 'previous')
  assert.equal(stepOfKey('ArrowRight', true), undefined)
  assert.equal(stepOfKey('a', false), undefined)
})
