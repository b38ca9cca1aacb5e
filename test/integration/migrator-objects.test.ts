import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict } from '@strata/api'
import type { ProgressReport } from '@strata/controllers'
import { type Outbound, OutboundError, utf8 } from '@strata/world'
import { isFullSize } from '../support/full-size.ts'
import { lampName, lamps, lampsPath, MigrationFleet, mergePatch } from '../support/migration-fleet.ts'

const count = isFullSize ? 500 : 60
const v1 = 'light.example.dev/v1'
const v2 = 'light.example.dev/v2'

test('migrator: rule 14: where servers are loose it waits 70 seconds, looks twice, and calls that observed', async () => {
  const fleet = new MigrationFleet('loose', { guarantee: 'loose' })
  await fleet.startServer('a')
  await fleet.startServer('b')
  await fleet.fill(count)
  await fleet.switchTo('v2')
  const startMs = fleet.simulation.nowMs
  const migrator = fleet.migrator(lamps)
  const passes = new Set<number>()
  const onProgress = ({ progress }: ProgressReport): unknown => passes.add(progress.pass)
  const result = await fleet.settle(migrator.start({ onProgress }))
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'observed clean'])
  assert.deepEqual([result.resume.target.how, result.resume.target.fenced], ['record', false])
  assert.ok(fleet.simulation.nowMs - startMs >= 70_000)
  assert.deepEqual([...passes], [1, 2])
  // Without a fence nothing is known to be current: everything is asked about, each time.
  assert.equal(migrator.writes.length, 2 * count)
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator: objects that are being deleted, and wait for a finalizer, are rewritten like others', async () => {
  const fleet = new MigrationFleet('being deleted')
  await fleet.startServer('a')
  await fleet.fill(count, { metadata: { finalizers: ['example.dev/wait'] } })
  await fleet.switchTo('v2')
  for (let index = 0; index < 10; index++) await fleet.ask('DELETE', lampsPath(lampName(index)))
  const result = await fleet.settle(fleet.migrator(lamps).start())
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'proven'])
  assert.deepEqual(fleet.stored(), { [v2]: count })
  const { body } = await fleet.ask('GET', lampsPath(lampName(3)))
  assert.ok(body.metadata.deletionTimestamp)
})

test('migrator: objects of a namespace that is being deleted are rewritten like others', async () => {
  const fleet = new MigrationFleet('terminating')
  await fleet.startServer('a')
  await fleet.fill(count)
  await fleet.ask('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'going' },
  })
  const lamp = { apiVersion: v1, kind: 'Lamp', metadata: { name: 'last', finalizers: ['example.dev/wait'] } }
  assert.equal((await fleet.ask('POST', lampsPath('', 'v1', 'going'), lamp)).status, 201)
  await fleet.ask('DELETE', '/api/v1/namespaces/going')
  await fleet.switchTo('v2')
  const result = await fleet.settle(fleet.migrator(lamps).start())
  assert.deepEqual([result.outcome, result.proof, result.quarantine.total], ['succeeded', 'proven', 0])
  assert.deepEqual(fleet.stored(), { [v2]: count + 1 })
})

/** Converts, until `isDead` is set. */
function converter(): { readonly outbound: Outbound; isDead: boolean } {
  const state = {
    isDead: false,
    outbound: (async ({ body }) => {
      if (state.isDead) throw new OutboundError('connection refused')
      const { request, ...review } = JSON.parse(utf8.decode(body))
      const convertedObjects = request.objects.map((each: object) => ({
        ...each,
        apiVersion: request.desiredAPIVersion,
      }))
      const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects }
      return { status: 200, headers: {}, body: utf8.encode(JSON.stringify({ ...review, response })) }
    }) satisfies Outbound,
  }
  return state
}
const conversion = {
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://hook.example.dev/convert' } },
}

test('migrator: a conversion webhook that is dead: nothing is claimed, nothing is lost, and it goes on when it is back', async () => {
  const state = converter()
  const fleet = new MigrationFleet('dead conversion', state)
  await fleet.startServer('a')
  await fleet.fill(count, { spec: { conversion } })
  await fleet.switchTo('v2')
  state.isDead = true
  const result = await fleet.settle(fleet.migrator(lamps).start({ limits: { patienceMs: 120_000 } }))
  assert.deepEqual([result.proof, result.progress.migrated], ['unknown', 0])
  assert.ok(result.outcome === 'failed' || result.outcome === 'incomplete', result.outcome)
  assert.deepEqual(fleet.stored(), { [v1]: count })
  state.isDead = false
  await fleet.simulation.run({ untilMs: fleet.simulation.nowMs + 30_000 })
  const { resume } = result
  const again = await fleet.settle(fleet.migrator(lamps).start({ resume }))
  assert.deepEqual([again.outcome, again.proof], ['succeeded', 'proven'])
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator: a conflict about something else is not taken for a newer state, fence or not', async () => {
  const fleet = new MigrationFleet('quota')
  await fleet.startServer('a')
  await fleet.fill(count)
  await fleet.switchTo('v2')
  let conflicts = 0
  const quota = conflict({ group: '', resource: 'resourcequotas' }, 'q', 'the object has been modified')
  const migrator = fleet.migrator(lamps, async (request, send) => {
    const isRefused = request.method === 'PATCH' && request.target.includes(lampName(5)) && conflicts++ < 3
    return isRefused
      ? { status: 409, headers: {}, body: utf8.encode(JSON.stringify(quota.status)) }
      : send(request)
  })
  const result = await fleet.settle(migrator.start())
  assert.deepEqual([result.outcome, result.proof, conflicts > 3], ['succeeded', 'proven', true])
  assert.deepEqual(fleet.stored(), { [v2]: count })
})

test('migrator: what others see while it runs: one event for each object, and every object as it was', async () => {
  const fleet = new MigrationFleet('as it was')
  await fleet.startServer('a')
  await fleet.fill(count)
  await fleet.settle(
    fleet.send('PATCH', lampsPath(lampName(1)), { metadata: { labels: { a: 'b' } } }, mergePatch),
  )
  await fleet.switchTo('v2')
  const shown = async () => {
    const { body } = await fleet.ask('GET', lampsPath())
    return body.items.map(
      ({
        metadata: { resourceVersion: _, ...metadata },
        ...item
      }: {
        metadata: Record<string, unknown>
      }) => ({
        ...item,
        metadata,
      }),
    )
  }
  const before = await shown()
  const { revision } = fleet.data
  await fleet.settle(fleet.migrator(lamps).start())
  assert.deepEqual(await shown(), before)
  const { changes } = fleet.data.changesSince(`/registry/${lamps.group}/`, revision, 10_000)
  assert.equal(changes.length, count)
})
