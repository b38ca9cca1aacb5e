import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Commit, MemoryData, Store } from '@strata/server/store'
import { Gate } from './gate.ts'
import { agreementPrefix, beaconPrefix, exampleRecord, incarnationKey } from './keys.ts'
import { dropNonceGuards } from './sabotaged-store.ts'
import { beacon, beacons, Stage } from './stage.ts'
import type { Reply } from './world/request.ts'

// Rule 19: the store is restored from a backup under running servers, or while others start.

const isBeacon = (key: string): boolean => key.startsWith(beaconPrefix)

/** What came after the backup has never happened, for the checkers too. */
function restore({ world }: Stage, revision: number): void {
  const { data, history } = world
  data.restoreTo(revision)
  const first = history.commits.findIndex(({ changes }) => (changes[0]?.revision ?? 0) > revision)
  if (first >= 0) history.commits.splice(first)
}

/** Asks until the answer is this one: servers that see to a store which was replaced say 503 meanwhile. */
async function until(stage: Stage, status: number, ask: () => Promise<Reply>): Promise<void> {
  let last = 0
  for (let attempt = 0; attempt < 100 && last !== status; attempt++) {
    last = (await ask()).status
    assert.ok([status, 503].includes(last), `answered ${last}, not ${status}`)
    if (last !== status) await stage.pass(200)
  }
  assert.equal(last, status)
}

const named = (stage: Stage, server: string, name: string) =>
  stage.ask(server, { method: 'GET', target: `${beacons}/${name}` })

test('restore: servers notice, forget what was lost, register anew and write again', async () => {
  const stage = new Stage('restored under servers')
  const { data } = stage.world
  await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  const create = (server: string, name: string) =>
    stage.ask(server, { method: 'POST', target: beacons, body: beacon(name, 'red') })
  assert.equal((await create('a', 'kept')).status, 201)
  const { epoch } = stage.record.status
  const backup = data.revision
  for (let index = 0; index < 20; index++) {
    assert.equal((await create(index % 2 ? 'a' : 'b', `lost-${index}`)).status, 201)
  }
  assert.equal((await named(stage, 'b', 'lost-1')).status, 200)
  const highest = data.revision
  restore(stage, backup)
  // A request during the recovery gets 503, or waits. No client sees an object that was lost.
  for (const server of ['a', 'b']) {
    const { status } = await named(stage, server, 'lost-1')
    assert.ok([404, 503].includes(status), `${server} answers ${status}`)
  }
  const isGap = (): boolean => stage.record.status.recordingGap?.reason === 'StoreRestored'
  await stage.until('the record tells of a gap', isGap)
  await stage.until('all are ready', () => stage.world.fleet.alive.every(({ server }) => server.ready))
  assert.ok(data.revision > highest, 'revisions that were handed out are handed out again')
  assert.ok(stage.record.status.epoch > Math.max(epoch, highest), 'an epoch that was lost may come again')
  for (const server of ['a', 'b']) {
    await until(stage, 200, () => named(stage, server, 'kept'))
    await until(stage, 404, () => named(stage, server, 'lost-1'))
    await until(stage, 201, () => create(server, `again-${server}`))
  }
  await stage.until('they agree again', () => stage.record.status.agreedVersion !== undefined)
  stage.verify()
})

test('restore: one that was away meanwhile is told by the incarnation', async () => {
  const stage = new Stage('one was away')
  const { data, disturbances } = stage.world
  await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  const backup = data.revision
  assert.equal(
    (await stage.ask('a', { method: 'POST', target: beacons, body: beacon('lost', 'red') })).status,
    201,
  )
  assert.equal((await named(stage, 'b', 'lost')).status, 200)
  disturbances.cutOff(b.process)
  restore(stage, backup)
  await stage.until('a has noticed', () => stage.record.status.recordingGap?.reason === 'StoreRestored')
  await stage.until('a writes again', () => stage.world.fleet.member('a')?.server.ready === true)
  for (let index = 0; index < 5; index++) {
    const body = beacon(`new-${index}`, 'red')
    assert.equal((await stage.ask('a', { method: 'POST', target: beacons, body })).status, 201)
  }
  disturbances.reconnect(b.process)
  await until(stage, 404, () => named(stage, 'b', 'lost'))
  await until(stage, 200, () => named(stage, 'b', 'new-4'))
  stage.verify()
})

test('restore: a server without any client notices what another has noticed', async () => {
  const stage = new Stage('nobody reads')
  const { data, disturbances } = stage.world
  await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  const backup = data.revision
  for (let index = 0; index < 5; index++) {
    const body = beacon(`lost-${index}`, 'red')
    assert.equal((await stage.ask('a', { method: 'POST', target: beacons, body })).status, 201)
  }
  disturbances.cutOff(b.process)
  restore(stage, backup)
  await until(stage, 404, () => named(stage, 'a', 'lost-1'))
  await stage.until('a writes again', () => stage.world.fleet.member('a')?.server.ready === true)
  const { epoch } = stage.record.status
  disturbances.reconnect(b.process)
  await stage.until('b has begun anew', () => stage.record.status.epoch >= epoch + 1_000, 30_000)
  stage.verify()
})

