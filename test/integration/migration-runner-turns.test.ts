import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimIn } from '@strata/insight'
import { utf8 } from '@strata/world'
import { lamps, lampsPath, mergePatch, type Through } from '../support/migration-fleet.ts'
import {
  beacons,
  conditionOf,
  definitionPath,
  holds,
  ownPath,
  RunnerFleet,
  versionedPath,
} from '../support/runner-fleet.ts'

const count = 60
const inV2 = (objects: number) => ({ 'light.example.dev/v2': objects })
/** So that there is a middle to do something in: one object after another, in small pages, with progress each time. */
const slowly = { pageSize: 5, startParallelism: 1, maxParallelism: 1, progressEveryMs: 20 }
const isLamp = (target: string): boolean => target.includes('/lamps/lamp-')

/** Each write of a lamp takes so long. */
const slow =
  (fleet: RunnerFleet, ms: number): Through =>
  async (request, send) => {
    if (request.method === 'PATCH' && isLamp(request.target)) {
      await new Promise<void>((done) => void fleet.simulation.schedule(ms, 'slow', done))
    }
    return send(request)
  }

const rewritten = (fleet: RunnerFleet): number => fleet.stored()['light.example.dev/v2'] ?? 0

/** A runner in the middle of migrating lamps, when it has done a third of them. */
async function underWay(fleet: RunnerFleet, name: string, path: string) {
  const before = rewritten(fleet)
  const runner = fleet.startRunner(name, { migrationLimits: slowly, through: slow(fleet, 200) })
  await fleet.until('a third is done, and written down', async () => {
    const { body } = await fleet.ask('GET', path)
    const isOurs = claimIn(body.metadata.annotations)?.id.startsWith(name)
    const isNoted = body.status?.continueToken?.includes('continueToken')
    return isOurs && isNoted && rewritten(fleet) >= before + count / 3
  })
  assert.ok(rewritten(fleet) < count)
  return runner
}

test('runner: Q7: killed in the middle, twice: the next leader goes on where it was, and counts no object twice', async () => {
  const fleet = await RunnerFleet.switched('kill', count)
  await fleet.migrateOwn('lamps')
  for (const name of ['first', 'second']) {
    const runner = await underWay(fleet, name, ownPath('lamps'))
    runner.kill()
    await fleet.pass(1_000)
  }
  const left = count - rewritten(fleet)
  assert.ok(left > 0)
  const last = fleet.startRunner('third')
  const migration = await fleet.ended(ownPath('lamps'))
  const { result, migrated, alreadyCurrent, total } = migration.status
  assert.deepEqual([result, total], ['Proven', count])
  // One that was under way at each end was written by a process that did not live to count it.
  assert.ok(migrated + alreadyCurrent <= count && migrated + alreadyCurrent >= count - 2)
  const writes = last.writes.filter(isLamp).length
  assert.ok(writes >= left && writes <= left + slowly.pageSize, `${writes} writes for ${left} objects`)
  const counted = Number(/migrated_objects\{.*\} (\d+)/.exec(last.metrics.text())?.[1])
  assert.ok(counted > 0 && counted <= writes, `${counted} counted by the one that wrote ${writes}`)
  assert.deepEqual(fleet.stored(), inV2(count))
  await last.stop()
})

test('runner: a status that a typed client has sent back without our fields: it begins anew, and is right', async () => {
  const fleet = await RunnerFleet.switched('typed client', count)
  await fleet.migrateOwn('lamps')
  const runner = await underWay(fleet, 'first', ownPath('lamps'))
  runner.kill()
  const { body } = await fleet.ask('GET', ownPath('lamps'))
  const { conditions, resourceVersion } = body.status
  const put = await fleet.ask('PUT', `${ownPath('lamps')}/status`, {
    ...body,
    status: { conditions, resourceVersion },
  })
  assert.deepEqual([put.status, put.body.status.continueToken], [200, undefined])
  const last = fleet.startRunner('second')
  const { status } = await fleet.ended(ownPath('lamps'))
  assert.deepEqual([status.result, status.total, status.quarantined], ['Proven', count, 0])
  assert.deepEqual(fleet.stored(), inV2(count))
  await last.stop()
})

