import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { storageVersionPath } from '../support/fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import { countVersions, type History } from '../support/raw-history.ts'
import { type BeaconVersion, WriteLoad } from '../support/write-load.ts'
import { expectedList, judgeLoad } from './judge-load.ts'
import { listBeacons } from './list-beacons.ts'
import { type LiveFleet, storeKinds, withLiveFleet } from './live-fleet.ts'

const names = ['a', 'b', 'c'] as const
const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'
const clearly =
  /^\/registry\/\S+: stored as lighthouse.example.dev\/v2, which this release cannot decode .*start a release that can/
/** Acknowledged writes that are awaited between two steps. */
const someWrites = isFullSize ? 1_000 : 60
/** Most of the time is spent on starting servers; the load need not make that slower than it is. */
const pauseMs = isFullSize ? 20 : 60

for (const store of storeKinds) {
  test(`rolling restart on ${store}: x to x+1 to x+2 under load stores no unrecorded version`, async (t) => {
    await withLiveFleet({ store }, async (fleet) => {
      await fleet.startAll('x')
      // Release x serves v1 alone.
      await using load = startLoad(fleet, () => ['v1'])
      await load.untilMore(someWrites)
      for (const name of names) await fleet.restart(name, 'x+1')
      await assertAgreed(fleet, v1)
      await load.stop()

      await using both = startLoad(fleet, () => ['v1', 'v2'], 'both')
      await both.untilMore(someWrites)
      await roll(fleet, both, 'x+2')
      await assertAgreed(fleet, v2)
      await both.untilMore(someWrites)
      await both.stop()

      const history = await fleet.history()
      t.diagnostic(JSON.stringify({ ...summary(history), load: load.counts, both: both.counts }))
      assert.deepEqual(history.violations, [])
      assert.deepEqual([...judgeLoad(load, history), ...judgeLoad(both, history)], [])
      assert.ok((countVersions(history.puts)['v2'] ?? 0) >= someWrites, 'v2 was written at the end')
      // Every server could read everything at every moment: x+1 is there for that.
      assert.equal(both.counts['500 StorageReadError'], undefined)
      for (const name of names) assert.deepEqual(await listBeacons(fleet, name), expectedList(history))
    })
  })

  test(`rolling restart on ${store}: a jump from x to x+2 is clear about what old servers cannot read, and loses nothing`, async (t) => {
    await withLiveFleet({ store }, async (fleet) => {
      await fleet.startAll('x')
      await using load = startLoad(fleet, () => ['v1'])
      await load.untilMore(someWrites)
      await roll(fleet, load, 'x+2')
      await assertAgreed(fleet, v2)
      await load.untilMore(someWrites)
      await load.stop()

      const history = await fleet.history()
      t.diagnostic(JSON.stringify({ ...summary(history), load: load.counts }))
      assert.deepEqual(history.violations, [])
      assert.deepEqual(judgeLoad(load, history), [])
      const unreadable = load.outcomes.filter((each) => each.kind === 'refused' && clearly.test(each.answer))
      assert.ok(unreadable.length > 0, 'a server of release x has met v2, and has said so')
      for (const name of names) assert.deepEqual(await listBeacons(fleet, name), expectedList(history))
    })
  })
}

/** One server after the other; after the first there is disagreement, and the record shows it. */
async function roll(fleet: LiveFleet, load: WriteLoad, release: string): Promise<void> {
  const [first, ...others] = names
  await fleet.restart(first, release)
  await assertDisagreed(fleet)
  // Mixed versions are stored now, each recorded.
  await load.untilMore(someWrites)
  for (const name of others) await fleet.restart(name, release)
}

function startLoad(fleet: LiveFleet, apiVersions: () => readonly BeaconVersion[], label = 'load'): WriteLoad {
  const servers = names.map((name) => fleet.transport(name))
  return new WriteLoad({ servers: () => servers, apiVersions, random: fleet.world.random, label, pauseMs })
}

async function assertDisagreed(fleet: LiveFleet): Promise<void> {
  const status = await fleet.status('b')
  assert.equal(status.code, 1)
  assert.equal(status.agreedVersion, undefined)
  assert.deepEqual(status.encodes, { [fleet.idOf('a')]: v2, [fleet.idOf('b')]: v1, [fleet.idOf('c')]: v1 })
  assert.match(status.problems.join(), /servers encode different versions/)
  const { body } = await ask(fleet.transport('c'), 'GET', storageVersionPath)
  assert.equal(body.status.commonEncodingVersion, undefined)
  assert.equal(conditionOf(body), 'False')
}

async function assertAgreed(fleet: LiveFleet, version: string): Promise<void> {
  const status = await fleet.status('b')
  assert.deepEqual([status.code, status.agreed, status.agreedVersion], [0, true, version])
  assert.deepEqual(status.encodes, Object.fromEntries(names.map((name) => [fleet.idOf(name), version])))
  const { body } = await ask(fleet.transport('c'), 'GET', storageVersionPath)
  assert.equal(body.status.commonEncodingVersion, version)
  assert.equal(conditionOf(body), 'True')
  assert.equal(body.status.storageVersions.length, names.length)
}

function conditionOf({
  status,
}: {
  status: { conditions?: { type: string; status: string }[] }
}): string | undefined {
  return status.conditions?.find(({ type }) => type === 'AllEncodingVersionsEqual')?.status
}

function summary({ puts, deletes, records }: History): Record<string, unknown> {
  return {
    puts: countVersions(puts),
    deletes: deletes.length,
    records: records.length,
    epoch: records.at(-1)?.epoch,
  }
}
