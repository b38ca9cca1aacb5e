import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beaconPrefix } from './keys.ts'
import { beacon, beacons, Stage } from './stage.ts'
import type { Member } from './world/fleet.ts'
import type { Part, Shape } from './world/shape.ts'

// Rules 17 and 18: two processes run under one server ID (host name and --instance), of which at least one has no identity
// Lease. Nothing keeps the second from starting, so each counts the other when it chooses a key. b and b2 are those two.

/** Both gates are off: no identity Lease, no entries. */
const unseen: Part = { form: 'report', guarantee: 'strict', records: false, identity: false }
/** StorageVersionAPI is off: a Lease, and no entries. */
const unrecorded: Part = { form: 'report', guarantee: 'strict', records: false }
const recording: Part = { form: 'report', guarantee: 'strict' }

const one = 'aesgcm:one'
const two = 'aescbc:two'

function stageWith(
  title: string,
  files: Readonly<Record<string, readonly string[]>>,
  shape: Partial<Shape> = {},
): Stage {
  const stage = new Stage(`one server ID: ${title}`, { keys: true, ...shape })
  for (const [name, keys] of Object.entries(files)) stage.world.files?.write(name, keys)
  return stage
}

const create = (stage: Stage, server: string, name: string) =>
  stage.ask(server, { method: 'POST', target: beacons, body: beacon(name, 'red') })
const read = async (stage: Stage, server: string, name: string): Promise<number> =>
  (await stage.ask(server, { method: 'GET', target: `${beacons}/${name}` })).status

/** Starts a second process as b, and waits until it is ready. */
async function startTwin(stage: Stage, part: Part): Promise<Member> {
  const twin = stage.world.fleet.start('b2', 'b', 'x+1', part)
  await stage.until('b2 is ready', () => twin.server.ready)
  return twin
}

/** The key that each beacon was stored under last, without its fingerprint. */
function keysOf(stage: Stage): Readonly<Record<string, string>> {
  const puts = stage.world.history.commits.flatMap(({ changes }) =>
    changes.flatMap((each) => (each.kind === 'put' && each.key.startsWith(beaconPrefix) ? [each] : [])),
  )
  const short = (under = ''): string => under.split(':').slice(0, 2).join(':')
  return Object.fromEntries(puts.map(({ key, under }) => [key.split('/').at(-1), short(under)]))
}

test('one server ID: a process that states a key problem is not ready, and writes nothing', async () => {
  const stage = stageWith('key problem', { b: [one], b2: [two], d: [two] })
  const b = await stage.start('b', 'x+1', unseen)
  // b2 takes the place of b, which does not answer, and writes two. Then b is back, and does not read two.
  stage.world.disturbances.freeze(b.process)
  await startTwin(stage, unseen)
  stage.world.disturbances.thaw(b.process)
  await stage.until('b is named again', () => stage.record.status.unseenProcesses?.length === 2)
  await stage.until('b is not ready', () => !b.server.ready)
  assert.deepEqual(b.server.coordinator.pending, [], 'it is alive, and only waits for the others')
  assert.match(b.server.coordinator.refusing.join(), /lighthouse.*may be under aescbc:two/)
  // Others count b as refusing: d, which reads two alone, may write.
  await stage.start('d', 'x+1', recording)
  assert.equal((await create(stage, 'b', 'late')).status, 503)
  assert.deepEqual(keysOf(stage), {})
})

test('one server ID: after a broken guard, the key is that of the own statement', async () => {
  const stage = stageWith('broken guard', { a: [one], b: [two], b2: [one, two], c: [one] })
  await stage.start('a', 'x+1', unseen)
  assert.equal((await create(stage, 'a', 'zero')).status, 201)
  // b refuses writes: it lacks one. Its entry names two.
  stage.world.fleet.start('b', 'b', 'x+1', recording)
  await stage.pass(10_000)
  const twin = await startTwin(stage, unseen)
  // c moves the record, and b2 learns of it from a broken guard.
  stage.world.lagging.lag(twin.process.id, 6_000)
  stage.world.fleet.start('c', 'c', 'x+1', unseen)
  await stage.pass(2_500)
  assert.equal((await create(stage, 'b2', 'two')).status, 201)
  assert.deepEqual(keysOf(stage), { zero: one, two: one })
  assert.equal(await read(stage, 'a', 'two'), 200)
})

test('one server ID: a process that holds the Lease and has no entries counts, by what its Lease says', async () => {
  const stage = stageWith('Lease without entries', { b: [one], b2: [two, one] })
  await stage.start('b', 'x+1', unrecorded)
  await stage.pass(40_000)
  await startTwin(stage, unseen)
  assert.equal((await create(stage, 'b2', 'new')).status, 201)
  assert.equal(await read(stage, 'b', 'new'), 200)
})

test('one server ID: the entry of a process that was killed keeps no later run from writing', async () => {
  const stage = stageWith('dead entry', { b: ['kms:vault'] }, { kms: true, leaseDurationSeconds: 3600 })
  stage.world.files?.kms?.end()
  const b = await stage.start('b', 'x+1', recording)
  assert.equal((await create(stage, 'b', 'old')).status, 201)
  b.process.crash()
  // The entry of b names the key before this one. A KMS writes under its newest key alone.
  stage.world.files?.kms?.rotate()
  await startTwin(stage, unseen)
  assert.equal((await create(stage, 'b2', 'new')).status, 201)
  assert.equal(await read(stage, 'b2', 'old'), 200)
})
