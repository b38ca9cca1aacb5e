import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { claimOrFollow } from './claim-or-follow.ts'
import { FakeMigrations, never, passing, target } from './fake-migrations-for-test.ts'
import type { HeldRecord, RecordEnd } from './record.ts'

const name = 'strata-migrate-things.g.dev'

/** One command that has the migration, on the same machine as all others. */
async function held(seed: string) {
  const simulation = new Simulation(seed)
  const migrations = new FakeMigrations()
  const first = simulation.process('first', { host: 'desk' })
  const records = migrations.recordsOf(first)
  const taken = await records.claim(await records.readOpen(never), target, never)
  assert.ok(taken)
  return { simulation, migrations, first, held: taken as HeldRecord }
}

const finish =
  (outcome: RecordEnd['outcome'], because: string, quarantined = 0) =>
  (held: HeldRecord): Promise<unknown> =>
    held.finish({ outcome, proof: 'unknown', because }, { quarantined }, never)

const left = '3 objects are not stored in g.dev/v1'
const coming = 'objects in another encoding keep coming'
const moved = 'the target moved: epoch 2 became epoch 3'
const ends: readonly [
  ...[name: string, end: (held: HeldRecord) => Promise<unknown>],
  ...want: [outcome: string, exit: string, because: string],
][] = [
  [
    'could not go on',
    (each) => each.release({}, 'no server answers', never),
    'failed',
    'notSeen',
    'no server answers',
  ],
  ['was stopped', (each) => each.release({}, undefined, never), 'paused', 'stopped', 'it was paused'],
  ['has left some', finish('incomplete', left), 'incomplete', 'incomplete', left],
  ['does not come to an end', finish('incomplete', coming), 'incomplete', 'incomplete', coming],
  ['was aborted, with some set aside', finish('aborted', moved, 1), 'aborted', 'aborted', moved],
]
for (const [what, end, outcome, exit, because] of ends) {
  test(`a run that ${what}: a process that follows it ends with the same`, async () => {
    const { simulation, migrations, held: run } = await held(what)
    const second = simulation.process('second', { host: 'desk' })
    const { job } = migrations.jobOf(second)
    const place = claimOrFollow(job, migrations.recordsOf(second), target)
    await passing(simulation, 3_000)
    await end(run)
    const found = await simulation.settle(place)
    assert.ok(found.kind === 'over')
    const { report } = found
    assert.deepEqual([report.outcome, report.exit, report.because], [outcome, exit, because])
  })
}

test('a run that could not go on says why on its object, until a process resumes it', async () => {
  const { simulation, migrations, held: run } = await held('says why')
  await run.release({}, 'no server answers', never)
  assert.deepEqual(migrations.seen(name), [false, 'failed: no server answers', undefined])
  const next = migrations.recordsOf(simulation.process('next', { host: 'desk' }))
  const open = await next.readOpen(never)
  assert.deepEqual([open?.isPaused, open?.failure], [true, 'no server answers'])
  assert.ok(await next.claim(open, target, never))
  assert.deepEqual(migrations.seen(name), [true, undefined, undefined])
})

const cancel = { 'strata.dev/cancel': 'true' }

test('a migration that was cancelled, and whose command was killed: it is ended as that, and another is begun', async () => {
  const { simulation, migrations, first } = await held('cancelled')
  migrations.annotate(name, cancel)
  migrations.ask('asked', cancel)
  first.crash()
  const second = simulation.process('second', { host: 'desk' })
  const { job, notes } = migrations.jobOf(second)
  const records = migrations.recordsOf(second)
  const before = await records.readById((await records.readOpen(never))?.id ?? '', never)
  const place = await simulation.settle(claimOrFollow(job, records, target))
  assert.equal(place.kind, 'held')
  assert.deepEqual(migrations.seen('asked'), [false, undefined, 'aborted'])
  // In the place of the one that was ended.
  assert.deepEqual(migrations.seen(name), [true, undefined, undefined])
  assert.notEqual((await records.readOpen(never))?.id, before?.id)
  assert.deepEqual([...notes].sort(), [
    'storageversionmigrations.migration.k8s.io/strata-migrate-things.g.dev was cancelled, and is now marked as failed',
    'storageversionmigrations.storagemigration.k8s.io/asked was cancelled, and is now marked as failed',
  ])
})

test('a migration that was cancelled, and whose command lives: it tells its end itself, and is waited for', async () => {
  const { simulation, migrations, held: run } = await held('cancelled, alive')
  migrations.annotate(name, cancel)
  const second = simulation.process('second', { host: 'desk' })
  const { job, notes } = migrations.jobOf(second)
  const place = claimOrFollow(job, migrations.recordsOf(second), target)
  await passing(simulation, 3_000)
  assert.deepEqual([migrations.seen(name), notes.length], [[true, undefined, undefined], 1])
  assert.equal(await run.save({}, never), 'deleted')
  const end = { outcome: 'aborted', proof: 'unknown', because: 'it was cancelled' } as const
  assert.equal(await run.finish(end, {}, never), 'saved')
  assert.equal((await simulation.settle(place)).kind, 'held')
  assert.match(notes[0] ?? '', /^waiting for the cancelled migration .* to end$/)
})

test('a migration that was deleted, and is kept by a finalizer: it is said who is in the way', async () => {
  const { simulation, migrations, first } = await held('deleted')
  migrations.terminate(name)
  first.crash()
  const second = simulation.process('second', { host: 'desk' })
  const place = claimOrFollow(migrations.jobOf(second).job, migrations.recordsOf(second), target)
  await assert.rejects(simulation.settle(place), {
    message: /strata-migrate-things\.g\.dev is being deleted, and a finalizer keeps it/,
  })
  assert.equal(migrations.seen(name)[2], 'aborted')
})
