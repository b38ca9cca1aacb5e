import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, utf8 } from '@strata/world'
import { beaconPath } from '../support/fleet.ts'
import { lampName, lamps, lampsPath, type Through } from '../support/migration-fleet.ts'
import {
  beaconPrefix,
  beacons,
  condition,
  conditionOf,
  definitionPath,
  denies,
  holds,
  ownPath,
  RunnerFleet,
  versionedPath,
} from '../support/runner-fleet.ts'

const count = 60
const inV2 = (objects: number) => ({ 'light.example.dev/v2': objects })

test("runner: R2, R4, R7, Q5: an object of upstream's own kind is brought to Succeeded, and the CRD is updated and pruned", async () => {
  const fleet = await RunnerFleet.switched('own', count)
  await fleet.migrateOwn('lamps')
  const runner = fleet.startRunner()
  const migration = await fleet.ended(ownPath('lamps'))
  assert.deepEqual(fleet.stored(), inV2(count))
  const { lastTransitionTime: _, ...succeeded } = conditionOf(migration, 'Succeeded')
  assert.deepEqual(succeeded, {
    type: 'Succeeded',
    status: 'True',
    reason: 'StorageVersionMigrationSucceeded',
    message: 'Migration completed',
  })
  const { lastTransitionTime: __, ...running } = conditionOf(migration, 'Running')
  assert.deepEqual(running, {
    type: 'Running',
    status: 'False',
    reason: 'MigrationCompleted',
    message: 'Migration completed',
  })
  const { result, total, migrated, continueToken, percent } = migration.status
  assert.deepEqual(
    { result, total, migrated, continueToken, percent },
    { result: 'Proven', total: count, migrated: count, continueToken: undefined, percent: 100 },
  )
  assert.match(migration.status.resourceVersion, /^[1-9]\d*$/)
  const definition = (await fleet.ask('GET', definitionPath)).body
  const { lastTransitionTime: ___, ...migrating } = conditionOf(definition, 'StorageMigrating')
  assert.deepEqual(migrating, {
    type: 'StorageMigrating',
    status: 'False',
    reason: 'MigrationSucceeded',
    message: 'The migration has succeeded and the stored versions have been updated',
    observedGeneration: 2,
  })
  assert.deepEqual(definition.status.storedVersions, ['v2'])
  await runner.stop()
})

test('runner: J2: what was stored stays as it is until it is migrated, then only that moves, and the old version may go', async () => {
  const fleet = await RunnerFleet.switched('a version goes', count)
  const later = ['later-1', 'later-2', 'later-3']
  for (const name of later) {
    const lamp = { apiVersion: `${lamps.group}/v2`, kind: 'Lamp', metadata: { name }, spec: { watts: 1 } }
    assert.equal((await fleet.ask('POST', lampsPath('', 'v2'), lamp)).status, 201)
  }
  const metadataOf = async (): Promise<
    ReadonlyMap<string, { resourceVersion: string; generation: number }>
  > => {
    const { status, body } = await fleet.ask('GET', lampsPath('', 'v2'))
    assert.equal(status, 200)
    return new Map(
      body.items.map(({ metadata }: { metadata: { name: string } }) => [metadata.name, metadata]),
    )
  }
  const before = await metadataOf()
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count, ...inV2(later.length) })
  await fleet.migrateOwn('lamps')
  const runner = fleet.startRunner()
  assert.ok(holds(await fleet.ended(ownPath('lamps')), 'Succeeded'))
  assert.deepEqual(fleet.stored(), inV2(count + later.length))
  const after = await metadataOf()
  const moved = [...after].filter(
    ([name, { resourceVersion }]) => resourceVersion !== before.get(name)?.resourceVersion,
  )
  assert.deepEqual([moved.length, moved.some(([name]) => later.includes(name))], [count, false])
  for (const [name, { generation }] of after) assert.equal(generation, before.get(name)?.generation)
  // Nothing is stored in it, and so no server needs it to read anything.
  assert.deepEqual((await fleet.ask('GET', definitionPath)).body.status.storedVersions, ['v2'])
  const { versions } = (fleet.storedIn('v2') as { spec: { versions: { name: string }[] } }).spec
  await fleet.settle(fleet.change({ spec: { versions: versions.filter(({ name }) => name === 'v2') } }))
  await fleet.pass(5_000)
  assert.equal((await fleet.ask('GET', lampsPath())).status, 404)
  assert.equal((await metadataOf()).size, count + later.length)
  await runner.stop()
})

