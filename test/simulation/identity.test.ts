import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beacon, beacons, Stage } from './stage.ts'

const entriesOf = (stage: Stage): string[] => stage.record.status.servers.map(({ process }) => process)

test('rule 1: the identity of a process that is provably gone is taken at once', async () => {
  const stage = new Stage('provably gone')
  const dead = await stage.start('a', 'x+1')
  dead.process.crash()
  const startedMs = stage.world.simulation.nowMs
  const next = await stage.start('a', 'x+1')
  assert.ok(stage.world.simulation.nowMs - startedMs < 1_000)
  assert.deepEqual(entriesOf(stage), [next.run.process])
  stage.verify()
})

test('rule 1: an identity that is being renewed is refused, and its holder notices nothing', async () => {
  const stage = new Stage('renewing')
  const holder = await stage.start('a', 'x+1')
  const twin = stage.world.fleet.start('twin', 'a', 'x+2')
  await stage.until('the twin has given up', () => twin.process.crashed)
  assert.ok(!twin.server.ready)
  assert.ok(holder.server.ready)
  assert.deepEqual(entriesOf(stage), [holder.run.process])
  assert.equal(
    (await stage.ask('a', { method: 'POST', target: beacons, body: beacon('one', 'red') })).status,
    201,
  )
  stage.verify()
})

test('rule 1: a silent holder is replaced after two renewal intervals, and stops for good when it wakes', async () => {
  const stage = new Stage('silent holder', { leaseDurationSeconds: 60 })
  const holder = await stage.start('a', 'x+1')
  stage.world.disturbances.freeze(holder.process)
  const late = stage.send('a', { method: 'POST', target: beacons, body: beacon('late', 'red') })
  const startedMs = stage.world.simulation.nowMs
  const twin = stage.world.fleet.start('twin', 'a', 'x+1')
  await stage.pass(9_900)
  assert.ok(stage.world.isListed(holder.run.process), 'not before two intervals are over')
  await stage.until('the twin is ready', () => twin.server.ready)
  assert.ok(stage.world.simulation.nowMs - startedMs < 15_000)
  assert.deepEqual(entriesOf(stage), [twin.run.process])

  stage.world.disturbances.thaw(holder.process)
  await assert.rejects(async () => {
    const { status } = await stage.world.simulation.settle(late)
    if (status === 503) throw new Error('refused')
  })
  await stage.until('the old holder has ended', () => holder.process.crashed)
  assert.deepEqual(entriesOf(stage), [twin.run.process])
  assert.equal(
    stage.world.data.list({ prefix: '/registry/lighthouse.example.dev/beacons/' }).entries.length,
    0,
  )
  stage.verify()
})
