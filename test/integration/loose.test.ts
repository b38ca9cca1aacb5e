import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementStatus } from '@strata/api'
import type { Commit, Store } from '@strata/server/store'
import { beacon, beaconPath, call } from '../support/fleet.ts'
import { VoteFleet, type VoteMember } from '../support/vote-fleet.ts'

const loose = { guarantee: 'loose' } as const

test('loose: writes carry no guard of the record, and the record says so', async () => {
  const fleet = new VoteFleet('unguarded')
  const commits: Commit[] = []
  await fleet.start('a', 'x+1', {
    ...loose,
    wrap: (store) => ({
      ...store,
      commit: (commit, signal) => {
        commits.push(commit)
        return store.commit(commit, signal)
      },
    }),
  })
  commits.length = 0
  assert.equal(await fleet.write('a', 'one'), 'v1')
  const guards = commits.flatMap((each) => each.guards).map(({ key }) => key)
  assert.ok(!guards.some((key) => key.includes('storageagreements')), guards.join())
  const { agreedVersion, servers, conditions } = await fleet.record('a')
  assert.equal(agreedVersion, 'lighthouse.example.dev/v1')
  assert.equal(servers[0]?.guarantee, 'loose')
  assert.equal(conditions.find(({ type }) => type === 'Fenced')?.status, 'False')
})

test('loose: a selection that moves is followed as soon as the watch tells', async () => {
  const fleet = new VoteFleet('follows')
  for (const name of ['a', 'b']) await fleet.start(name, 'x+1', loose)
  for (const name of ['a', 'b']) await fleet.restart(name, 'x+2', loose)
  await fleet.pass(1_000)
  for (const name of ['a', 'b']) assert.equal(await fleet.write(name, name), 'v2')
})

// Without the age of the view: c sleeps for ten minutes; meanwhile a and b expel it, select v2 and migrate; c wakes, and
// before its watch has said a word it stores v1, and no guard breaks.
test('loose: a server that was frozen for ten minutes stores nothing before it has looked', async () => {
  const fleet = new VoteFleet('frozen')
  for (const name of ['a', 'b', 'c']) await fleet.start(name, 'x+1', loose)
  const { process, server } = fleet.member('c')
  process.freeze()
  for (const name of ['a', 'b']) await fleet.restart(name, 'x+2', loose)
  await fleet.pass(600_000)
  const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${server.coordinator.identity.serverID}`
  assert.equal((await fleet.ask('a', 'DELETE', lease)).status, 200)
  await fleet.pass(1_000)
  assert.equal(await fleet.said('a'), 'v2, a v2, b v2')
  process.thaw()
  assert.equal(server.ready, false)
  assert.match(await fleet.write('c', 'late'), /^503 this server's view .* is 60\d seconds old/)
  assert.equal(fleet.storedIn('late'), 'nothing')

  await fleet.pass(30_000)
  assert.equal(server.ready, true)
  assert.equal(await fleet.write('c', 'late'), 'v2')
})

test('loose: an entry that is seen to be gone closes the gate at once', async () => {
  const fleet = new VoteFleet('gone')
  const a = await fleet.start('a', 'x+1', loose)
  await fleet.start('b', 'x+1', loose)
  const { serverID } = a.coordinator.identity
  const beacons = { group: 'lighthouse.example.dev', resource: 'beacons' }
  const states: string[] = []
  a.cache.collection('/registry/strata.dev/storageagreements/').subscribe({
    onEvent: ({ key, value }) => {
      const { servers } = JSON.parse(Buffer.from(value).toString()).status as AgreementStatus
      const isExpelled = !servers.some((each) => each.serverID === serverID)
      if (key.endsWith('.beacons') && isExpelled) states.push(a.coordinator.fence.stateOf(beacons).kind)
    },
    onReset: () => {},
  })
  await fleet.settle(
    fleet
      .member('b')
      .server.coordinator.records.change(
        beacons,
        ({ entries }) => ({ entries: entries.filter((each) => each.serverID !== serverID), guards: [] }),
        new AbortController().signal,
      ),
  )
  await fleet.pass(1_000)
  assert.equal(states[0], 'pending', 'closed by the same event')
  assert.equal(a.coordinator.fence.stateOf(beacons).kind, 'open', 'and open again with a new entry')
})

const conditionOf = ({ conditions }: AgreementStatus, type: string) =>
  conditions.find((each) => each.type === type)?.status

/** c is loose and frozen while a and b, which are strict, go on to v2 without it. */
async function frozenLoose(seed: string): Promise<{ readonly fleet: VoteFleet; readonly c: VoteMember }> {
  const fleet = new VoteFleet(seed)
  for (const name of ['a', 'b']) await fleet.start(name, 'x+1')
  await fleet.start('c', 'x+1', loose)
  const c = fleet.member('c')
  c.process.freeze()
  for (const name of ['a', 'b']) await fleet.restart(name, 'x+2')
  return { fleet, c }
}

/** It thaws and writes by its old view, and no record calls that epoch fenced. */
async function expectNoProofYet(fleet: VoteFleet, c: VoteMember): Promise<void> {
  const before = await fleet.record('a')
  assert.equal(before.agreedVersion, 'lighthouse.example.dev/v2')
  assert.equal(conditionOf(before, 'AllServersReported'), 'True')
  assert.equal(conditionOf(before, 'Fenced'), 'False')
  assert.deepEqual(
    before.looseUntilSettled?.map(({ process }) => process),
    [c.server.coordinator.identity.process],
  )
  c.process.thaw()
  const late = call(c.server.handle, 'POST', beaconPath('v2'), beacon('v2', 'late', 5))
  assert.equal((await fleet.settle(late)).status, 201)
  assert.equal(fleet.storedIn('late'), 'v1', 'that is what loose means')
  const { epoch } = await fleet.record('a')
  c.process.crash()
  await fleet.pass(40_000)
  assert.equal(conditionOf(await fleet.record('a'), 'Fenced'), 'False')
  await fleet.pass(90_000)
  const after = await fleet.record('a')
  assert.equal(conditionOf(after, 'Fenced'), 'True')
  assert.equal(after.looseUntilSettled, undefined)
  assert.ok(after.epoch > epoch, `${after.epoch} > ${epoch}`)
}

test('loose: a server that is expelled while it may still write leaves nothing fenced until it cannot any more', async () => {
  const { fleet, c } = await frozenLoose('expelled')
  const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${c.server.coordinator.identity.serverID}`
  assert.equal((await fleet.ask('a', 'DELETE', lease)).status, 200)
  await fleet.pass(3_000)
  await expectNoProofYet(fleet, c)
})

