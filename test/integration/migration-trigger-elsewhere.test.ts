import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { utf8 } from '@strata/world'
import { beaconState, migrationsPath, TriggerFleet } from '../support/trigger-fleet.ts'

const hash = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
const [v1, v2] = ['v1', 'v2'].map((name) => hash(`lighthouse.example.dev/${name}/Beacon`)) as [string, string]
const hex = (text: string): string => Buffer.from(text, 'base64').toString('hex')

/** A cluster that has StorageVersions and no records, and one that has neither. */
const withStorageVersions = { runtimeConfig: 'strata.dev/v1alpha1=false' }
const withHashesAlone = {
  runtimeConfig: 'strata.dev/v1alpha1=false,internal.apiserver.k8s.io/v1alpha1=false',
}
const periodMs = 60_000
const literal = { periodMs, equalPolls: 1, accept: 'succeeded' } as const
const ruled = { periodMs, accept: 'succeeded' } as const
const ours = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith(beaconState))

test('trigger elsewhere: StorageVersions are watched: common, none, another one', async () => {
  const fleet = new TriggerFleet('elsewhere-storageversions')
  const stopA = await fleet.addServer('a', 'x+1', withStorageVersions)
  const stopB = await fleet.addServer('b', 'x+1', withStorageVersions)
  fleet.startTrigger('t', ['a', 'b'], { accept: 'succeeded', settleMs: 5_000 })
  // Nothing remembers what was written before: that is Unknown, and migrated.
  await fleet.until('it is migrated', async () => ours(await fleet.migrationNames()).length === 1)
  assert.equal(await fleet.persisted(), `Unknown, ${v1}`)
  await fleet.finish(`${beaconState}-${hex(v1)}`, 'Succeeded')
  await fleet.until('it is known', async () => (await fleet.persisted()) === v1)

  await stopA()
  await fleet.addServer('a', 'x+2', withStorageVersions)
  await fleet.until('both may be stored', async () => (await fleet.persisted()) === `${v1}, ${v2}`)
  assert.deepEqual(ours(await fleet.migrationNames()), [])
  await stopB()
  await fleet.addServer('b', 'x+2', withStorageVersions)
  await fleet.until('it is migrated', async () => ours(await fleet.migrationNames()).length === 1)
  await fleet.finish(`${beaconState}-${hex(v2)}`, 'Succeeded')
  await fleet.until('it is known', async () => (await fleet.persisted()) === v2)
})

test('trigger elsewhere: one look at discovery in a period, and no more is asked of the cluster', async () => {
  const fleet = new TriggerFleet('elsewhere-discovery')
  const stop = await fleet.addServer('a', 'x+1', withHashesAlone)
  const trigger = fleet.startTrigger('t', ['a'], literal)
  await fleet.until('it is migrated', async () => ours(await fleet.migrationNames()).length === 1)
  await fleet.finish(`${beaconState}-${hex(v1)}`, 'Succeeded')
  await fleet.until('it is known', async () => (await fleet.persisted()) === v1)
  const before = (await fleet.state())?.status?.lastHeartbeatTime ?? ''
  await fleet.pass(periodMs + 5_000)
  const after = (await fleet.state())?.status?.lastHeartbeatTime ?? ''
  assert.ok(after > before, `${after} after ${before}`)

  await stop()
  await fleet.addServer('a', 'x+2', withHashesAlone)
  await fleet.until(
    'it is migrated',
    async () => ours(await fleet.migrationNames())[0]?.endsWith(hex(v2)) ?? false,
  )
  assert.equal(await fleet.persisted(), `${v1}, ${v2}`)
  // Away for longer than two periods: it is unknown what was written.
  fleet.crash(trigger)
  await fleet.pass(3 * periodMs)
  const uid = (await fleet.state())?.metadata.uid
  fleet.startTrigger('u', ['a'], literal)
  await fleet.until(
    'it is made anew',
    async () =>
      (await fleet.state())?.metadata.uid !== uid && (await fleet.persisted()).startsWith('Unknown'),
  )
})

type Through = NonNullable<NonNullable<Parameters<TriggerFleet['startTrigger']>[3]>['through']>

test('trigger elsewhere: the mark of a migration does not land on another one that has its name by then', async () => {
  const fleet = new TriggerFleet('elsewhere-late-mark')
  await fleet.addServer('a', 'x+1', withHashesAlone)
  const name = `${beaconState}-${hex(v1)}`
  const place = `${migrationsPath}/${name}`
  let times = 0
  // It was removed, as with a time to live, and the next leader has created it anew.
  const through: Through = async (request, send) => {
    if (request.method === 'PATCH' && request.target.startsWith(place) && times++ === 0) {
      const { body } = await fleet.send('a', 'GET', place)
      const { annotations } = body.metadata
      assert.equal((await fleet.send('a', 'DELETE', place)).status, 200)
      const again = { ...body, metadata: { name, annotations }, status: undefined }
      assert.equal((await fleet.send('a', 'POST', migrationsPath, again)).status, 201)
    }
    return send(request)
  }
  fleet.startTrigger('t', ['a'], literal, { through })
  await fleet.until('it is migrated', async () => ours(await fleet.migrationNames()).length === 1)
  await fleet.finish(name, 'Succeeded')
  await fleet.until('it is marked', async () => times > 0)
  await fleet.pass(5_000)
  assert.equal(await fleet.persisted(), `Unknown, ${v1}`)
  await fleet.finish(name, 'Succeeded')
  await fleet.until('it is counted', async () => (await fleet.persisted()) === v1)
})

