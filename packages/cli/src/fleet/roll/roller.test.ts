import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import type { FleetServer } from '../processes/fleet-server.ts'
import { FleetBoard } from '../state/fleet-board.ts'
import type { ServerView } from '../state/fleet-state.ts'
import { Roller } from './roller.ts'

test('roll: a server that was ready, and is not any more, is waited for; not on the way back', async () => {
  const simulation = new Simulation('roll')
  const world = simulation.process('up')
  const views = ['a', 'b'].map(
    (name): ServerView => ({
      ...{ name, instance: name, serverID: name, release: 'x', pid: 1, url: '', state: 'ready', since: '' },
    }),
  )
  const state = { servers: views, releases: ['x', 'y'], resources: [], roll: null, load: null, scenes: [] }
  const board = new FleetBoard(world.clock, state)
  const unready = new Set(['b'])
  const servers = views.map(({ name }) => ({
    ...{ name, stop: async () => {}, untilReady: async () => {} },
    launch: (release: string) => board.changeServer(name, { release }),
    transport: async (): Promise<HttpResponse> => ({
      ...{ status: unready.has(name) ? 500 : 200, headers: {}, body: new Uint8Array() },
    }),
  }))
  const roller = new Roller(
    { board, servers: servers as unknown as FleetServer[] },
    { world, print: () => {}, signal: new AbortController().signal },
  )
  const releases = () => board.state.servers.map(({ release }) => release).join()
  const pass = () => simulation.run({ untilMs: simulation.nowMs + 5_000 })
  roller.begin('y')
  await pass()
  assert.deepEqual([releases(), board.state.roll?.message], ['x,x', 'b is not ready'])
  unready.clear()
  await pass()
  assert.deepEqual([releases(), board.state.roll?.state], ['y,y', 'done'])
  unready.add('a')
  roller.back()
  await pass()
  assert.deepEqual([releases(), board.state.roll?.state], ['x,x', 'done'])
})
