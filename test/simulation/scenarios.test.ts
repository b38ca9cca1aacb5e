import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreementPrefix, beaconPrefix, leasePrefix } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'

const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
const storedVersion = (stage: Stage, name: string): string => {
  const [entry] = stage.world.data.read([`${beaconPrefix}default/${name}`]).entries
  assert.ok(entry, `${name} is not stored`)
  return JSON.parse(Buffer.from(entry.value).toString()).apiVersion
}
const create = (name: string, colour = 'red') =>
  ({ method: 'POST', target: beacons, body: beacon(name, colour) }) as const

test('rule 2: a write before the entry is refused, and says what it waits for', async () => {
  const stage = new Stage('write before entry')
  const member = stage.world.fleet.start('a', 'a', 'x+1')
  const early = await stage.ask('a', create('one'))
  assert.equal(early.status, 503)
  assert.match(early.body.message, /wait for storage version registration to complete for resource: beacons/)
  assert.equal(early.body.details.retryAfterSeconds, 1)
  await stage.until('the server is ready', () => member.server.ready)
  assert.equal((await stage.ask('a', create('one'))).status, 201)
  stage.verify()
})

test('rule 3: a frozen server that was expelled wakes with a write in its hands, and does not store it', async () => {
  const stage = new Stage('zombie')
  const { disturbances, fleet } = stage.world
  const a = await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  await stage.ask('b', create('one'))
  disturbances.freeze(a.process)
  const late = stage.send('a', create('late'))
  await stage.until('a is expelled', () => !stage.world.isListed(a.run.process))
  fleet.stop(b)
  await stage.until('b has left', () => b.process.crashed)
  await stage.start('b', 'x+2')
  await stage.pass(1_000)
  assert.equal(stage.record.status.agreedVersion, v2)
  const { epoch } = stage.record.status

  disturbances.thaw(a.process)
  const answer = await stage.world.simulation.settle(late)
  assert.equal(answer.status, 503, JSON.stringify(answer.body))
  await stage.until('a has registered again', () => stage.world.isListed(a.run.process))
  assert.equal(stage.record.status.agreedVersion, undefined)
  assert.equal(stage.record.status.epoch, epoch + 1)
  await stage.pass(1_000)
  assert.equal((await stage.ask('a', create('late'))).status, 201)
  assert.equal(storedVersion(stage, 'late'), v1)
  stage.verify()
})

test('rule 5: a cache that is behind does not call an object current', async () => {
  const stage = new Stage('stale no-op')
  const { disturbances } = stage.world
  const a = await stage.start('a', 'x+1')
  await stage.start('b', 'x+2')
  const made = await stage.ask('a', create('one'))
  await stage.pass(1_000)
  disturbances.cutOff(a.process)
  const { resourceVersion: _, ...metadata } = made.body.metadata
  const put = { method: 'PUT', target: `${beacons}/one`, body: { ...made.body, metadata } } as const
  const moved = await stage.ask('b', put)
  assert.equal(storedVersion(stage, 'one'), v2)
  disturbances.reconnect(a.process)
  // For a, whose watch has not come back yet, this changes nothing: it is what it has, in the version it has.
  const touched = await stage.ask('a', put)
  assert.equal(touched.status, 200)
  assert.equal(storedVersion(stage, 'one'), v1)
  assert.ok(Number(touched.body.metadata.resourceVersion) > Number(moved.body.metadata.resourceVersion))
  stage.verify()
})