test("runner: an object of kube-storage-version-migrator's kind, made while it runs, is picked up", async () => {
  const fleet = await RunnerFleet.switched('versioned', count)
  const runner = fleet.startRunner()
  await fleet.pass(10_000)
  await fleet.migrateVersioned('lamps')
  const migration = await fleet.ended(versionedPath('lamps'))
  assert.ok(holds(migration, 'Succeeded'))
  assert.deepEqual(
    migration.status.conditions.map(({ lastUpdateTime: _, ...each }: Record<string, string>) => each),
    [
      {
        ...{ type: 'Succeeded', status: 'True' },
        ...{ reason: 'MigrationSucceeded', message: 'Migration completed' },
      },
    ],
  )
  assert.deepEqual(fleet.stored(), inV2(count))
  await runner.stop()
})

test('runner: X8: a version that is not served any more: migrated through another one, and said so', async () => {
  const fleet = await RunnerFleet.switched('unserved', count)
  const runner = fleet.startRunner()
  await fleet.migrateVersioned('lamps', { resource: { ...lamps, version: 'v7' } })
  const migration = await fleet.ended(versionedPath('lamps'))
  assert.match(
    conditionOf(migration, 'Succeeded').message,
    /^Migration completed; spec\.resource\.version v7 is not served any more: objects are read and written through v\d/,
  )
  assert.deepEqual(fleet.stored(), inV2(count))
  await runner.stop()
})

test('runner: X8: of a version that is not served any more it is also said while it waits, and once', async () => {
  const fleet = await RunnerFleet.upgraded('unserved, and servers disagree', count)
  await fleet.settle(fleet.addServer('d', 'x+1'))
  const runner = fleet.startRunner()
  await fleet.migrateVersioned('beacons', { resource: { ...beacons, version: 'v7' } })
  await fleet.pass(30_000)
  const { message } = conditionOf((await fleet.ask('GET', versionedPath('beacons'))).body, 'Running')
  assert.match(message, /^.+; spec\.resource\.version v7 is not served any more: /)
  const statuses = () => runner.writes.filter((each) => each.endsWith('/beacons/status')).length
  const before = statuses()
  await fleet.pass(60_000)
  assert.equal(statuses(), before)
  await fleet.settle(fleet.stopServer('d'))
  assert.ok(holds(await fleet.ended(versionedPath('beacons'), 300_000), 'Succeeded'))
  await runner.stop()
})

test('runner: R1, J0, Q13: a built-in resource has no CRD to update; a second migration moves no resourceVersion; nothing is ever created but Events', async () => {
  const fleet = await RunnerFleet.upgraded('built in', count)
  const answers = new Set<number>()
  const runner = fleet.startRunner('runner', {
    through: async (request, send) => {
      const answer = await send(request)
      // But the Lease of the leader election, and Events.
      const isBeside = /\/leases|\/events/.test(request.target)
      if (request.method !== 'GET' && !isBeside) answers.add(answer.status)
      return answer
    },
  })
  await fleet.migrateOwn('first', { resource: beacons })
  assert.ok(holds(await fleet.ended(ownPath('first')), 'Succeeded'))
  assert.deepEqual(fleet.stored(beaconPrefix), { 'lighthouse.example.dev/v2': count })
  const versions = async () =>
    (await fleet.ask('GET', beaconPath('v2'))).body.items.map(
      ({ metadata }: { metadata: { resourceVersion: string } }) => metadata.resourceVersion,
    )
  const before = await versions()
  await fleet.migrateVersioned('second', { resource: { ...beacons, version: 'v2' } })
  const { status } = await fleet.ended(versionedPath('second'))
  assert.deepEqual([status.result, status.migrated, status.alreadyCurrent], ['Proven', 0, count])
  assert.deepEqual(await versions(), before)
  assert.deepEqual(
    [...answers].filter((each) => each !== 409),
    [200],
    'a write that creates is answered 201',
  )
  // Nothing was written but what was there.
  const isEvent = (each: string): boolean => each === 'POST /api/v1/namespaces/default/events'
  const paths = runner.writes.filter((each) => !isEvent(each)).map((each) => each.replace(/lamp-\d+$/, '…'))
  assert.deepEqual([...new Set(paths)].sort(), [
    `PATCH ${beaconPath('v2', '…')}`,
    `PATCH ${versionedPath('second')}`,
    `PATCH ${versionedPath('second')}/status`,
    `PATCH ${ownPath('first')}`,
    `PATCH ${ownPath('first')}/status`,
  ])
  await runner.stop()
})

