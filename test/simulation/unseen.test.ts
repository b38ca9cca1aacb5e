import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beaconPrefix } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'
import type { StoreTap } from './world/fleet.ts'
import type { Part } from './world/shape.ts'

/** Both gates are off: no identity Lease, no entries (rule 18). */
const unseen: Part = { form: 'report', guarantee: 'strict', records: false, identity: false }
const census = {
  method: 'POST' as const,
  target: '/apis/strata.dev/v1alpha1/storagecensuses',
  body: {
    apiVersion: 'strata.dev/v1alpha1',
    kind: 'StorageCensus',
    metadata: {},
    spec: { group: 'lighthouse.example.dev', resource: 'beacons' },
  },
}
const create = (name: string) => ({ method: 'POST' as const, target: beacons, body: beacon(name, 'red') })
const versionsNamed = (stage: Stage): string[] =>
  (stage.record.status.persisted ?? []).map(({ encodingVersion }) => encodingVersion)
const isStored = (stage: Stage, name: string): boolean =>
  stage.world.data.read([`${beaconPrefix}default/${name}`]).entries[0] !== undefined

/** Holds the next commit of a server that writes a beacon, until told otherwise. */
class HeldCommit {
  isArmed = false
  #release: (() => void) | undefined

  readonly tap = (server: string): StoreTap => ({
    wrap: (_process, store) => store,
    hooks: ({ name }) => ({
      beforeCommit: async ({ writes }) => {
        const isBeacon = writes.some(({ key }) => key.startsWith(beaconPrefix))
        if (name !== server || !this.isArmed || !isBeacon) return
        this.isArmed = false
        await new Promise<void>((resolve) => {
          this.#release = resolve
        })
      },
    }),
  })

  get isUnderWay(): boolean {
    return this.#release !== undefined
  }

  arrive(): void {
    this.#release?.()
  }
}

for (const lateMs of [0, 90_000]) {
  test(`unseen: a commit that arrives after its server has left, and ${lateMs} ms after a census has proven, stores nothing`, async () => {
    const held = new HeldCommit()
    const stage = new Stage('late unseen', {}, { tap: held.tap('b') })
    const { simulation, fleet } = stage.world
    await stage.start('a', 'x+2')
    const b = await stage.start('b', 'x+1', unseen)
    held.isArmed = true
    const answer = stage.send('b', create('late'))
    await stage.until('the commit is on its way', () => held.isUnderWay)
    const { status: told } = await simulation.settle(answer)
    assert.equal(told, 504, 'its outcome is unknown')
    fleet.stop(b)
    await stage.until('b has left', () => b.process.crashed)
    await stage.until('the others agree', () => stage.record.status.agreedVersion !== undefined)
    const { body } = await stage.ask('a', census)
    assert.equal(body.status.proven, true)
    assert.deepEqual(versionsNamed(stage), ['lighthouse.example.dev/v2'])
    await stage.pass(lateMs)
    held.arrive()
    await stage.pass(2_000)
    assert.equal(isStored(stage, 'late'), false)
    stage.verify()
  })
}

test('unseen: one that is frozen while its successor takes its place writes nothing that the record does not tell of', async () => {
  const stage = new Stage('unseen zombie')
  const { simulation, fleet, disturbances } = stage.world
  await stage.start('a', 'x+2')
  const b = await stage.start('b', 'x+1', unseen)
  disturbances.freeze(b.process)
  const answer = stage.send('b', create('late'))
  await stage.pass(1_000)
  // The same host name and --instance, for instance the pod of a StatefulSet on another node; gates at their defaults.
  const twin = fleet.start('b2', 'b', 'x+2', { form: 'report', guarantee: 'strict' })
  await stage.until('b2 is ready', () => twin.server.ready)
  await stage.until('both agree', () => stage.record.status.agreedVersion !== undefined)
  const { epoch } = stage.record.status
  assert.equal((await stage.ask('a', census)).body.status.proven, true)
  await stage.pass(60_000)
  disturbances.thaw(b.process)
  await simulation.settle(answer)
  await stage.until('b is named again', () => (stage.record.status.unseenProcesses ?? []).length === 1)
  assert.ok(stage.record.status.epoch > epoch, 'what was proven is not claimed any more')
  await stage.until('b writes again', () => b.server.ready)
  assert.equal((await stage.ask('b', create('again'))).status, 201)
  stage.verify()
})
