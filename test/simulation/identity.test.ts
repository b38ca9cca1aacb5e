import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaseKind } from '@strata/server'
import type { Commit } from '@strata/server/store'
import { definitionKey, leasePrefix } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'
import { definition, definitionPath, definitionsPath } from './world/definitions.ts'
import type { Member, StoreTap } from './world/fleet.ts'

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

test('rule 1: entries that the process before has stored in the last moment go too', async () => {
  const taking = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const isLease = ({ writes }: Commit): boolean => writes.some(({ key }) => key.startsWith(leasePrefix))
  // The twin has b's Lease say no more that b is registered, before it takes anything.
  const isHeldBy = ({ writes }: Commit, process: string): boolean =>
    writes.some((each) => each.kind === 'put' && Buffer.from(each.value).includes(`"${process}"`))
  const tap: StoreTap = {
    wrap: (_, store) => store,
    hooks: ({ id, name }) => ({
      beforeCommit: async (commit) => {
        if (name === 'twin' && isLease(commit) && !isHeldBy(commit, b.run.process)) {
          taking.resolve()
          await held.promise
        }
        // Its renewals are lost on the way; otherwise the twin would see that it lives.
        if (id === 'b' && isLease(commit) && twin) await new Promise(() => {})
      },
    }),
  }
  const stage = new Stage('last moment', { leaseDurationSeconds: 60 }, { tap })
  const { disturbances, fleet, data } = stage.world
  let twin: Member | undefined
  const gadgets = 'workshop.example.org.gadgets'
  await stage.start('a', 'x+1')
  const b = await stage.start('b', 'x+1')
  const body = definition('gadgets', { storage: 'v1', served: ['v1', 'v2'], mark: 'mark1' })
  await stage.ask('a', { method: 'POST', target: definitionsPath, body })
  await stage.pass(1_000)

  disturbances.freeze(b.process)
  twin = fleet.start('twin', 'b', 'x+1')
  await stage.world.simulation.settle(taking.promise)
  assert.ok(!stage.world.isListed(b.run.process, gadgets), 'its entries go before its Lease does')
  // It wakes up, finds that it was taken out, and registers again: it still has its Lease.
  disturbances.thaw(b.process)
  await stage.until('b is listed again', () => stage.world.isListed(b.run.process, gadgets))
  held.resolve()
  await stage.until(
    'the twin has the Lease',
    () => b.process.crashed || leaseHolder(stage, b) !== b.run.process,
  )
  b.process.crash()
  // The twin will never register for what is defined no more.
  await stage.ask('a', { method: 'DELETE', target: definitionPath('gadgets') })
  await stage.until('it is gone', () => data.read([definitionKey('gadgets')]).entries[0] === undefined)
  const { server } = twin
  await stage.until('the twin is ready', () => server.ready)
  await stage.pass(5_000)
  assert.deepEqual(stage.recordOf(gadgets).status.servers, [])
  stage.verify()
})

const leaseHolder = (stage: Stage, { run }: Member): string | undefined => {
  const [entry] = stage.world.data.read([`${leasePrefix}${run.serverID}`]).entries
  return entry && leaseKind.decode(entry).spec?.holderIdentity
}

/** Something without the identity label in place of a server's Lease, as a client with rights on Leases would put it there. */
function forge(stage: Stage, { run }: Pick<Member, 'run'>, holderIdentity: string): void {
  const { data } = stage.world
  const key = `${leasePrefix}${run.serverID}`
  const metadata = { name: run.serverID, namespace: 'kube-system', uid: 'forged' }
  const value = leaseKind.encode({ metadata, spec: { holderIdentity, leaseDurationSeconds: 86_400 } })
  data.commit({ writes: [{ kind: 'put', key, value }], guards: [] })
}

test('rule 1: a live server takes back its Lease from a client that replaced it, and registers again', async () => {
  const stage = new Stage('replaced')
  const a = await stage.start('a', 'x+1')
  forge(stage, a, 'eve')
  const write = await stage.ask('a', { method: 'POST', target: beacons, body: beacon('one', 'red') })
  assert.equal(write.status, 201)
  await stage.until('a has its Lease', () => leaseHolder(stage, a) === a.run.process)
  await stage.until('a is registered', () => a.server.ready && entriesOf(stage).includes(a.run.process))
  assert.ok(!a.process.crashed)
  stage.verify()
})

test('rule 1: a Lease that a client renews does not keep a server from starting', async () => {
  const stage = new Stage('renewed by a client')
  const before = await stage.start('a', 'x+1')
  before.process.crash()
  forge(stage, before, 'eve')
  const next = stage.world.fleet.start('a', 'a', 'x+1')
  const renewals = Array.from({ length: 30 }, (_, at) => stage.world.simulation.nowMs + (at + 1) * 1_000)
  for (const at of renewals) {
    await stage.until('a second later', () => stage.world.simulation.nowMs >= at)
    if (leaseHolder(stage, before)?.startsWith('eve')) forge(stage, before, `eve-${at}`)
  }
  await stage.until('it is ready', () => next.server.ready, 1_000)
  assert.deepEqual(entriesOf(stage), [next.run.process])
  stage.verify()
})

test('rule 1: a live server whose Lease has lost its label is not replaced by a second one', async () => {
  const stage = new Stage('label taken')
  const holder = await stage.start('a', 'x+1')
  forge(stage, holder, holder.run.process)
  const twin = stage.world.fleet.start('twin', 'a', 'x+2')
  await stage.until('the twin has given up', () => twin.process.crashed)
  assert.ok(holder.server.ready)
  assert.deepEqual(entriesOf(stage), [holder.run.process])
  stage.verify()
})