test('trigger elsewhere: K3: with the limit of one period, looks that follow each other reset nothing', async () => {
  const fleet = new TriggerFleet('elsewhere-one-period')
  await fleet.addServer('a', 'x+1', withHashesAlone)
  fleet.startTrigger('t', ['a'], { ...literal, staleAfterPeriods: 1 })
  await fleet.until('it is migrated', async () => ours(await fleet.migrationNames()).length === 1)
  await fleet.finish(`${beaconState}-${hex(v1)}`, 'Succeeded')
  await fleet.until('it is known', async () => (await fleet.persisted()) === v1)
  const { metadata, status } = (await fleet.state()) ?? {}
  await fleet.pass(6 * periodMs)
  const after = await fleet.state()
  assert.deepEqual([after?.metadata.uid, await fleet.persisted()], [metadata?.uid, v1])
  assert.ok(
    Date.parse(after?.status?.lastHeartbeatTime ?? '') >
      Date.parse(status?.lastHeartbeatTime ?? '') + 3 * periodMs,
  )
})

test('trigger elsewhere: K8: a group that does not answer keeps its state, and the others have their heartbeat', async () => {
  const fleet = new TriggerFleet('elsewhere-partial')
  await fleet.addServer('a', 'x+1', withHashesAlone)
  let isBroken = false
  const through: Through = async (request, send) =>
    isBroken && request.target.startsWith('/apis/lighthouse.example.dev/')
      ? { status: 503, headers: {}, body: utf8.encode('no backend') }
      : send(request)
  fleet.startTrigger('t', ['a'], literal, { through })
  const beat = async (name: string) => (await fleet.state(name))?.status?.lastHeartbeatTime ?? ''
  await fleet.until(
    'there are states',
    async () => (await beat(beaconState)) !== '' && (await beat('secrets')) !== '',
  )
  const [beacons, secrets] = [await beat(beaconState), await beat('secrets')]
  isBroken = true
  await fleet.until('secrets are looked at', async () => (await beat('secrets')) > secrets)
  await fleet.pass(5_000)
  assert.equal(await beat(beaconState), beacons)
})

test('trigger elsewhere: reporters beside each server: only the leader acts, and only when all have shown the same twice', async () => {
  const fleet = new TriggerFleet('elsewhere-reporters')
  const stops = new Map<string, () => Promise<void>>()
  const names = ['a', 'b', 'c'] as const
  for (const name of names) stops.set(name, await fleet.addServer(name, 'x+1', withHashesAlone))
  const reporters = names.map((name) => fleet.startTrigger(`t${name}`, [name], ruled, { reports: true }))
  const entries = async () => (await fleet.state())?.status?.currentStorageVersionHashes ?? []
  await fleet.until('all have reported', async () => (await entries()).length === 3)
  assert.deepEqual(ours(await fleet.migrationNames()), [])
  await fleet.until('it is migrated', async () => ours(await fleet.migrationNames()).length === 1, 240)
  await fleet.finish(`${beaconState}-${hex(v1)}`, 'Succeeded')
  await fleet.until('it is known', async () => (await fleet.persisted()) === v1)

  for (const name of names) {
    await stops.get(name)?.()
    await fleet.addServer(name, 'x+2', withHashesAlone)
    const written = names.indexOf(name) + 1
    await fleet.until(
      `${written} have v2`,
      async () =>
        (await entries()).filter((each) => each.currentStorageVersionHash === v2).length === written,
    )
    assert.equal(await fleet.persisted(), `${v1}, ${v2}`)
    assert.equal(ours(await fleet.migrationNames()).filter((each) => each.endsWith(hex(v2))).length, 0)
  }
  await fleet.until(
    'it is migrated',
    async () => ours(await fleet.migrationNames())[0]?.endsWith(hex(v2)) ?? false,
  )
  const acted = reporters.filter(({ acts }) => acts.some((each) => each.startsWith('DELETE')))
  assert.ok(acted.length <= 1, 'only one of them leads')
  await fleet.finish(`${beaconState}-${hex(v2)}`, 'Succeeded')
  await fleet.until('it is known', async () => (await fleet.persisted()) === v2)

  // One is gone for good: for three periods it stands there, and then no more.
  const [gone] = reporters.filter(({ acts }) => !acts.some((each) => each.startsWith('DELETE')))
  assert.ok(gone)
  fleet.crash(gone)
  await fleet.pass(2 * periodMs)
  assert.equal((await entries()).length, 3)
  await fleet.until('it is forgotten', async () => (await entries()).length === 2, 240)
})

test('trigger elsewhere: a reporter leads the trigger, and a deployment that came later runs what it asks for', async () => {
  const fleet = new TriggerFleet('elsewhere-deployment')
  await fleet.addServer('a', 'x+1', withHashesAlone)
  await fleet.write('a', 'one')
  const settings = { periodMs, accept: 'observed-clean' } as const
  const trigger = 'storage-version-migration-trigger'
  fleet.startControllers('reporter', ['a'], undefined, [trigger], { trigger: settings, reports: true })
  await fleet.pass(5_000)
  const both = [trigger, 'storage-version-migrator']
  const deployment = fleet.startControllers('deployment', ['a'], undefined, both, { trigger: settings })
  await fleet.until('it is migrated', async () => (await fleet.persisted()) === v1, 1_200)
  assert.ok(deployment.acts.some((each) => each.startsWith('PATCH') && each.includes('/beacons/one')))
  assert.deepEqual(
    deployment.acts.filter((each) => each.startsWith('PUT') && each.includes('storagestates')),
    [],
    'who leads the trigger keeps its books',
  )
})
