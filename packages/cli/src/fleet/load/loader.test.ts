import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps, type ResourceDefinition } from '@strata/api'
import { createClient } from '@strata/client'
import { type HttpRequest, type HttpResponse, sleep, TransportError, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import type { FleetServer } from '../processes/fleet-server.ts'
import { FleetBoard } from '../state/fleet-board.ts'
import { chooseLoadedKind } from './loaded-kind.ts'
import { Loader } from './loader.ts'

/** A fleet of one server, and what it does with each write. */
function start(write: () => Promise<void>) {
  const simulation = new Simulation('load')
  const world = simulation.process('up')
  const { clock } = world
  const transport = async ({ method, signal }: HttpRequest): Promise<HttpResponse> => {
    if (method === 'PATCH') await write()
    await sleep(clock, 5, signal)
    return { status: 200, headers: {}, body: utf8.encode('{"metadata":{}}') }
  }
  const board = new FleetBoard(clock, {
    ...{ releases: [], roll: null, load: null, scenes: [], resources: [] },
    servers: [
      {
        ...{ name: 'a', instance: 'a', serverID: 'apiserver-a', release: 'x', pid: 1, url: 'https://a' },
        ...{ state: 'ready', since: '' },
      },
    ],
  })
  const loader = new Loader({
    ...{ board, world, signal: new AbortController().signal },
    servers: [{ name: 'a', transport } as unknown as FleetServer],
    client: createClient({ transport }),
    kind: chooseLoadedKind([], configMaps as unknown as ResourceDefinition),
  })
  return { simulation, loader, board }
}

test('load: a write without an answer is neither written nor refused', async () => {
  const { simulation, loader, board } = start(async () => {
    throw new TransportError('the connection broke', 'unknown')
  })
  await simulation.settle(loader.set(10))
  await simulation.run({ untilMs: simulation.nowMs + 1_100 })
  const { written, refused, unknown = 0 } = board.state.load ?? assert.fail()
  assert.deepEqual([written, refused], [0, 0])
  assert.ok(unknown > 0)
})

test('load: two that are asked for at once are one, at the rate of the last', async () => {
  let writes = 0
  const { simulation, loader } = start(async () => {
    writes++
  })
  await simulation.settle(Promise.all([loader.set(100), loader.set(10)]))
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  assert.ok(writes >= 9 && writes <= 11, `${writes} in a second`)
  await simulation.settle(loader.set(0))
  const before = writes
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  assert.equal(writes, before)
})