test("runner: a server that keeps nothing of ours in the status, as upstream's: the place is in an annotation, and is gone on from", async () => {
  const fleet = await RunnerFleet.switched('typed server', count)
  await fleet.migrateOwn('lamps')
  /** As a typed server reads it. */
  const typed: Through = (request, send) => {
    if (!/migrations\/.*\/status\?/.test(request.target) || !request.body)
      return slow(fleet, 400)(request, send)
    const { status, ...rest } = JSON.parse(utf8.decode(request.body as Uint8Array))
    const { conditions, resourceVersion } = status
    return send({
      ...request,
      body: utf8.encode(JSON.stringify({ ...rest, status: { conditions, resourceVersion } })),
    })
  }
  const first = fleet.startRunner('first', { migrationLimits: slowly, through: typed })
  const path = ownPath('lamps')
  await fleet.until('its place is noted', async () =>
    (await fleet.ask('GET', path)).body.metadata.annotations?.['strata.dev/progress']?.includes(
      '\\"continueToken\\"',
    ),
  )
  first.kill()
  await fleet.pass(1_000)
  const done = rewritten(fleet)
  assert.ok(done > 0 && done < count)
  const second = fleet.startRunner('second', { through: typed })
  const migration = await fleet.ended(path)
  assert.deepEqual(Object.keys(migration.status).sort(), ['conditions', 'resourceVersion'])
  const noted = JSON.parse(migration.metadata.annotations['strata.dev/progress'])
  assert.deepEqual([noted.result, noted.total], ['Proven', count])
  assert.deepEqual(fleet.stored(), inV2(count))
  assert.deepEqual((await fleet.ask('GET', definitionPath)).body.status.storedVersions, ['v2'])
  await second.stop()
})

test('runner: Q9: a status that others write while it runs does not stop it', async () => {
  const fleet = await RunnerFleet.switched('busy status', count)
  await fleet.migrateOwn('lamps')
  const runner = await underWay(fleet, 'runner', ownPath('lamps'))
  for (let at = 0; at < 10; at++) {
    const { body } = await fleet.ask('GET', ownPath('lamps'))
    const { conditions } = body.status
    await fleet.ask('PUT', `${ownPath('lamps')}/status`, {
      ...body,
      status: { ...body.status, conditions, percent: 1 },
    })
    await fleet.annotate(ownPath('lamps'), { note: String(at) })
    await fleet.pass(100)
  }
  const { status, metadata } = await fleet.ended(ownPath('lamps'))
  assert.deepEqual([status.result, status.percent, status.migrated], ['Proven', 100, count])
  assert.equal(metadata.annotations.note, '9')
  await runner.stop()
})

test('runner: paused: it stops between objects, stays where it is, and goes on', async () => {
  const fleet = await RunnerFleet.switched('pause', count)
  await fleet.migrateOwn('lamps')
  const runner = await underWay(fleet, 'runner', ownPath('lamps'))
  await fleet.annotate(ownPath('lamps'), { 'strata.dev/paused': 'true' })
  await fleet.pass(2_000)
  const done = rewritten(fleet)
  assert.ok(done < count)
  await fleet.pass(60_000)
  assert.equal(rewritten(fleet), done)
  // Its resource is not its own meanwhile.
  await fleet.migrateVersioned('other')
  assert.ok(holds(await fleet.ended(versionedPath('other')), 'Succeeded'))
  const paused = (await fleet.ask('GET', ownPath('lamps'))).body
  const { status, reason, message } = conditionOf(paused, 'Running')
  assert.deepEqual([status, reason], ['False', 'MigrationPaused'])
  assert.match(
    message,
    /to resume it: kubectl annotate storageversionmigrations\.\S+\/lamps strata\.dev\/paused-$/,
  )
  assert.equal(claimIn(paused.metadata.annotations), undefined)
  await fleet.annotate(ownPath('lamps'), { 'strata.dev/paused': null })
  const migration = await fleet.ended(ownPath('lamps'))
  const { result, migrated } = migration.status
  assert.equal(result, 'Proven')
  assert.ok(migrated >= done - 1 && migrated < count, 'what it did itself; one was under way')
  await runner.stop()
})

