import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerState } from '../state/fleet-state.ts'
import { countDone, decideRoll, type Roll } from './decide-roll.ts'

const names = ['a', 'b', 'c']
const forward: Roll = {
  servers: names,
  before: { a: 'x+1', b: 'x+1', c: 'x+1' },
  to: 'x+2',
  direction: 'forward',
  oneByOne: false,
  isPauseWanted: false,
  restarted: 0,
}
const back: Roll = { ...forward, direction: 'back' }

/** `1`, `2`: ready in x+1, x+2; `1 frozen` … */
const fleet = (...servers: readonly string[]) =>
  servers.map((text, index) => {
    const [release, state = 'ready'] = text.split(' ')
    return { name: names[index] ?? '', release: `x+${release}`, state: state as ServerState }
  })

const cases: ReadonlyArray<[name: string, roll: Roll, servers: ReturnType<typeof fleet>, want: string]> = [
  ['begins with the first server', forward, fleet('1', '1', '1'), 'restart a x+2'],
  ['goes on with the next', forward, fleet('2', '1', '1'), 'restart b x+2'],
  ['waits for the server that was restarted', forward, fleet('2 starting', '1', '1'), 'wait: a is starting'],
  ['waits for a server that is not its own', forward, fleet('1', '1', '1 crashed'), 'wait: c is crashed'],
  ['waits until the next server itself is back', forward, fleet('1 crashed', '1', '1'), 'wait: a is crashed'],
  ['ends when all run the release', forward, fleet('2', '2', '2'), 'finish'],
  ['does not end before the last is ready', forward, fleet('2', '2', '2 starting'), 'wait: c is starting'],
  ['waits for a server that is being frozen', forward, fleet('1 freezing', '1', '1'), 'wait: a is freezing'],
  ['waits for it on the way back too', back, fleet('1', '1', '2 freezing'), 'wait: c is freezing'],
  ['passes over a frozen server', forward, fleet('1 frozen', '1', '1'), 'restart b x+2'],
  [
    'waits for a frozen server at the end',
    forward,
    fleet('1 frozen', '2', '2'),
    'wait: a is frozen: it is restarted once it is thawed',
  ],
  ['restarts it when it is thawed', forward, fleet('1', '2', '2'), 'restart a x+2'],
  ['a frozen server that runs the release is done', forward, fleet('2 frozen', '2', '2'), 'finish'],
  [
    'pauses when it is asked to',
    { ...forward, isPauseWanted: true },
    fleet('2', '1', '1'),
    'pause: before b',
  ],
  [
    'pauses only between two servers',
    { ...forward, isPauseWanted: true },
    fleet('2 starting', '1', '1'),
    'wait: a is starting',
  ],
  [
    'pauses while only a frozen server is left',
    { ...forward, isPauseWanted: true },
    fleet('2', '2', '1 frozen'),
    'pause: before c',
  ],
  [
    'a pause after the last server is the end',
    { ...forward, isPauseWanted: true },
    fleet('2', '2', '2'),
    'finish',
  ],
  ['one by one restarts the first', { ...forward, oneByOne: true }, fleet('1', '1', '1'), 'restart a x+2'],
  [
    'one by one pauses after it',
    { ...forward, oneByOne: true, restarted: 1 },
    fleet('2', '1', '1'),
    'pause: b is next',
  ],
  ['back: begins with the last that was upgraded', back, fleet('2', '2', '1'), 'restart b x+1'],
  [
    'back: a server that does not become ready is the first',
    back,
    fleet('2 starting', '1', '1'),
    'restart a x+1',
  ],
  ['back: but not while another one is down', back, fleet('2', '1', '1 crashed'), 'wait: c is crashed'],
  ['back: a server that was stopped is started', back, fleet('1 stopped', '1', '1'), 'restart a x+1'],
  ['starts a server that was stopped', forward, fleet('1 stopped', '1', '1'), 'restart a x+2'],
  ['back: ends when all run what they ran', back, fleet('1', '1', '1'), 'finish'],
  [
    'back: each server returns to its own release',
    { ...back, before: { a: 'x', b: 'x+1', c: 'x+1' } },
    fleet('2', '1', '1'),
    'restart a x',
  ],
  ['takes only its servers', { ...forward, servers: ['b'] }, fleet('1', '2', '1'), 'finish'],
]
for (const [name, roll, servers, want] of cases) {
  test(`roll: ${name}`, () => {
    const step = decideRoll(roll, servers)
    const text =
      step.do === 'restart'
        ? `restart ${step.server} ${step.release}`
        : 'because' in step
          ? `${step.do}: ${step.because}`
          : step.do
    assert.equal(text, want)
  })
}

test('roll: a server counts once it is ready', () => {
  assert.deepEqual(countDone(forward, fleet('2', '2 starting', '1')), { step: 1, of: 3 })
  assert.deepEqual(countDone(back, fleet('2', '1', '1')), { step: 2, of: 3 })
})
