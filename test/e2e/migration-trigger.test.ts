import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageState, VersionedMigration } from '@strata/api'
import { ask } from '../support/ask.ts'
import { beacon, beaconPath } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { type LiveFleet, serverNames, withLiveFleet } from './live-fleet.ts'

const count = 30
const statesPath = '/apis/migration.k8s.io/v1alpha1/storagestates'
const migrationsPath = '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'
const patient = { giveUpMs: 90_000 }

test('rolling upgrades from x to x+3: the operator only upgrades, and every stored object has moved', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await fleet.startAll('x')
    fleet.controllers(...serverNames)
    for (let index = 0; index < count; index++) {
      const { status, body } = await ask(
        fleet.transport('a'),
        'POST',
        beaconPath('v1'),
        beacon('v1', `b-${index}`, 5),
      )
      assert.equal(status, 201, JSON.stringify(body))
    }
    const first = await until('there is a state', async () => onlyHash(await state(fleet)), patient)
    // All at once: nothing else is written afterwards, so that nothing has to move.
    await Promise.all(serverNames.map((name) => fleet.restart(name, 'x+1')))
    assert.deepEqual(await storedVersions(fleet), { 'lighthouse.example.dev/v1': count })
    assert.deepEqual(await list(fleet, migrationsPath), [])

    await roll(fleet, 'x+2')
    const second = await until(
      'no other version may be stored',
      async () => {
        const hash = onlyHash(await state(fleet))
        return hash !== first ? hash : undefined
      },
      patient,
    )
    assert.deepEqual(await storedVersions(fleet), { 'lighthouse.example.dev/v2': count })
    const migrations = await list<VersionedMigration>(fleet, migrationsPath)
    const [migration] = migrations
    assert.match(migration?.metadata.name ?? '', /^beacons\.lighthouse\.example\.dev-epoch-\d+$/)
    assert.equal(
      migrations.length,
      1,
      JSON.stringify(migrations.map(({ metadata, status }) => [metadata, status])),
    )
    assert.deepEqual(
      [
        migration?.status?.result,
        migration?.status?.conditions?.find(({ type }) => type === 'Succeeded')?.status,
      ],
      ['Proven', 'True'],
    )

    // This release cannot read what was stored at the beginning.
    await roll(fleet, 'x+3')
    const { body } = await ask(fleet.transport('c'), 'GET', beaconPath('v2'))
    assert.equal(body.items.length, count)
    assert.equal(onlyHash(await state(fleet)), second)
    const unsettled = await until(
      'every state is settled',
      async () => {
        const states = await list<StorageState>(fleet, statesPath)
        const others = states.filter((each) => onlyHash(each) === undefined)
        return others.length === 0 && states.length > 15 ? { states } : undefined
      },
      patient,
    )
    assert.ok(unsettled.states.length > 15)
    assert.equal((await list(fleet, migrationsPath)).length, 1)
    const audit = await fleet.audit()
    assert.equal(audit.code, 0, JSON.stringify(audit))
  })
})

async function roll(fleet: LiveFleet, release: string): Promise<void> {
  for (const name of serverNames) await fleet.restart(name, release)
}

async function state(fleet: LiveFleet): Promise<StorageState> {
  const { body } = await ask(fleet.transport('a'), 'GET', `${statesPath}/beacons.lighthouse.example.dev`)
  return body
}

async function list<T = unknown>(fleet: LiveFleet, path: string): Promise<readonly T[]> {
  return (await ask(fleet.transport('b'), 'GET', path)).body.items
}

/** The stored version, if it is the current one and the only one that may be stored. */
function onlyHash({ status }: StorageState): string | undefined {
  const [only, ...more] = status?.persistedStorageVersionHashes ?? []
  return more.length === 0 && only === status?.currentStorageVersionHash ? only : undefined
}

/** The stored objects, read without a server. */
function storedVersions(fleet: LiveFleet): Promise<Readonly<Record<string, number>>> {
  return fleet.withStore(async (store) => {
    const page = await store.list(
      { prefix: '/registry/lighthouse.example.dev/beacons/', limit: 500 },
      new AbortController().signal,
    )
    const counts: Record<string, number> = {}
    for (const { value } of page.entries) {
      const { apiVersion } = JSON.parse(Buffer.from(value).toString())
      counts[apiVersion] = (counts[apiVersion] ?? 0) + 1
    }
    return counts
  })
}