test('restore: the same backup restored twice repeats no epoch', async () => {
  const stage = new Stage('restored twice')
  const { data } = stage.world
  await stage.start('a', 'x+1')
  const backup = data.revision
  const epochs = [stage.record.status.epoch]
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 3; index++) {
      const body = beacon(`lost-${round}-${index}`, 'red')
      await until(stage, 201, () => stage.ask('a', { method: 'POST', target: beacons, body }))
    }
    restore(stage, backup)
    await until(stage, 404, () => named(stage, 'a', `lost-${round}-0`))
    await stage.until('a is ready', () => stage.world.fleet.member('a')?.server.ready === true)
    epochs.push(stage.record.status.epoch)
  }
  const distances = epochs.flatMap((each, at) => epochs.slice(0, at).map((other) => Math.abs(each - other)))
  assert.ok(Math.min(...distances) >= 1_000, `the record was in epochs ${epochs}`)
  stage.verify()
})

test('restore: one that starts marks the records if the only one that noticed was killed before', async () => {
  const gate = new Gate()
  const stage = new Stage('killed before it marks', {}, { tap: gate })
  const { data } = stage.world
  const a = await stage.start('a', 'x+1')
  const backup = data.revision
  const { epoch } = stage.record.status
  const create = (server: string, name: string) =>
    stage.ask(server, { method: 'POST', target: beacons, body: beacon(name, 'red') })
  // So many that the restored store is not past them when it is asked next.
  for (let index = 0; index < 20; index++) assert.equal((await create('a', `lost-${index}`)).status, 201)
  const incarnation = () => data.read([incarnationKey]).entries[0]?.value.toString()
  const before = incarnation()
  gate.hold(({ kind, keys }) => kind === 'commit' && keys.some((key) => key.startsWith(agreementPrefix)))
  restore(stage, backup)
  void stage.send('a', { method: 'GET', target: `${beacons}/lost-0` }).catch(() => {})
  await stage.until('a is about to mark a record', () => gate.holds)
  assert.notEqual(incarnation(), before)
  a.process.crash()
  assert.equal(stage.record.status.epoch, epoch)
  stage.world.fleet.start('b', 'b', 'x+1')
  const isStored = (): boolean => data.read([`${beaconPrefix}default/new`]).entries[0] !== undefined
  while (!isStored()) {
    void stage.send('b', { method: 'POST', target: beacons, body: beacon('new', 'red') }).catch(() => {})
    await stage.pass(200)
  }
  // It has written nothing under a record that tells nothing of the restore.
  assert.equal(stage.record.status.recordingGap?.reason, 'StoreRestored')
  assert.ok(stage.record.status.epoch >= epoch + 1_000)
  await stage.until('every record is marked', () => incarnation()?.endsWith(' marked') === true)
  stage.verify()
})

const isIncarnation = (key: string): boolean => key === incarnationKey

test('restore: a watch from a revision that only another server knows to be lost ends before it goes on', async () => {
  const gate = new Gate()
  const stage = new Stage('one has seen more', {}, { tap: gate })
  const { data, disturbances } = stage.world
  const a = await stage.start('a', 'x+1')
  await stage.start('b', 'x+1')
  const backup = data.revision
  const create = (server: string, name: string) =>
    stage.ask(server, { method: 'POST', target: beacons, body: beacon(name, 'red') })
  for (let index = 0; index < 4; index++) assert.equal((await create('a', `both-${index}`)).status, 201)
  // B sees more than A.
  disturbances.freeze(a.process)
  for (let index = 0; index < 60; index++) assert.equal((await create('b', `lost-${index}`)).status, 201)
  const seen = data.revision - 10
  // B notices the restore, and cannot write yet what it has seen. A notices, and renews the incarnation first.
  gate.hold(({ server, kind, keys }) => server === 'b' && kind === 'commit' && keys.some(isIncarnation))
  restore(stage, backup)
  void stage.send('b', { method: 'GET', target: `${beacons}/lost-0` }).catch(() => {})
  await stage.until('b is about to renew the incarnation', () => gate.holds)
  disturbances.thaw(a.process)
  void stage.send('a', { method: 'GET', target: `${beacons}/lost-0` }).catch(() => {})
  const lost = () => Number(data.read([incarnationKey]).entries[0]?.value.toString().split(' ')[1] ?? 0)
  await stage.until('a has renewed the incarnation', () => lost() > 0)
  assert.ok(lost() < seen)
  // Answers 503 while it waits for the store.
  let watched: Reply | undefined
  const watch = async (): Promise<void> => {
    const target = `${beacons}?watch=1&resourceVersion=${seen}&timeoutSeconds=300`
    while (watched === undefined || watched.status === 503)
      watched = await stage.send('a', { method: 'GET', target })
  }
  void watch()
  await stage.pass(100)
  gate.letGo()
  await stage.until('b has named what it has seen', () => lost() > seen)
  await until(stage, 201, () => create('b', 'new'))
  await stage.pass(10_000)
  assert.deepEqual([watched?.status, watched?.body.type, watched?.body.object?.code], [200, 'ERROR', 410])
  const again = await stage.ask('a', {
    method: 'GET',
    target: `${beacons}?watch=1&resourceVersion=${seen}&timeoutSeconds=1`,
  })
  assert.equal(again.body.object?.code ?? again.body.code, 410, 'a new watch from there goes on')
})

