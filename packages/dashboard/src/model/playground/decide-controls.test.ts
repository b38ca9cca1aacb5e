import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextRelease, rollControls, serverControls } from './decide-controls.ts'
import type { FleetView, PlayedRoll, PlayedServer } from './fleet-view.ts'

const server: PlayedServer = { name: 'a', release: 'x', state: 'ready' }
const fleet: FleetView = {
  ...{ servers: [server, { ...server, name: 'b' }], releases: ['x', 'x+1', 'x+2'] },
  ...{ roll: null, load: null, scenes: [] },
}
const roll: PlayedRoll = {
  ...{ from: 'x', to: 'x+1', direction: 'forward', state: 'running', step: 1, of: 2, message: '' },
}

const servers: ReadonlyArray<[state: PlayedServer['state'], want: readonly string[]]> = [
  ['ready', ['Freeze', 'Crash']],
  ['starting', ['Freeze', 'Crash']],
  ['draining', ['Crash']],
  ['frozen', ['Thaw', 'Crash']],
  ['stopped', []],
  ['crashed', []],
]
for (const [state, want] of servers) {
  test(`playground: a server that is ${state} can be told to ${want.join(' or ') || 'do nothing'}`, () => {
    const labels = serverControls({ ...server, state }).map(({ label }) => label)
    assert.deepEqual(labels, want)
  })
}

const rolls: ReadonlyArray<
  [name: string, seen: Partial<FleetView>, to: string | undefined, want: readonly string[]]
> = [
  ['before the first one', {}, 'x+1', ['Roll to x+1']],
  ['to where all servers are', {}, 'x', []],
  ['to a release that no kind has', {}, 'y', []],
  ['without releases', { releases: [] }, undefined, []],
  ['under way', { roll }, 'x+2', ['Pause', 'Roll back']],
  ['on the way back', { roll: { ...roll, state: 'going-back', direction: 'back' } }, 'x+2', ['Pause']],
  ['paused', { roll: { ...roll, state: 'paused' } }, 'x+2', ['Resume', 'Roll back']],
  ['paused on the way back', { roll: { ...roll, state: 'paused', direction: 'back' } }, 'x+2', ['Resume']],
  ['failed', { roll: { ...roll, state: 'failed' } }, 'x+2', ['Try again', 'Roll back']],
  ['done', { roll: { ...roll, state: 'done' } }, 'x+2', ['Roll to x+2', 'Roll back']],
  ['done, and back', { roll: { ...roll, state: 'done', direction: 'back' } }, 'x+1', ['Roll to x+1']],
]
for (const [name, seen, to, want] of rolls) {
  test(`playground: a roll ${name} offers ${want.join(' and ') || 'nothing'}`, () => {
    assert.deepEqual(
      rollControls({ ...fleet, ...seen }, to).map(({ label }) => label),
      want,
    )
  })
}

test('playground: the next release is the one after the newest that runs', () => {
  assert.equal(nextRelease(fleet), 'x+1')
  assert.equal(nextRelease({ ...fleet, servers: [server, { ...server, release: 'x+1' }] }), 'x+2')
  assert.equal(nextRelease({ ...fleet, servers: [{ ...server, release: 'x+2' }] }), 'x+2')
  assert.equal(nextRelease({ ...fleet, servers: [{ ...server, release: '0.1.0' }] }), undefined)
})
