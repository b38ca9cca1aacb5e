import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Claim, claimAnnotation, claimIn, claimRenewedAnnotation, claimText } from '@strata/insight'
import type { SimProcess } from '@strata/world/sim'
import { mergePatch, type Through } from '../support/migration-fleet.ts'
import { conditionOf, holds, ownPath, RunnerFleet, versionedPath } from '../support/runner-fleet.ts'

const count = 20
const inV2 = { 'light.example.dev/v2': count }
const isLamp = (target: string): boolean => target.includes('/lamps/lamp-')
const running = {
  conditions: [
    {
      ...{ type: 'Running', status: 'True', reason: 'MigrationRunning', message: 'The migration is running' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
}
/** Much less than after what a silent holder is taken for dead. */
const atOnceMs = 3_000

const claimOf = (process: SimProcess): Claim => ({
  ...{ by: 'command', id: process.name, hostname: 'desk', ...process.processes.self },
})
const claimedBy = (process: SimProcess): Record<string, string> => ({
  [claimAnnotation]: claimText(claimOf(process)),
})

/** A runner that has decided by its watch is overtaken once: something arrives before its claim does. */
function overtaken(act: () => Promise<unknown>): { readonly times: number; readonly through: Through } {
  const seen = { times: 0 }
  const through: Through = async (request, send) => {
    const isClaim = request.method === 'PATCH' && request.target.includes('migrations/asked')
    if (isClaim && seen.times === 0) {
      seen.times = 1
      await act()
    }
    return send(request)
  }
  return Object.assign(seen, { through })
}

test('claims: a migration that a command let go and a user unpauses is continued at once', async () => {
  const fleet = await RunnerFleet.switched('let go', count)
  const runner = fleet.startRunner('runner')
  const command = fleet.simulation.process('command', { host: 'desk' })
  await fleet.migrateOwn('lamps', { annotations: claimedBy(command) })
  await fleet.say(ownPath('lamps'), running)
  await fleet.pass(10_000)
  assert.equal(claimIn((await fleet.ask('GET', ownPath('lamps'))).body.metadata.annotations)?.id, 'command')
  await fleet.annotate(ownPath('lamps'), { [claimAnnotation]: '', 'strata.dev/paused': 'true' })
  await fleet.until('its status says that it is paused', async () => {
    const { body } = await fleet.ask('GET', ownPath('lamps'))
    return conditionOf(body, 'Running').reason === 'MigrationPaused'
  })
  await fleet.annotate(ownPath('lamps'), { 'strata.dev/paused': null })
  assert.ok(holds(await fleet.ended(ownPath('lamps'), atOnceMs), 'Succeeded'))
  await runner.stop()
})

test('claims: a command that lives is left alone, one that was killed on this machine is taken over at once', async () => {
  const fleet = await RunnerFleet.switched('killed here', count)
  const runner = fleet.startRunner('desk')
  const command = fleet.simulation.process('command', { host: 'desk' })
  await fleet.migrateOwn('lamps', { annotations: claimedBy(command) })
  for (let second = 0; second < 60; second += 5) {
    await fleet.pass(5_000)
    await fleet.annotate(ownPath('lamps'), { [claimRenewedAnnotation]: String(second) })
  }
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count })
  command.crash()
  // A look is due when the command would have been silent for too long, at the latest.
  const migration = await fleet.ended(ownPath('lamps'), 21_000)
  assert.match(claimIn(migration.metadata.annotations)?.id ?? '', /^desk_/)
  assert.deepEqual(fleet.stored(), inV2)
  await runner.stop()
})

test('claims: a command of another machine that fell silent is taken over after that', async () => {
  const fleet = await RunnerFleet.switched('killed there', count)
  const runner = fleet.startRunner('runner')
  const command = fleet.simulation.process('command', { host: 'desk' })
  await fleet.migrateOwn('lamps', { annotations: claimedBy(command) })
  await fleet.pass(1_000)
  command.crash()
  await fleet.pass(17_000)
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count })
  assert.ok(holds(await fleet.ended(ownPath('lamps'), 5_000), 'Succeeded'))
  await runner.stop()
})

test('claims: a runner that ends kindly lets go what it had, and says that it still runs', async () => {
  const fleet = await RunnerFleet.switched('kindly', count)
  await fleet.migrateOwn('lamps')
  const slow: Through = async (request, send) => {
    if (request.method === 'PATCH' && isLamp(request.target)) {
      await new Promise<void>((done) => void fleet.simulation.schedule(500, 'slow', done))
    }
    return send(request)
  }
  const runner = fleet.startRunner('first', { through: slow, migrationLimits: { maxParallelism: 1 } })
  await fleet.until('it has begun', async () => (fleet.stored()['light.example.dev/v2'] ?? 0) > 2)
  await runner.stop()
  const { body } = await fleet.ask('GET', ownPath('lamps'))
  assert.deepEqual([claimIn(body.metadata.annotations), holds(body, 'Running')], [undefined, true])
  const next = fleet.startRunner('second')
  assert.ok(holds(await fleet.ended(ownPath('lamps')), 'Succeeded'))
  await next.stop()
})

test('claims: of two who want the same one is refused: a command whose claim was first keeps it', async () => {
  const fleet = await RunnerFleet.switched('first', count)
  const command = fleet.simulation.process('command', { host: 'desk' })
  const late = overtaken(async () => {
    const claim = { metadata: { annotations: claimedBy(command) } }
    assert.equal((await fleet.send('PATCH', ownPath('asked'), claim, mergePatch)).status, 200)
  })
  const runner = fleet.startRunner('runner', late)
  await fleet.migrateOwn('asked')
  await fleet.pass(15_000)
  assert.equal(late.times, 1)
  assert.equal(claimIn((await fleet.ask('GET', ownPath('asked'))).body.metadata.annotations)?.id, 'command')
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count })
  // It is taken over as ever when the command has fallen silent.
  command.crash()
  assert.ok(holds(await fleet.ended(ownPath('asked')), 'Succeeded'))
  assert.deepEqual(fleet.stored(), inV2)
  await runner.stop()
})

test('claims: a claimer then checks for others: a command that came between keeps its resource', async () => {
  const fleet = await RunnerFleet.switched('between', count)
  const command = fleet.simulation.process('command', { host: 'desk' })
  const late = overtaken(() =>
    fleet.send('POST', versionedPath(), {
      apiVersion: 'migration.k8s.io/v1alpha1',
      kind: 'StorageVersionMigration',
      metadata: { name: 'strata-migrate-lamps', annotations: claimedBy(command) },
      spec: { resource: { group: 'light.example.dev', version: 'v2', resource: 'lamps' } },
    }),
  )
  const runner = fleet.startRunner('runner', late)
  await fleet.migrateOwn('asked')
  await fleet.pass(10_000)
  assert.equal(late.times, 1)
  assert.deepEqual(fleet.stored(), { 'light.example.dev/v1': count })
  assert.equal(claimIn((await fleet.ask('GET', ownPath('asked'))).body.metadata.annotations), undefined)
  // The command is done; nothing is lost.
  assert.equal((await fleet.ask('DELETE', versionedPath('strata-migrate-lamps'))).status, 200)
  assert.ok(holds(await fleet.ended(ownPath('asked'), atOnceMs), 'Succeeded'))
  assert.deepEqual(fleet.stored(), inV2)
  await runner.stop()
})