test('runner: next to the data, where the servers offer it', async () => {
  const fleet = await RunnerFleet.upgraded('next to the data', count)
  const runner = fleet.startRunner('runner', { migrationNextToData: true })
  await fleet.migrateOwn('first', { resource: beacons })
  const { status } = await fleet.ended(ownPath('first'))
  assert.deepEqual([status.result, status.migrated, status.total], ['Proven', count, count])
  assert.deepEqual(fleet.stored(beaconPrefix), { 'lighthouse.example.dev/v2': count })
  assert.ok(!runner.writes.some((each) => each.includes(beaconPath('v2'))))
  await runner.stop()
})

test('runner: M5, M12, V5, Q3, Q4: a resource that is not served fails after a minute, not before', async () => {
  const fleet = new RunnerFleet('unknown')
  await fleet.startServer('a')
  const runner = fleet.startRunner()
  await fleet.migrateOwn('own', { resource: { group: 'missing.example.dev', resource: 'nothings' } })
  await fleet.migrateVersioned('versioned', {
    resource: { group: 'missing.example.dev', version: 'v1', resource: 'somethings' },
  })
  await fleet.pass(55_000)
  const early = (await fleet.ask('GET', ownPath('own'))).body
  assert.deepEqual([holds(early, 'Running'), holds(early, 'Failed')], [true, false])
  assert.match(
    conditionOf(early, 'Running').message,
    /; transient error: resource does not exist in discovery$/,
  )
  for (const path of [ownPath('own'), versionedPath('versioned')]) {
    const failed = conditionOf(await fleet.ended(path), 'Failed')
    assert.equal(failed.message, 'resource does not exist in discovery')
  }
  assert.equal(
    conditionOf(await fleet.ended(ownPath('own')), 'Failed').reason,
    'StorageVersionMigrationFailed',
  )
  await runner.stop()
})

test('runner: a definition that comes within the minute is migrated', async () => {
  const fleet = new RunnerFleet('late definition')
  await fleet.startServer('a')
  const runner = fleet.startRunner()
  await fleet.migrateOwn('lamps')
  await fleet.pass(20_000)
  await fleet.fill(3)
  assert.ok(holds(await fleet.ended(ownPath('lamps')), 'Succeeded'))
  await runner.stop()
})

test('runner: V15: a resource that cannot be listed fails at once', async () => {
  const fleet = new RunnerFleet('reviews')
  await fleet.startServer('a')
  const runner = fleet.startRunner()
  const resource = { group: 'authorization.k8s.io', resource: 'subjectaccessreviews' }
  await fleet.migrateOwn('reviews', { resource })
  const failed = conditionOf(await fleet.ended(ownPath('reviews'), 20_000), 'Failed')
  assert.equal(
    failed.message,
    'resource "authorization.k8s.io/v1, Resource=subjectaccessreviews" does not support discovery operations: [update patch list]',
  )
  await runner.stop()
})

/** A list of nothing, as upstream's: where no object can be. */
const isCheckpoint = (target: string): boolean =>
  target.includes(`/namespaces/${encodeURIComponent('@fake:svm_ns!')}/lamps?limit=1`)

/** Changes the answer to the list that a checkpoint is read from. */
const checkpoints =
  (change: (answer: HttpResponse) => HttpResponse): Through =>
  async (request, send) => {
    const answer = await send(request)
    return isCheckpoint(request.target) ? change(answer) : answer
  }

test('runner: V16: a checkpoint that cannot be read is not written, and everything is migrated without it', async () => {
  const fleet = await RunnerFleet.switched('checkpoint', 5)
  let asked = 0
  const through = checkpoints((answer) => {
    asked++
    return { ...answer, status: 500, body: utf8.encode('broken') }
  })
  const runner = fleet.startRunner('runner', { through })
  await fleet.migrateOwn('lamps')
  const migration = await fleet.ended(ownPath('lamps'))
  assert.deepEqual([asked, holds(migration, 'Succeeded')], [1, true])
  assert.equal(migration.status.resourceVersion, undefined)
  assert.deepEqual(fleet.stored(), inV2(5))
  await runner.stop()
})