test('rule 7: a server leaves last, after its writes, its entries and then its Lease', async () => {
  const stage = new Stage('leave last')
  const { fleet, weather, history } = stage.world
  const a = await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  // Once read, its cache has the namespace: otherwise the write below would first ask the slow store for it, and still be
  // without a permit when the server stops.
  assert.equal((await stage.ask('a', { method: 'GET', target: '/api/v1/namespaces/default' })).status, 200)
  weather.store.delayMs = { from: 700, to: 700 }
  const slow = stage.send('a', create('one'))
  await stage.pass(100)
  fleet.stop(a)
  assert.equal((await stage.world.simulation.settle(slow)).status, 201)
  weather.set('clear')
  await stage.until('a has left', () => a.process.crashed)
  const mine = history.commits.filter(({ writer }) => writer === a.process.id).map(({ changes }) => changes)
  const last = (find: (key: string, kind: string) => boolean): number =>
    mine.findLastIndex((changes) => changes.some(({ key, kind }) => find(key, kind)))
  const wrote = last((key) => key.startsWith(beaconPrefix))
  const record = last((key) => key.startsWith(agreementPrefix))
  const lease = last((key, kind) => key.startsWith(leasePrefix) && kind === 'delete')
  assert.ok(wrote >= 0 && wrote < record && record < lease, JSON.stringify({ wrote, record, lease }))
  assert.ok(!stage.world.isListed(a.run.process))
  stage.verify()
})

test('rule 7: entries wait for a write that is on its way', async () => {
  const stage = new Stage('undrained')
  const { fleet, weather } = stage.world
  const a = await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  assert.equal((await stage.ask('a', { method: 'GET', target: '/api/v1/namespaces/default' })).status, 200)
  weather.store.delayMs = { from: 3_000, to: 3_000 }
  const slow = stage.send('a', create('one'))
  await stage.pass(100)
  weather.set('clear')
  fleet.stop(a)
  await stage.pass(1_000)
  assert.ok(stage.world.isListed(a.run.process), 'its entry has gone before its write')
  assert.equal((await stage.world.simulation.settle(slow)).status, 201)
  await stage.until('its entry has gone', () => !stage.world.isListed(a.run.process))
  assert.equal(storedVersion(stage, 'one'), v1)
  stage.verify()
})

test('rule 8: a clock that jumps an hour expels nobody', async () => {
  const stage = new Stage('clock jump')
  await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  await stage.pass(10_000)
  for (const process of stage.world.others()) process.jumpWall(3_600_000)
  await stage.pass(60_000)
  for (const process of stage.world.others()) process.jumpWall(-7_200_000)
  await stage.pass(60_000)
  const deleted = stage.world.history.commits.flatMap(({ changes }) =>
    changes.filter(({ key, kind }) => kind === 'delete' && key.startsWith(leasePrefix)),
  )
  assert.deepEqual(deleted, [])
  assert.equal(stage.record.status.servers.length, 2)
  stage.verify()
})

test('rule 10: restarts with the same encoding keep the epoch, a full stop too; another encoding raises it', async () => {
  const stage = new Stage('epoch')
  const { fleet } = stage.world
  await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  const { epoch } = stage.record.status
  const stop = async (name: string): Promise<void> => {
    const member = fleet.member(name)
    assert.ok(member)
    fleet.stop(member)
    await stage.until(`${name} has left`, () => member.process.crashed)
  }
  await stop('a')
  await stage.start('a', 'x+1')
  fleet.member('b')?.process.crash()
  await stage.start('b', 'x+1')
  assert.equal(stage.record.status.epoch, epoch)
  await stop('a')
  await stop('b')
  assert.deepEqual(stage.record.status.servers, [])
  await stage.start('b', 'x+1')
  assert.equal(stage.record.status.epoch, epoch)
  await stage.start('a', 'x+2')
  assert.equal(stage.record.status.epoch, epoch + 1)
  stage.verify()
})

test('rule 11: a live Lease without an entry blocks agreement, until it is gone', async () => {
  const stage = new Stage('silent server')
  await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  await stage.pass(1_000)
  assert.equal(stage.record.status.agreedVersion, v1)
  const foreigner = stage.world.startForeigner()
  await stage.pass(2_000)
  assert.equal(stage.record.status.agreedVersion, undefined)
  assert.match(JSON.stringify(stage.record.status.conditions), /no entry from apiserver-foreign/)
  foreigner.crash()
  await stage.until('agreement is back', () => stage.record.status.agreedVersion === v1)
  stage.verify()
})
