import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Outbound, OutboundError, TransportError, utf8 } from '@strata/world'
import { beaconPath } from '../support/fleet.ts'
import { lampName, lamps, lampsPath, type Through } from '../support/migration-fleet.ts'
import {
  beaconPrefix,
  beacons,
  conditionOf,
  definitionPath,
  denies,
  holds,
  ownPath,
  RunnerFleet,
  versionedPath,
} from '../support/runner-fleet.ts'

// Days on which things go wrong around a migration: everything else is migrated, nothing is lost, and nothing is claimed
// that is not so.

const count = 40
const inV2 = (objects: number) => ({ 'light.example.dev/v2': objects })
const migrationLimits = { pageSize: 10, startParallelism: 2, maxParallelism: 2 }
const isWrite = (method: string, target: string): boolean =>
  method === 'PATCH' && /\/(?:lamps|beacons)\/lamp-/.test(target)

/** Does something once, when this many objects have been written. */
function after(writes: number, act: () => Promise<unknown>): Through {
  let sent = 0
  return async (request, send) => {
    if (isWrite(request.method, request.target) && ++sent === writes) await act()
    return send(request)
  }
}

test('runner, bad days: a webhook that is down for all: Failed, with the reason, and gone on with by the next migration', async () => {
  let isDown = true
  const up = denies('no object')
  const outbound: Outbound = (request) => {
    if (isDown) throw new OutboundError('connection refused')
    return up(request)
  }
  const fleet = await RunnerFleet.switched('webhook down', count, { outbound })
  await fleet.guardLamps()
  const runner = fleet.startRunner('runner', {
    migrationLimits: { ...migrationLimits, tries: 2, patienceMs: 5_000 },
  })
  await fleet.migrateVersioned('first')
  const failed = conditionOf(await fleet.ended(versionedPath('first'), 600_000), 'Failed')
  assert.match(
    failed.message,
    /not yet migrated. migration encountered unhandled error: .*connection refused/s,
  )
  const { status } = (await fleet.ask('GET', definitionPath)).body
  assert.deepEqual(status.storedVersions, ['v1', 'v2'])
  isDown = false
  await fleet.migrateVersioned('second')
  assert.ok(holds(await fleet.ended(versionedPath('second')), 'Succeeded'))
  assert.deepEqual(fleet.stored(), inV2(count))
  await runner.stop()
})

test('runner, bad days: a namespace is terminating: its objects are migrated too', async () => {
  const fleet = await RunnerFleet.switched('terminating', count)
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dark' } }
  assert.equal((await fleet.ask('POST', '/api/v1/namespaces', namespace)).status, 201)
  await fleet.switchTo('v1')
  for (const name of ['one', 'two']) {
    const metadata = { name, namespace: 'dark', finalizers: ['light.example.dev/keep'] }
    const lamp = { apiVersion: `${lamps.group}/v1`, kind: 'Lamp', metadata, spec: { watts: 1 } }
    assert.equal((await fleet.ask('POST', lampsPath('', 'v1', 'dark'), lamp)).status, 201)
  }
  await fleet.switchTo('v2')
  assert.equal((await fleet.ask('DELETE', '/api/v1/namespaces/dark')).status, 200)
  assert.equal((await fleet.ask('DELETE', lampsPath('one', 'v1', 'dark'))).status, 200)
  const runner = fleet.startRunner('runner', { migrationLimits })
  await fleet.migrateOwn('lamps')
  const migration = await fleet.ended(ownPath('lamps'))
  assert.deepEqual([holds(migration, 'Succeeded'), migration.status.quarantined], [true, 0])
  assert.deepEqual(fleet.stored(), inV2(count + 2))
  await runner.stop()
})

test('runner, bad days: the definition is changed in the run: aborted, begun anew, and pruned for the new one only', async () => {
  const fleet = await RunnerFleet.switched('changed', count)
  const through = after(count / 2, () => fleet.change({ spec: { names: { shortNames: ['l'] } } }))
  const runner = fleet.startRunner('runner', { migrationLimits, through })
  await fleet.migrateOwn('lamps')
  const migration = await fleet.ended(ownPath('lamps'))
  assert.ok(holds(migration, 'Succeeded'))
  const definition = (await fleet.ask('GET', definitionPath)).body
  const { generation } = definition.metadata
  assert.deepEqual([generation, migration.status.target.definition.generation], [3, 3])
  assert.deepEqual(definition.status.storedVersions, ['v2'])
  assert.equal(conditionOf(definition, 'StorageMigrating').observedGeneration, 3)
  await runner.stop()
})

