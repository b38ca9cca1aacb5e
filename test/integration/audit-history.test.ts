import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StrataServer } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import type { HistoryFindings } from '../history-audit/findings.ts'
import { replayHistory } from '../history-audit/replay-history.ts'
import {
  type Answer,
  beacon,
  beaconPath,
  call,
  createFleetServer,
  type FleetServerOptions,
} from '../support/fleet.ts'

const never = new AbortController().signal
const resource = 'beacons.lighthouse.example.dev'
const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'

/** Servers over one store, and what the audit says of its history. */
class Fleet {
  readonly data: MemoryData
  readonly #simulation: Simulation
  readonly #options: Partial<FleetServerOptions>

  constructor(seed: string, revisions: 'shared' | 'each', options: Partial<FleetServerOptions>) {
    this.#simulation = new Simulation(seed)
    this.data = new MemoryData({ revisions })
    this.#options = options
  }

  async start(
    instance: string,
    release: string,
    featureGates: FleetServerOptions['featureGates'] = {},
  ): Promise<StrataServer> {
    const world = this.#simulation.process(instance)
    const store = createMemoryStore(this.data)
    const server = createFleetServer({ ...this.#options, world, store, instance, release, featureGates })
    await this.#simulation.settle(server.start(never))
    return server
  }

  ask({ handle }: StrataServer, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#simulation.settle(call(handle, method, path, body))
  }

  audit(): Promise<HistoryFindings> {
    return this.#simulation.settle(replayHistory(createMemoryStore(this.data), {}, never))
  }
}

for (const revisions of ['shared', 'each'] as const) {
  test(`audit with ${revisions} revisions: two releases at work, each write is its writer's`, async () => {
    const fleet = new Fleet('two releases', revisions, { traceWriters: true })
    const old = await fleet.start('old', 'x+1')
    const young = await fleet.start('young', 'x+2')
    const made = await fleet.ask(old, 'POST', beaconPath('v1'), beacon('v1', 'one', 5))
    assert.equal(made.status, 201)
    const { resourceVersion } = made.body.metadata
    // The revision that clients are shown is that of the object, not that of the mark before it.
    const read = await fleet.ask(young, 'GET', beaconPath('v1', 'one'))
    assert.equal(read.body.metadata.resourceVersion, resourceVersion)
    const again = { ...beacon('v1', 'one', 6), metadata: { name: 'one', resourceVersion } }
    assert.equal((await fleet.ask(young, 'PUT', beaconPath('v1', 'one'), again)).status, 200)
    assert.equal((await fleet.ask(old, 'DELETE', beaconPath('v1', 'one'))).status, 200)
    assert.equal((await fleet.ask(young, 'POST', beaconPath('v2'), beacon('v2', 'two', 5))).status, 201)

    const found = await fleet.audit()
    assert.deepEqual(
      [found.exceptionList, found.ambiguous, found.whole, found.marked],
      [[], 0, true, found.puts],
    )
    const beacons = found.resources.find((each) => each.resource === resource)
    assert.deepEqual(
      [beacons?.storedVersions, beacons?.marked, beacons?.fromRevision],
      [{ [v1]: 1, [v2]: 2 }, 3, Number(resourceVersion)],
    )
  })
}

test('audit without marks: what only one of two releases can have written is called ambiguous', async () => {
  const fleet = new Fleet('no marks', 'shared', {})
  const old = await fleet.start('old', 'x+1')
  await fleet.ask(old, 'POST', beaconPath('v1'), beacon('v1', 'one', 5))
  await fleet.start('young', 'x+2')
  await fleet.ask(old, 'POST', beaconPath('v1'), beacon('v1', 'two', 5))
  const { resources } = await fleet.audit()
  const beacons = resources.find((each) => each.resource === resource)
  assert.deepEqual([beacons?.puts, beacons?.marked, beacons?.ambiguous, beacons?.exceptions], [2, 0, 1, 0])
})

test('audit of a server that does not record what it writes: the record said so, and each write is an exception', async () => {
  const fleet = new Fleet('unrecorded', 'shared', { traceWriters: true })
  const recording = await fleet.start('recording', 'x+1')
  const silent = await fleet.start('silent', 'x+1', { StorageVersionAPI: false })
  await fleet.ask(recording, 'POST', beaconPath('v1'), beacon('v1', 'one', 5))
  assert.equal((await fleet.ask(silent, 'POST', beaconPath('v1'), beacon('v1', 'two', 5))).status, 201)
  const { exceptionList, resources } = await fleet.audit()
  const beacons = exceptionList.filter((each) => each.resource === resource)
  assert.deepEqual(
    beacons.map(({ key, reason }) => [key.slice(key.lastIndexOf('/') + 1), reason]),
    [['two', 'Unrecorded']],
  )
  assert.equal(resources.find((each) => each.resource === resource)?.recordingGaps, 1)
})