test('restore: the only one that noticed renews the incarnation before it leaves', async () => {
  const gate = new Gate()
  const stage = new Stage('leaves while it recovers', {}, { tap: gate })
  const { data, fleet } = stage.world
  const a = await stage.start('a', 'x+1')
  const backup = data.revision
  for (let index = 0; index < 20; index++) {
    const body = beacon(`lost-${index}`, 'red')
    assert.equal((await stage.ask('a', { method: 'POST', target: beacons, body })).status, 201)
  }
  const highest = data.revision
  gate.hold(({ kind, keys }) => kind === 'commit' && keys.some(isIncarnation))
  restore(stage, backup)
  void stage.send('a', { method: 'GET', target: `${beacons}/lost-0` }).catch(() => {})
  await stage.until('a is about to renew the incarnation', () => gate.holds)
  fleet.stop(a)
  await stage.pass(2_000)
  gate.letGo()
  await stage.until('a has left', () => a.process.crashed)
  assert.match(data.read([incarnationKey]).entries[0]?.value.toString() ?? '', new RegExp(` ${highest}$`))
  assert.ok(data.revision > highest, 'revisions that were handed out are handed out again')
  stage.verify()
})

const recordKey = `${agreementPrefix}${exampleRecord}`

/** Has the record of the example kind change at just this revision, as chance may have it. */
function atRevision(store: Store, data: MemoryData, wanted: number): Store {
  return {
    ...store,
    commit: (commit: Commit, signal) => {
      if (commit.writes.some(({ key }) => key === recordKey)) pad(data, wanted - 1)
      return store.commit(commit, signal)
    },
  }
}

function pad(data: MemoryData, revision: number): void {
  const tick: Commit = {
    writes: [{ kind: 'put', key: '/registry/padding', value: Buffer.from('x') }],
    guards: [],
  }
  while (data.revision < revision) data.commit(tick)
}

for (const isBroken of [false, true]) {
  const what = isBroken ? 'is stored where revisions alone are compared' : 'is refused'
  test(`restore: a commit of before that meets another record at the same revision ${what}`, async () => {
    const gate = new Gate()
    let wanted = 0
    const stage: Stage = new Stage(
      `repeated revision ${what}`,
      { revisions: 'shared' },
      {
        tap: gate,
        sabotage: {
          ...{ name: 'repeated revision', breaks: 'rule 19', caughtBy: ['recorded-version'] },
          wrapStore: (store) => atRevision(store, data, wanted),
          ...(isBroken ? { wrapConnection: dropNonceGuards } : {}),
        },
      },
    )
    const { data } = stage.world
    // So that what else a write is guarded by, such as its namespace, is in the backup.
    const first = await stage.start('c', 'x+1')
    stage.world.fleet.stop(first)
    await stage.until('the first server has left', () => first.process.crashed)
    const backup = data.revision
    pad(data, backup + 2_000)
    const a = await stage.start('a', 'x+1')
    gate.hold(({ server, kind, keys }) => server === 'a' && kind === 'commit' && keys.some(isBeacon))
    void stage.send('a', { method: 'POST', target: beacons, body: beacon('late', 'red') }).catch(() => {})
    await stage.until('it is on its way', () => gate.holds)
    const [record] = data.read([recordKey]).entries
    assert.ok(record)
    wanted = record.revision
    // No server can notice the restore: a is frozen, and b starts on the restored store.
    stage.world.disturbances.freeze(a.process)
    restore(stage, backup)
    stage.world.fleet.start('b', 'b', 'x+2')
    await stage.until('b has registered', () => data.read([recordKey]).entries[0]?.revision === wanted)
    gate.letGo()
    await stage.pass(1_000)
    const [late] = data.read([`${beaconPrefix}default/late`]).entries
    assert.equal(late !== undefined, isBroken)
    const noticed = stage.broken().some(({ checker }) => checker === 'recorded-version')
    assert.equal(noticed, isBroken)
  })
}