test('runner, bad days: X4: the storage version is switched back in the run: it ends where the servers are, proven', async () => {
  const fleet = await RunnerFleet.switched('back', count)
  const through = after(count / 2, () => fleet.change(fleet.storedIn('v1')))
  const runner = fleet.startRunner('runner', { migrationLimits, through })
  await fleet.migrateOwn('lamps')
  const { status } = await fleet.ended(ownPath('lamps'))
  assert.deepEqual([status.result, status.target.encodingVersion], ['Proven', 'light.example.dev/v1'])
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count })
  assert.deepEqual((await fleet.ask('GET', definitionPath)).body.status.storedVersions, ['v1'])
  await runner.stop()
})

test('runner, bad days: the definition is deleted in the run: Failed, never Succeeded', async () => {
  const fleet = await RunnerFleet.switched('gone', count)
  const through = after(count / 2, () => fleet.send('DELETE', definitionPath))
  const runner = fleet.startRunner('runner', {
    migrationLimits: { ...migrationLimits, patienceMs: 20_000 },
    through,
  })
  await fleet.migrateOwn('lamps')
  const migration = await fleet.ended(ownPath('lamps'), 600_000)
  assert.deepEqual([holds(migration, 'Failed'), holds(migration, 'Succeeded')], [true, false])
  await runner.stop()
})

test('runner, bad days: a server of another release joins in the run: no success while they disagree, and one when they agree', async () => {
  const fleet = await RunnerFleet.upgraded('another release', count)
  const through = after(count / 2, () => fleet.addServer('d', 'x+1'))
  const runner = fleet.startRunner('runner', { migrationLimits, through })
  await fleet.migrateOwn('beacons', { resource: beacons })
  await fleet.pass(120_000)
  const waiting = (await fleet.ask('GET', ownPath('beacons'))).body
  assert.deepEqual([holds(waiting, 'Running'), holds(waiting, 'Succeeded')], [true, false])
  assert.match(conditionOf(waiting, 'Running').message, /; transient error: /)
  // It costs little to wait: nothing is written while nothing changes.
  const before = runner.writes.length
  await fleet.pass(60_000)
  assert.ok(runner.writes.length <= before + 24, String(runner.writes.length - before))
  await fleet.settle(fleet.stopServer('d'))
  const migration = await fleet.ended(ownPath('beacons'), 300_000)
  assert.deepEqual([holds(migration, 'Succeeded'), migration.status.result], [true, 'Proven'])
  assert.deepEqual(fleet.stored(beaconPrefix), { 'lighthouse.example.dev/v2': count })
  assert.equal((await fleet.ask('GET', beaconPath('v2', lampName(1)))).status, 200)
  await runner.stop()
})

test('runner, bad days: rule 14: a loose server: not before 70 seconds, two passes, observed clean, pruned only if accepted', async () => {
  const fleet = await RunnerFleet.switched('loose', count, { guarantee: 'loose' })
  const runner = fleet.startRunner('runner', { migrationLimits })
  await fleet.migrateOwn('first')
  await fleet.pass(65_000)
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count }, 'nothing is written yet')
  const first = await fleet.ended(ownPath('first'))
  assert.deepEqual([first.status.result, first.status.target.fenced], ['ObservedClean', false])
  const definition = (await fleet.ask('GET', definitionPath)).body
  assert.deepEqual(definition.status.storedVersions, ['v1', 'v2'])
  assert.match(
    conditionOf(definition, 'StorageMigrating').message,
    /^The migration has succeeded but the stored versions have not been updated because the result of the migration is "observed clean", and "proven" is required$/,
  )
  await fleet.migrateOwn('second', { annotations: { 'strata.dev/accept': 'ObservedClean' } })
  assert.ok(holds(await fleet.ended(ownPath('second'), 200_000), 'Succeeded'))
  assert.deepEqual((await fleet.ask('GET', definitionPath)).body.status.storedVersions, ['v2'])
  await runner.stop()
})

