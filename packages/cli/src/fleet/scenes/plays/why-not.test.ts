import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetState, RollPhase, ServerState } from '../../state/fleet-state.ts'
import { whyNotQuiet, whyNoUpgrade } from './beacons.ts'
import { vote } from './vote.ts'

const server = (name: string, release = 'x+1', state: ServerState = 'ready') => ({
  ...{ name, instance: name, serverID: name, release, pid: 1, url: '', state, since: '' },
})
const idle: FleetState = {
  ...{ servers: [server('a'), server('b')], releases: ['x', 'x+1', 'x+2', 'x+3'], resources: [] },
  ...{ roll: null, load: null, scenes: [] },
}
const rolled = (state: RollPhase): Partial<FleetState> => ({
  roll: { from: 'x', to: 'x+1', direction: 'forward', state, step: 2, of: 2, message: '' },
})

const cases: ReadonlyArray<[name: string, change: Partial<FleetState>, want: string | undefined]> = [
  ['an idle fleet can play', {}, undefined],
  ['also after a roll', rolled('done'), undefined],
  ['not during one', rolled('running'), 'a roll is running: finish it'],
  ['nor half-way', rolled('paused'), 'a roll is paused: finish it'],
  ['nor with a server away', { servers: [server('a'), server('b', 'x+1', 'frozen')] }, 'b is frozen'],
  ['nor with two releases', { servers: [server('a'), server('b', 'x+2')] }, 'x+1 and x+2'],
]
for (const [name, change, want] of cases) {
  test(`scene: ${name}`, () => {
    for (const whyNot of [whyNotQuiet, whyNoUpgrade]) {
      const why = whyNot({ ...idle, ...change })
      if (want === undefined) assert.equal(why, undefined)
      else assert.ok(why?.includes(want), String(why))
    }
  })
}

const upgrades: ReadonlyArray<[name: string, change: Partial<FleetState>, want: string]> = [
  ['the example kind', { releases: [] }, 'it needs the example kind'],
  ['a second server', { servers: [server('a')] }, 'at least two servers'],
  [
    'the release to begin with',
    { servers: [server('a', 'x+2'), server('b', 'x+2')] },
    'strata roll --to x+1',
  ],
]
for (const [name, change, want] of upgrades) {
  test(`scene: an upgrade needs ${name}`, () => {
    assert.equal(whyNotQuiet({ ...idle, ...change }), undefined)
    assert.ok(whyNoUpgrade({ ...idle, ...change })?.includes(want))
  })
}

test('scene: one with a fleet of its own needs only the kinds of the running one', () => {
  const later = [server('a', 'x+2', 'frozen')]
  assert.equal(vote.whyNot({ ...idle, ...rolled('paused'), servers: later }), undefined)
  assert.match(vote.whyNot({ ...idle, releases: [] }) ?? '', /^it needs the example kind/)
})