test('runner: Q11, X2: cancelled by annotation: it stops at once, is Failed, and the next one goes on', async () => {
  const fleet = await RunnerFleet.switched('cancel', count)
  await fleet.migrateOwn('lamps')
  const runner = await underWay(fleet, 'runner', ownPath('lamps'))
  await fleet.annotate(ownPath('lamps'), { 'strata.dev/cancel': 'true' })
  const migration = await fleet.ended(ownPath('lamps'), 2_000)
  assert.ok(rewritten(fleet) < count)
  assert.equal(
    conditionOf(migration, 'Failed').message,
    'migration encountered unhandled error: it was cancelled',
  )
  const definition = (await fleet.ask('GET', definitionPath)).body
  assert.equal(conditionOf(definition, 'StorageMigrating').reason, 'MigrationFailed')
  assert.deepEqual(definition.status.storedVersions, ['v1', 'v2'])
  await fleet.migrateVersioned('next')
  assert.ok(holds(await fleet.ended(versionedPath('next')), 'Succeeded'))
  await runner.stop()
})

test('runner: X2, M2, V10: deleted in the middle: it stops at once, and the definition does not stay migrating', async () => {
  const fleet = await RunnerFleet.switched('deleted', count)
  await fleet.migrateOwn('lamps')
  const runner = await underWay(fleet, 'runner', ownPath('lamps'))
  assert.equal((await fleet.ask('DELETE', ownPath('lamps'))).status, 200)
  await fleet.pass(2_000)
  const done = rewritten(fleet)
  await fleet.pass(60_000)
  assert.deepEqual([rewritten(fleet), done < count], [done, true])
  const condition = conditionOf((await fleet.ask('GET', definitionPath)).body, 'StorageMigrating')
  assert.deepEqual([condition.status, condition.reason], ['False', 'MigrationFailed'])
  await runner.stop()
})

test('runner: deleted while no runner ran: the next runner updates the CRD', async () => {
  const fleet = await RunnerFleet.switched('deleted unseen', count)
  await fleet.migrateOwn('lamps')
  const first = await underWay(fleet, 'first', ownPath('lamps'))
  first.kill()
  assert.equal((await fleet.ask('DELETE', ownPath('lamps'))).status, 200)
  const condition = async () => conditionOf((await fleet.ask('GET', definitionPath)).body, 'StorageMigrating')
  assert.equal((await condition()).status, 'True')
  const second = fleet.startRunner('second')
  await fleet.until('the condition changes', async () => (await condition()).reason === 'MigrationFailed')
  await second.stop()
})

test('runner: by priority, then age; one per resource, several resources side by side', async () => {
  const fleet = await RunnerFleet.switched('turns', 10)
  await fleet.migrateOwn('old')
  await fleet.migrateVersioned('urgent', { annotations: { 'strata.dev/priority': '7' } })
  await fleet.migrateOwn('beacons', { resource: beacons })
  await fleet.migrateOwn('paused', {
    annotations: { 'strata.dev/paused': 'true', 'strata.dev/priority': '9' },
  })
  const runner = fleet.startRunner('runner', { migrationLimits: slowly, through: slow(fleet, 500) })
  for (const path of [versionedPath('urgent'), ownPath('old'), ownPath('beacons')]) {
    assert.ok(holds(await fleet.ended(path), 'Succeeded'))
  }
  // The first write to a migration claims it, the last tells of its end.
  const spans = ['urgent', 'old', 'beacons'].map((name) => {
    const at = runner.writes.flatMap((each, index) => (each.includes(`migrations/${name}`) ? [index] : []))
    return [Math.min(...at), Math.max(...at)] as const
  })
  const [urgent = [0, 0], old = [0, 0], other = [0, 0]] = spans
  assert.ok(urgent[1] < old[0], 'one after the other')
  assert.ok(other[0] < urgent[1], 'side by side')
  assert.deepEqual((await fleet.ask('GET', ownPath('paused'))).body.status, {})
  await runner.stop()
})

test('runner: X13: two at once: one leads, each migration has one end, and each object is rewritten once', async () => {
  const fleet = await RunnerFleet.switched('two at once', count)
  for (const name of ['a', 'b']) await fleet.migrateOwn(name)
  await fleet.migrateVersioned('c')
  const runners = ['one', 'other'].map((name) => fleet.startRunner(name, { through: slow(fleet, 20) }))
  for (const path of [ownPath('a'), ownPath('b'), versionedPath('c')]) {
    assert.ok(holds(await fleet.ended(path), 'Succeeded'))
  }
  const writes = runners.map((each) => each.writes.filter(isLamp).length)
  assert.deepEqual(
    writes.sort((a, b) => a - b),
    [0, count],
  )
  for (const each of runners) await each.stop()
})

