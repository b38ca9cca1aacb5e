import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetState, RollPhase, ServerState, ServerView } from '../state/fleet-state.ts'
import { decideRefusal } from './decide-refusal.ts'
import type { PlaygroundAction } from './read-action.ts'

const server = (name: string, state: ServerState = 'ready', release = 'x+1'): ServerView => ({
  ...{ name, instance: name, serverID: `id-${name}`, release, pid: 1, url: 'https://a', state, since: '' },
})
const idle: FleetState = {
  servers: [server('a'), server('b')],
  releases: ['x+1', 'x+2', 'x+3'],
  roll: null,
  load: null,
  scenes: [],
  resources: [],
}
const rolling = (state: RollPhase): FleetState => ({
  ...idle,
  roll: { from: 'x+1', to: 'x+2', direction: 'forward', state, step: 1, of: 2, message: '' },
})
const freezing: FleetState = { ...idle, servers: [server('a', 'freezing')] }
const roll = { action: 'roll', to: 'x+2' } as const

const cases: ReadonlyArray<[name: string, action: PlaygroundAction, state: FleetState, says?: RegExp]> = [
  ['a roll to a known release', roll, idle],
  [
    'a roll without releases',
    roll,
    { ...idle, releases: [] },
    /409 .*no releases: start it with --resources/,
  ],
  ['a roll to an unknown release', { ...roll, to: 'y' }, idle, /404 .*release y; known: x\+1, x\+2, x\+3/],
  ['a roll to what runs already', { ...roll, to: 'x+1' }, idle, /409 every server runs x\+1 already/],
  ['a second roll', roll, rolling('running'), /409 a roll to x\+2 is under way/],
  ['a roll beside one that goes back', roll, rolling('going-back'), /409 /],
  [
    'a roll elsewhere while one is paused',
    { ...roll, to: 'x+3' },
    rolling('paused'),
    /409 .*is paused: resume/,
  ],
  ['a roll after a roll', { ...roll, to: 'x+2' }, rolling('done')],
  [
    'a roll over a release',
    { ...roll, to: 'x+3' },
    idle,
    /409 a runs x\+1, and a roll to x\+3 skips x\+2: roll to/,
  ],
  [
    'a roll back over a release',
    { ...roll, to: 'x+1' },
    { ...idle, servers: [server('a', 'ready', 'x+2'), server('b', 'ready', 'x+3')] },
    /409 b runs x\+3, and a roll to x\+1 skips x\+2/,
  ],
  ['a roll over a release, insisted on', { ...roll, to: 'x+3', skipReleases: true }, idle],
  ['a roll to the release before', roll, { ...idle, servers: [server('a', 'ready', 'x+3')] }],
  ['a roll from a release that no kind has', roll, { ...idle, servers: [server('a', 'ready', '0.1.0')] }],
  ['pause', { action: 'pause' }, rolling('running')],
  ['pause without a roll', { action: 'pause' }, idle, /409 no roll is under way/],
  ['resume', { action: 'resume' }, rolling('paused')],
  ['resume after a failure', { action: 'resume' }, rolling('failed')],
  ['resume while it runs', { action: 'resume' }, rolling('running'), /409 no roll is paused/],
  ['back in the middle', { action: 'back' }, rolling('running')],
  ['back after the end', { action: 'back' }, rolling('done')],
  ['back without a roll', { action: 'back' }, idle, /409 there was no roll/],
  ['back twice', { action: 'back' }, rolling('going-back'), /409 .*going back already/],
  ['a crash', { action: 'crash', server: 'a' }, idle],
  ['a server that is not there', { action: 'crash', server: 'c' }, idle, /404 no server "c"; there are a, b/],
  [
    'a thaw of a server that is not frozen',
    { action: 'thaw', server: 'a' },
    idle,
    /409 a is ready: thaw needs/,
  ],
  ['a freeze beside a freeze', { action: 'freeze', server: 'a' }, freezing, /409 a is freezing/],
  ['a thaw before the freeze is made', { action: 'thaw', server: 'a' }, freezing, /409 a is freezing/],
  ['a crash before the freeze is made', { action: 'crash', server: 'a' }, freezing, /409 a is freezing/],
  ['a thaw', { action: 'thaw', server: 'a' }, { ...idle, servers: [server('a', 'frozen')] }],
  ['a load', { action: 'load', writesPerSecond: 100 }, idle],
  ['a load that is too high', { action: 'load', writesPerSecond: 5_000 }, idle, /400 at most/],
]
for (const [name, action, state, says] of cases) {
  test(`${says ? 'refused' : 'taken'}: ${name}`, () => {
    const refusal = decideRefusal(action, state)
    if (!says) assert.equal(refusal, undefined)
    else assert.match(`${refusal?.code} ${refusal?.message}`, says)
  })
}
