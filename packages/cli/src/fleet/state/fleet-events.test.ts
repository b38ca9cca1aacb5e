import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@strata/world'
import { EventLog } from './event-log.ts'
import { describeEvents } from './fleet-events.ts'
import type { FleetState, LoadView, RollView, SceneView, ServerState, ServerView } from './fleet-state.ts'

const server = (state: ServerState, message?: string): ServerView => ({
  ...{ name: 'a', instance: 'a', serverID: 'id-a', release: 'x', pid: 1, url: '', state, since: '' },
  ...(message === undefined ? {} : { message }),
})
const quiet: FleetState = {
  servers: [server('ready')],
  releases: [],
  roll: null,
  load: null,
  scenes: [],
  resources: [],
}
const servers = (...all: ServerView[]): Partial<FleetState> => ({ servers: all })
const roll = (more: Partial<RollView>): Partial<FleetState> => ({
  roll: { from: 'x', to: 'y', direction: 'forward', state: 'running', step: 1, of: 3, message: 'm', ...more },
})
const load = (view: Partial<LoadView>): Partial<FleetState> => ({
  load: { writesPerSecond: 5, written: 0, refused: 0, unknown: 0, ...view },
})
const scene = (view: Partial<SceneView>): Partial<FleetState> => ({
  scenes: [{ name: 's', title: 'T', proves: '', state: 'playing', steps: [], sentence: 'seen', ...view }],
})

const cases: ReadonlyArray<
  [name: string, before: Partial<FleetState>, after: Partial<FleetState>, want: string]
> = [
  ['nothing has happened', {}, {}, ''],
  ['a message alone is no event', {}, servers(server('ready', 'busy')), ''],
  ['a server leaves', {}, servers(server('draining')), 'leaving: a (x) finishes its requests and leaves'],
  ['it has left', servers(server('draining')), servers(server('stopped')), 'left: a (x) has left'],
  ['it starts', servers(server('stopped')), servers(server('starting')), 'started: a (x) starts'],
  ['after a crash too', servers(server('crashed')), servers(server('starting')), 'started: a (x) starts'],
  [
    'a crash says why',
    {},
    servers(server('crashed', 'ended by SIGKILL')),
    'crashed: a (x) has crashed: ended by SIGKILL',
  ],
  ['a freeze that may be taken back', {}, servers(server('freezing')), ''],
  ['a freeze that is taken back', servers(server('freezing')), servers(server('starting')), ''],
  ['a freeze', {}, servers(server('frozen')), 'frozen: a (x) is frozen'],
  ['a thaw is no start', servers(server('frozen')), servers(server('starting')), 'thawed: a (x) is thawed'],
  ['a roll begins', {}, roll({}), 'roll-began: the servers go from x to y'],
  ['its steps are those of its servers', roll({}), roll({ step: 2 }), ''],
  ['it pauses', roll({}), roll({ state: 'paused' }), 'roll-paused: the roll pauses, 1 of 3 run y: m'],
  [
    'it goes back',
    roll({ state: 'paused' }),
    roll({ state: 'going-back', direction: 'back' }),
    'roll-went-back: the servers go back from y to x',
  ],
  ['it fails', roll({}), roll({ state: 'failed' }), 'roll-failed: the roll has failed, 1 of 3 run y: m'],
  ['it is done', roll({}), roll({ state: 'done' }), 'roll-done: the roll is done: m'],
  [
    'a second one begins',
    roll({ state: 'done' }),
    roll({ from: 'y', to: 'z' }),
    'roll-began: the servers go from y to z',
  ],
  ['clients begin to write', {}, load({}), 'load-changed: clients write 5 times per second'],
  ['what they write is no event', load({}), load({ written: 9 }), ''],
  ['they end', load({}), load({ writesPerSecond: 0 }), 'load-changed: the load has ended'],
  ['a scene begins', {}, scene({}), 'scene-began: the scene "T" begins'],
  ['and ends', scene({}), scene({ state: 'proven' }), 'scene-ended: the scene "T" has ended, proven: seen'],
]
for (const [name, before, after, want] of cases) {
  test(`events: ${name}`, () => {
    const events = describeEvents({ ...quiet, ...before }, { ...quiet, ...after })
    assert.equal(events.map(({ kind, message }) => `${kind}: ${message}`).join('; '), want)
  })
}

test('events: the log numbers them, and forgets the oldest first', () => {
  const clock: Clock = { wallMs: () => 1_234, monotonicMs: () => 0, after: () => () => {}, soon: () => {} }
  const log = new EventLog(clock, 2)
  for (const message of ['one', 'two', 'three']) log.add([{ kind: 'ready', message }])
  const seen = log.after(0).map(({ number, time, message }) => `${number} ${time} ${message}`)
  assert.deepEqual(seen, ['2 1970-01-01T00:00:01.234Z two', '3 1970-01-01T00:00:01.234Z three'])
  assert.deepEqual(
    log.after(2).map(({ message }) => message),
    ['three'],
  )
})
