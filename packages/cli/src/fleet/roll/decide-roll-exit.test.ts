import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetState, RollView, ServerView } from '../state/fleet-state.ts'
import { decideRollExit, describeLatePause, describeRoll, type RollGoal } from './decide-roll-exit.ts'

const roll: RollView = {
  ...{ from: 'x+1', to: 'x+2', direction: 'forward', state: 'running', step: 1, of: 3, message: 'b starts' },
}

const cases: ReadonlyArray<
  [name: string, roll: Partial<RollView> | null, goal: RollGoal, want: number | undefined]
> = [
  ['it runs', {}, 'forward', undefined],
  ['it goes back', { state: 'going-back', direction: 'back' }, 'forward', undefined],
  ['it is done', { state: 'done' }, 'forward', 0],
  ['it is done, and was to go back', { state: 'done' }, 'back', 1],
  ['it went back', { state: 'done', direction: 'back' }, 'back', 0],
  ['it went back, and was to go forward', { state: 'done', direction: 'back' }, 'forward', 1],
  ['it was paused elsewhere', { state: 'paused' }, 'forward', 3],
  ['it was to pause', { state: 'paused' }, 'pause', 0],
  ['it was done before it could pause', { state: 'done' }, 'pause', 0],
  ['it failed', { state: 'failed' }, 'forward', 1],
  ['there is none', null, 'forward', 1],
]
for (const [name, change, goal, want] of cases) {
  test(`roll: ${name}`, () => assert.equal(decideRollExit(change && { ...roll, ...change }, goal), want))
}

const pauses: ReadonlyArray<[change: Partial<RollView>, goal: RollGoal, want: string | undefined]> = [
  [{ state: 'done' }, 'pause', 'too late to pause: the roll is done, all servers run x+2'],
  [{ state: 'done', direction: 'back' }, 'pause', 'too late to pause: the roll is done, all servers run x+1'],
  [{ state: 'paused' }, 'pause', undefined],
  [{ state: 'done' }, 'forward', undefined],
]
for (const [change, goal, want] of pauses) {
  test(`roll: ${change.state}, and ${goal} was asked for: ${want ?? 'nothing to add'}`, () =>
    assert.equal(describeLatePause({ ...roll, ...change }, goal), want))
}

test('roll: prints what is new, and nothing twice', () => {
  const server: ServerView = {
    ...{
      name: 'a',
      instance: 'a',
      serverID: 'a',
      release: 'x+1',
      pid: 1,
      url: '',
      state: 'ready',
      since: '',
    },
  }
  const before: FleetState = { servers: [server], releases: [], roll, load: null, scenes: [], resources: [] }
  assert.deepEqual(describeRoll(before, undefined), ['running, 1 of 3 run x+2: b starts'])
  assert.deepEqual(describeRoll({ ...before }, before), [])
  const after: FleetState = {
    ...before,
    servers: [{ ...server, state: 'crashed', message: 'was ended by SIGKILL' }],
  }
  assert.deepEqual(describeRoll(after, before), ['a (x+1) is crashed: was ended by SIGKILL'])
})
