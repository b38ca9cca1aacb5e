import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lampName, type Through } from '../support/migration-fleet.ts'
import { denies, holds, ownPath, RunnerFleet } from '../support/runner-fleet.ts'

const count = 12
const eventsPath = '/api/v1/namespaces/default/events'

interface SeenEvent {
  readonly reason: string
  readonly message: string
  readonly type: string
  readonly count: number
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid: string }
  readonly source: { readonly component: string }
}

async function start(name: string, more: ConstructorParameters<typeof RunnerFleet>[1] = {}) {
  const fleet = await RunnerFleet.switched(name, count, more)
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }
  const { status } = await fleet.ask('POST', '/api/v1/namespaces', namespace)
  assert.ok([201, 409].includes(status), String(status))
  const eventsSeen = async (): Promise<readonly SeenEvent[]> =>
    (await fleet.ask('GET', eventsPath)).body.items
  return { fleet, eventsSeen }
}

test('events: from the start to the end, about the very object, and counted when they come again', async () => {
  const { fleet, eventsSeen } = await start('events')
  const runner = fleet.startRunner('runner')
  await fleet.migrateOwn('lamps')
  const { metadata, ...migration } = await fleet.ended(ownPath('lamps'))
  assert.ok(holds(migration, 'Succeeded'))
  await fleet.until('all events are there', async () => (await eventsSeen()).length >= 2)
  const events = await eventsSeen()
  assert.deepEqual(events.map(({ reason, type }) => [reason, type]).sort(), [
    ['MigrationStarted', 'Normal'],
    ['MigrationSucceeded', 'Normal'],
  ])
  for (const { involvedObject, source } of events) {
    assert.deepEqual([involvedObject.name, involvedObject.uid], ['lamps', metadata.uid])
    assert.equal(source.component, 'strata-migration-runner')
  }
  assert.match(events.find(({ reason }) => reason === 'MigrationSucceeded')?.message ?? '', /: proven$/)
  await runner.stop()
})

test('events: paused twice, and an object that a webhook denies: counted, named, and failed', async () => {
  const { fleet, eventsSeen } = await start('events of a bad day', { outbound: denies(lampName(3)) })
  await fleet.guardLamps()
  await fleet.migrateOwn('lamps', { annotations: { 'strata.dev/priority': '1' } })
  const slow: Through = async (request, send) => {
    if (request.method === 'PATCH' && request.target.includes('/lamps/lamp-')) {
      await new Promise<void>((done) => void fleet.simulation.schedule(1_000, 'slow', done))
    }
    return send(request)
  }
  const limits = { migrationLimits: { startParallelism: 1, maxParallelism: 1, pageSize: 2 } }
  const runner = fleet.startRunner('runner', { through: slow, ...limits })
  const countOf = async (reason: string) =>
    (await eventsSeen()).find((each) => each.reason === reason)?.count ?? 0
  for (const times of [1, 2]) {
    await fleet.until('it runs', async () => (await countOf('MigrationStarted')) >= times)
    await fleet.annotate(ownPath('lamps'), { 'strata.dev/paused': 'true' })
    await fleet.until('the event is there', async () => (await countOf('MigrationPaused')) === times)
    await fleet.annotate(ownPath('lamps'), { 'strata.dev/paused': null })
  }
  assert.ok(holds(await fleet.ended(ownPath('lamps'), 300_000), 'Failed'))
  await fleet.until('all events are there', async () => (await countOf('MigrationFailed')) === 1)
  const set = (await eventsSeen()).filter(({ reason }) => reason === 'ObjectQuarantined')
  assert.equal(set.length, 1)
  assert.match(set[0]?.message ?? '', new RegExp(`${lampName(3)}: .*not this one`))
  await runner.stop()
})

test('events: a server that takes none, or does not answer for them, delays nothing', async () => {
  const { fleet, eventsSeen } = await start('no events')
  let asked = 0
  const deaf: Through = (request, send) => {
    if (!request.target.includes('/events')) return send(request)
    asked++
    return new Promise(() => {})
  }
  const runner = fleet.startRunner('runner', { through: deaf })
  await fleet.migrateOwn('lamps')
  assert.ok(holds(await fleet.ended(ownPath('lamps'), 4_000), 'Succeeded'))
  assert.ok(asked > 0)
  assert.deepEqual(await eventsSeen(), [])
  await runner.stop()
})