test('runner, bad days: Q2: the network is cut for a while, and answers are lost: it goes on, and counts no failure', async () => {
  const fleet = await RunnerFleet.switched('cut', count)
  let asked = 0
  const through: Through = async (request, send) => {
    const { nowMs } = fleet.simulation
    if (nowMs > 3_000 && nowMs < 60_000) throw new TransportError('connection reset', 'unknown')
    asked++
    const answer = await send(request)
    if (asked % 9 === 0) throw new TransportError('connection reset', 'unknown')
    return asked % 7 === 0 && request.method !== 'GET'
      ? { status: 429, headers: { 'retry-after': '1' }, body: utf8.encode('too many requests') }
      : answer
  }
  const runner = fleet.startRunner('runner', { migrationLimits, through })
  await fleet.migrateOwn('own')
  await fleet.migrateVersioned('versioned')
  for (const path of [ownPath('own'), versionedPath('versioned')]) {
    assert.ok(holds(await fleet.ended(path, 600_000), 'Succeeded'), path)
  }
  assert.deepEqual(fleet.stored(), inV2(count))
  await runner.stop()
})

/** Refuses the first changes of the definition's status that prune it. */
function pruneConflicts(conflicts: number): Through {
  let refused = 0
  return async (request, send) => {
    const { method, target, body } = request
    const isPrune = method === 'PATCH' && target.startsWith(`${definitionPath}/status`)
    if (!isPrune || !utf8.decode(body ?? new Uint8Array()).includes('storedVersions')) return send(request)
    if (++refused > conflicts) return send(request)
    const message = 'the object has been modified'
    const said = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 409,
      reason: 'Conflict',
      message,
    }
    const headers = { 'content-type': 'application/json' }
    return { status: 409, headers, body: utf8.encode(JSON.stringify(said)) }
  }
}

test('runner, bad days: a definition that others write all the time is pruned when there is a gap', async () => {
  const fleet = await RunnerFleet.switched('busy definition', 5)
  const runner = fleet.startRunner('runner', { through: pruneConflicts(9) })
  await fleet.migrateOwn('lamps')
  const migration = await fleet.ended(ownPath('lamps'))
  assert.equal(conditionOf(migration, 'Succeeded').message, 'Migration completed')
  assert.deepEqual((await fleet.ask('GET', definitionPath)).body.status.storedVersions, ['v2'])
  await runner.stop()
})

for (const kind of ['own', 'versioned'] as const) {
  test(`runner, bad days: one that is never left alone (${kind}): Succeeded, and it says that nothing was pruned`, async () => {
    const fleet = await RunnerFleet.switched(`hot definition, ${kind}`, 5)
    const runner = fleet.startRunner('runner', { through: pruneConflicts(Number.POSITIVE_INFINITY) })
    await (kind === 'own' ? fleet.migrateOwn('lamps') : fleet.migrateVersioned('lamps'))
    const path = kind === 'own' ? ownPath('lamps') : versionedPath('lamps')
    await fleet.pass(600_000)
    const { message } = conditionOf(await fleet.ended(path), 'Succeeded')
    assert.match(message, /the stored versions of the CRD have not been updated: the object has been/)
    await runner.stop()
  })
}

test('runner, bad days: failures count in a row: a target that moved in between begins the count anew', async () => {
  const fleet = await RunnerFleet.switched('in a row', count)
  const fails = [true, true, false, true, true, false]
  let runs = 0
  const change = after(5, () => fleet.change({ spec: { names: { shortNames: ['lp'] } } }))
  const through: Through = async (request, send) => {
    const isFirstPage = request.method === 'GET' && request.target.endsWith('/lamps?limit=10')
    if (!isFirstPage || !fails[runs++]) return change(request, send)
    const said = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, message: 'not now' }
    const headers = { 'content-type': 'application/json' }
    return { status: 403, headers, body: utf8.encode(JSON.stringify(said)) }
  }
  const runner = fleet.startRunner('runner', { through, migrationLimits })
  await fleet.migrateVersioned('lamps')
  const migration = await fleet.ended(versionedPath('lamps'))
  assert.deepEqual([runs, holds(migration, 'Succeeded')], [fails.length, true])
  await runner.stop()
})