test('runner: V17: a checkpoint that is no number fails it', async () => {
  const fleet = await RunnerFleet.switched('no number', 5)
  const body = utf8.encode(JSON.stringify({ metadata: { resourceVersion: 'abcde' }, items: [] }))
  const runner = fleet.startRunner('runner', { through: checkpoints((answer) => ({ ...answer, body })) })
  await fleet.migrateOwn('lamps')
  const failed = conditionOf(await fleet.ended(ownPath('lamps')), 'Failed')
  assert.equal(
    failed.message,
    'latest resourceVersion for light.example.dev/v2, Resource=lamps is not valid: resource version is not well formed: abcde',
  )
  await runner.stop()
})

test('runner: R3, V14: one that another process runs is left alone while its status changes, and its checkpoint stays', async () => {
  const fleet = await RunnerFleet.switched('foreign', 5)
  await fleet.migrateOwn('lamps')
  await fleet.say(ownPath('lamps'), {
    resourceVersion: '7',
    conditions: [condition('Running')],
  })
  const runner = fleet.startRunner()
  await fleet.pass(500_000)
  assert.deepEqual(runner.writes, [])
  const migration = await fleet.ended(ownPath('lamps'), 200_000)
  assert.ok(holds(migration, 'Succeeded'))
  assert.equal(migration.status.resourceVersion, '7')
  await runner.stop()
})

test("runner: R4, R6, R7: what upstream's own migrator has ended is tidied up; its word prunes nothing here, whatever is accepted", async () => {
  for (const [type, accept, stored] of [
    ['Succeeded', undefined, ['v1', 'v2']],
    ['Succeeded', 'Unknown', ['v1', 'v2']],
    ['Failed', 'Unknown', ['v1', 'v2']],
  ] as const) {
    const fleet = await RunnerFleet.switched(`tidy ${type} ${accept}`, 5)
    await fleet.migrateOwn('lamps', { annotations: accept ? { 'strata.dev/accept': accept } : {} })
    await fleet.say(definitionPath, {
      conditions: [condition('Established'), condition('NamesAccepted'), condition('StorageMigrating')],
    })
    await fleet.say(ownPath('lamps'), { conditions: [condition('Running'), condition(type)] })
    const runner = fleet.startRunner()
    const migration = await fleet.until('it runs no more', async () => {
      const { body } = await fleet.ask('GET', ownPath('lamps'))
      return !holds(body, 'Running') && body
    })
    assert.equal(conditionOf(migration, 'Running').reason, 'MigrationCompleted')
    assert.equal(conditionOf(migration, type).reason, 'Said', 'the other condition is kept')
    const definition = (await fleet.ask('GET', definitionPath)).body
    assert.deepEqual(definition.status.storedVersions, stored)
    const migrating = conditionOf(definition, 'StorageMigrating')
    assert.deepEqual([migrating.status, migrating.reason], ['False', `Migration${type}`])
    assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': 5 }, 'nothing was migrated')
    await runner.stop()
  }
})

test('runner: Q1, R6, M6: one object that is denied: all others are migrated, it fails by name, and nothing is pruned', async () => {
  const fleet = await RunnerFleet.switched('denied', count, { outbound: denies(lampName(2)) })
  await fleet.guardLamps()
  // A webhook admits updates: so the migration goes through the API, although servers offer batches.
  const runner = fleet.startRunner('runner', { migrationNextToData: true })
  await fleet.migrateOwn('own')
  const migration = await fleet.ended(ownPath('own'))
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': 1, ...inV2(count - 1) })
  const failed = conditionOf(migration, 'Failed')
  assert.equal(failed.reason, 'StorageVersionMigrationFailed')
  assert.match(
    failed.message,
    /^1\/60 not yet migrated. migration encountered unhandled error: default\/lamp-00002: Denied: .* denied the request: not this one$/,
  )
  const { result, quarantined, quarantine } = migration.status
  assert.deepEqual([result, quarantined, quarantine.length], ['Unknown', 1, 1])
  const definition = (await fleet.ask('GET', definitionPath)).body
  assert.deepEqual(definition.status.storedVersions, ['v1', 'v2'])
  assert.equal(conditionOf(definition, 'StorageMigrating').reason, 'MigrationFailed')
  assert.match(
    runner.metrics.text(),
    /core_migrator_migrations\{resource="light.example.dev\/v2, Resource=lamps",status="Failed"\} 1\n/,
  )
  await runner.stop()
})