test('runner: X13: a leader that does not know that it has lost is refused, and stops', async () => {
  const fleet = await RunnerFleet.switched('two leaders', count)
  await fleet.migrateOwn('lamps')
  // Its Lease cannot be renewed, and it has so much time that it does not notice.
  const deaf: Through = (request, send) =>
    request.target.includes('/leases/') && request.method !== 'GET' && fleet.simulation.nowMs > 10_000
      ? new Promise(() => {})
      : slow(fleet, 1_000)(request, send)
  const leaderElection = { leaseDurationMs: 15_000, renewDeadlineMs: 14_900, retryPeriodMs: 2_000 }
  const old = fleet.startRunner('old', { migrationLimits: slowly, through: deaf, leaderElection })
  const next = fleet.startRunner('next', {
    leaderElection: { leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 500 },
  })
  const migration = await fleet.ended(ownPath('lamps'), 300_000)
  assert.match(claimIn(migration.metadata.annotations)?.id ?? '', /^next_/)
  assert.deepEqual([migration.status.result, migration.status.total], ['Proven', count])
  await fleet.pass(30_000)
  const after = (await fleet.ask('GET', ownPath('lamps'))).body
  assert.equal(after.metadata.resourceVersion, migration.metadata.resourceVersion, 'no writes after the end')
  await next.stop()
  old.kill()
})

test('runner: TTL: migrations that ended are removed after it, and none is without it', async () => {
  const fleet = await RunnerFleet.switched('ttl', 3)
  await fleet.migrateOwn('old')
  const first = fleet.startRunner('first')
  await fleet.ended(ownPath('old'))
  await fleet.pass(100_000)
  assert.equal((await fleet.ask('GET', ownPath('old'))).status, 200)
  await first.stop()
  const second = fleet.startRunner('second', { finishedMigrationTtlMs: 90_000 })
  await fleet.until('it is gone', async () => (await fleet.ask('GET', ownPath('old'))).status === 404)
  await fleet.migrateVersioned('new')
  await fleet.ended(versionedPath('new'))
  await fleet.pass(70_000)
  assert.equal((await fleet.ask('GET', versionedPath('new'))).status, 200)
  await fleet.until(
    'it is gone',
    async () => (await fleet.ask('GET', versionedPath('new'))).status === 404,
    200_000,
  )
  await second.stop()
})

test('runner: J3: ten migrations of one resource, and others write, make and delete all the while: all succeed', async () => {
  const fleet = await RunnerFleet.switched('chaos', count)
  const generations = async () =>
    (await fleet.ask('GET', lampsPath())).body.items
      .filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('lamp-'))
      .map(({ metadata }: { metadata: { generation: number } }) => metadata.generation)
  const before = await generations()
  for (let at = 0; at < 10; at++) await fleet.migrateOwn(`m-${at}`)
  const runner = fleet.startRunner('runner', { migrationLimits: slowly, through: slow(fleet, 5) })
  let made = 0
  const chaos = async (): Promise<void> => {
    for (let at = 0; at < 10; at++) {
      const metadata = { name: `chaos-${made++}` }
      await fleet.ask('POST', lampsPath(), { apiVersion: `${lamps.group}/v1`, kind: 'Lamp', metadata })
      if (made > 3) await fleet.ask('DELETE', lampsPath(`chaos-${made - 3}`))
      await fleet.settle(
        fleet.send('PATCH', lampsPath(`chaos-${made - 1}`), { spec: { watts: at } }, mergePatch),
      )
    }
  }
  for (let at = 0; at < 10; at++) {
    await chaos()
    assert.ok(holds(await fleet.ended(ownPath(`m-${at}`)), 'Succeeded'), String(at))
  }
  assert.deepEqual(await generations(), before)
  assert.deepEqual(Object.keys(fleet.stored()), ['light.example.dev/v2'])
  // Each of them once, by the first migration; those after it find them current.
  const once = runner.writes.filter((each) => each.startsWith('PATCH') && isLamp(each))
  assert.equal(once.length, count)
  await runner.stop()
})