test('loose: so does one that is taken over by a strict process of the same name', async () => {
  const { fleet, c } = await frozenLoose('taken over')
  await fleet.start('c', 'x+2')
  await expectNoProofYet(fleet, c)
})

test('loose: a server that shuts down leaves no mark, and another epoch', async () => {
  const fleet = new VoteFleet('farewell')
  await fleet.start('a', 'x+1')
  await fleet.start('c', 'x+1', loose)
  const before = await fleet.record('a')
  await fleet.stop('c')
  const after = await fleet.record('a')
  assert.equal(conditionOf(after, 'Fenced'), 'True')
  assert.equal(after.looseUntilSettled, undefined)
  assert.equal(after.epoch, before.epoch + 1)
})

// The client gives its write a second; the commit is slow, and its outcome unknown. Were the farewell one: the others write
// v2, every write is guarded, a migration is proven, and the commit arrives.
test('loose: a shutdown does not count while the outcome of the last write is unknown', async () => {
  const fleet = new VoteFleet('unknown farewell')
  const slow = Promise.withResolvers<void>()
  const wrap = (store: Store): Store => ({
    ...store,
    commit: async (commit, signal) => {
      if (commit.writes.some(({ key }) => key.endsWith('/late'))) await slow.promise
      return store.commit(commit, signal)
    },
  })
  await fleet.start('c', 'x+1', { ...loose, wrap })
  await fleet.start('a', 'x+2')
  const { process } = fleet.member('c').server.coordinator.identity
  const late = await fleet.ask('c', 'POST', `${beaconPath('v1')}?timeout=1s`, beacon('v1', 'late', 5))
  assert.match(`${late.status} ${late.body.message}`, /^504 the outcome of the write is unknown/)
  await fleet.stop('c')
  const before = await fleet.record('a')
  assert.equal(before.agreedVersion, 'lighthouse.example.dev/v2')
  assert.equal(conditionOf(before, 'Fenced'), 'False')
  assert.deepEqual(
    before.looseUntilSettled?.map((mark) => mark.process),
    [process],
  )
  slow.resolve()
  await fleet.pass(1_000)
  assert.equal(fleet.storedIn('late'), 'v1')
  await fleet.pass(90_000)
  const after = await fleet.record('a')
  assert.equal(conditionOf(after, 'Fenced'), 'True')
  assert.ok(after.epoch > before.epoch, `${after.epoch} > ${before.epoch}`)
})
