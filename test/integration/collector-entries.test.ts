import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, StorageAgreement } from '@strata/api'
import { agreementKind, decideAgreement, serverId } from '@strata/server'
import { createMemoryStore, readOne } from '@strata/server/store'
import {
  agreementsPath,
  CollectorFleet,
  leaseDurationMs,
  leasesPath,
  storageVersionsPath,
} from '../support/collector-fleet.ts'
import { agreementPath, call, storageVersionPath } from '../support/fleet.ts'

const { signal } = new AbortController()
const never = 'apiserver-that-never-was'

const entry = (serverID: string, encodingVersion: string): AgreementEntry => ({
  serverID,
  process: `${serverID}_1`,
  encodingVersion,
  decodableVersions: [encodingVersion],
  servedVersions: [encodingVersion],
  guarantee: 'strict',
  writeKey: 'identity',
  readableKeys: ['identity'],
  encoderFingerprint: 'f',
})

/** Adds entries to a record behind the servers' backs, as a server would that died right afterwards. */
async function plant(
  fleet: CollectorFleet,
  group: string,
  resource: string,
  more: readonly AgreementEntry[],
) {
  const store = createMemoryStore(fleet.data)
  const name = `${group}.${resource}`
  const key = `/registry/strata.dev/storageagreements/${name}`
  const found = await readOne(store, key, signal)
  const before = found && agreementKind.decode(found)
  const entries = [...(before?.status.servers ?? []), ...more]
  const facts = { previous: before?.status, entries, expectedServers: 0, now: '2026-01-01T00:00:00Z' }
  const record: StorageAgreement = {
    metadata: before?.metadata ?? { name, uid: `uid-${name}`, creationTimestamp: facts.now },
    spec: { group, resource },
    status: decideAgreement({ ...facts, liveServers: new Set(entries.map(({ serverID }) => serverID)) }),
  }
  const outcome = await store.commit(
    {
      writes: [{ kind: 'put', key, value: agreementKind.encode(record) }],
      guards: [{ key, revision: found?.revision ?? 'absent' }],
    },
    signal,
  )
  assert.equal(outcome.outcome, 'committed')
}

async function startFleet(seed: string) {
  const fleet = new CollectorFleet(seed)
  await fleet.startServer('a', { release: 'x+1' })
  const { acts } = fleet.startControllers('controllers', ['a'])
  await fleet.pass(5_000)
  const get = async (path: string) => (await fleet.ask('a', 'GET', path)).body
  return { fleet, acts, get }
}

test('collector G3: an entry whose Lease never was is removed; what the others say stands', async () => {
  const { fleet, acts, get } = await startFleet('G3')
  const before = await get(agreementPath)
  await plant(fleet, 'lighthouse.example.dev', 'beacons', [entry(never, 'lighthouse.example.dev/v2')])
  await fleet.pass(5_000)
  const after = await get(agreementPath)
  assert.deepEqual(after.status.servers, before.status.servers)
  assert.equal(after.status.agreedVersion, 'lighthouse.example.dev/v1')
  assert.equal(after.status.epoch, before.status.epoch + 2, 'the set of encodings changed twice')
  assert.equal((await get(storageVersionPath)).status.commonEncodingVersion, 'lighthouse.example.dev/v1')
  assert.deepEqual(acts, [`PUT ${agreementPath}`])
})

test('collector G4, I1, I4: with its last entry the StorageVersion goes; the record stays, with its epoch', async () => {
  const { fleet, get } = await startFleet('I1')
  await plant(fleet, 'gone.example.dev', 'things', [entry(never, 'gone.example.dev/v1')])
  await fleet.pass(5_000)
  const record = await get(`${agreementsPath}/gone.example.dev.things`)
  assert.deepEqual(record.status.servers, [])
  assert.equal(record.status.epoch, 1)
  const shown = await fleet.ask('a', 'GET', `${storageVersionsPath}/gone.example.dev.things`)
  assert.equal(shown.status, 404)
})

test('collector: a change of a record under the name of another is refused', async () => {
  const { fleet, get } = await startFleet('names')
  const record = await get(agreementPath)
  const answer = await fleet.ask('a', 'PUT', `${agreementsPath}/core.configmaps`, {
    ...record,
    metadata: { ...record.metadata, name: 'core.configmaps' },
  })
  assert.equal(answer.status, 400, JSON.stringify(answer.body))
})

test('collector I2: a valid entry is left alone', async () => {
  const { fleet, acts, get } = await startFleet('I2')
  const before = await get(storageVersionPath)
  await fleet.pass(3 * leaseDurationMs)
  assert.deepEqual(await get(storageVersionPath), before)
  assert.equal(before.status.commonEncodingVersion, 'lighthouse.example.dev/v1')
  assert.deepEqual(acts, [])
})

const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
const lease = (name: string, spec: object, more: object = { labels }): unknown => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, ...more },
  spec,
})

test('collector G2: the end of a Lease without entries changes no entry', async () => {
  const { fleet, get } = await startFleet('G2')
  const before = await get(storageVersionPath)
  const silent = lease('apiserver-silent', { leaseDurationSeconds: 3600 })
  assert.equal((await fleet.ask('a', 'POST', leasesPath, silent)).status, 201)
  await fleet.pass(1_000)
  assert.equal((await get(agreementPath)).status.agreedVersion, undefined, 'it lives, and has not reported')
  assert.equal((await fleet.ask('a', 'DELETE', `${leasesPath}/apiserver-silent`)).status, 200)
  await fleet.pass(1_000)
  assert.deepEqual(await get(storageVersionPath), before, 'not even its resourceVersion')
  assert.equal((await get(agreementPath)).status.agreedVersion, 'lighthouse.example.dev/v1')
})

test('collector I4: entries of a resource that no server serves any more go when their Lease does', async () => {
  const { fleet, acts, get } = await startFleet('I4')
  const last = lease('apiserver-last', {
    leaseDurationSeconds: 3600,
    renewTime: '2026-01-01T00:00:00.000000Z',
  })
  assert.equal((await fleet.ask('a', 'POST', leasesPath, last)).status, 201)
  await plant(fleet, 'gone.example.dev', 'things', [entry('apiserver-last', 'gone.example.dev/v1')])
  await fleet.pass(5_000)
  const path = `${agreementsPath}/gone.example.dev.things`
  assert.equal((await get(path)).status.servers.length, 1)
  assert.equal((await fleet.ask('a', 'DELETE', `${leasesPath}/apiserver-last`)).status, 200)
  await fleet.pass(5_000)
  assert.deepEqual((await get(path)).status.servers, [])
  assert.deepEqual(acts, [`PUT ${path}`])
})

test('collector N11: dead identity Leases go, all others stay', async () => {
  const { fleet, acts } = await startFleet('N11')
  const spec = { leaseDurationSeconds: 10, renewTime: '2030-01-01T00:00:00.000000Z' }
  const otherPath = leasesPath.replace('kube-system', 'default')
  const made: readonly [string, unknown][] = [
    [leasesPath, lease('apiserver-dead', spec)],
    [leasesPath, lease('apiserver-no-renewal', { leaseDurationSeconds: 10 })],
    [leasesPath, lease('apiserver-no-duration', { renewTime: spec.renewTime })],
    [leasesPath, lease('apiserver-unlabelled', spec, {})],
    [otherPath, lease('apiserver-elsewhere', spec)],
  ]
  for (const [path, object] of made) assert.equal((await fleet.ask('a', 'POST', path, object)).status, 201)
  const deletions = (): string[] =>
    acts
      .filter((act) => act.startsWith('DELETE'))
      .map((act) => act.slice(act.lastIndexOf('/') + 1))
      .sort()

  await fleet.pass(9_500)
  assert.deepEqual(deletions(), [], 'each had just been seen for the first time')
  await fleet.pass(2_000)
  assert.deepEqual(deletions(), ['apiserver-dead'], 'after its own duration, whatever time stands in it')
  // The default duration of these fleets is two of theirs.
  await fleet.pass(2 * leaseDurationMs)
  assert.deepEqual(deletions(), ['apiserver-dead', 'apiserver-no-duration', 'apiserver-no-renewal'])
  assert.equal((await fleet.ask('a', 'GET', `${leasesPath}/apiserver-unlabelled`)).status, 200)
  assert.equal((await fleet.ask('a', 'GET', `${otherPath}/apiserver-elsewhere`)).status, 200)
})

test('collector P4: a renewal between the last look and the deletion saves the server', async () => {
  const fleet = new CollectorFleet('P4')
  const { server } = await fleet.startServer('a')
  const late = lease('apiserver-late', { leaseDurationSeconds: 10, renewTime: '2026-01-01T00:00:00.000000Z' })
  assert.equal((await fleet.ask('a', 'POST', leasesPath, late)).status, 201)
  let renewed = false
  const path = `${leasesPath}/apiserver-late`
  const { acts } = fleet.startControllers('controllers', ['a'], async (request, send) => {
    if (request.method === 'DELETE' && !renewed) {
      renewed = true
      const { body } = await call(server.handle, 'GET', path)
      const spec = { ...body.spec, renewTime: '2026-01-01T00:00:10.000000Z' }
      assert.equal((await call(server.handle, 'PUT', path, { ...body, spec })).status, 200)
    }
    return send(request)
  })
  await fleet.pass(15_000)
  assert.deepEqual(acts, [`DELETE ${path}`])
  assert.equal((await fleet.ask('a', 'GET', path)).status, 200)
  await fleet.pass(12_000)
  assert.deepEqual(acts, [`DELETE ${path}`, `DELETE ${path}`])
  assert.equal((await fleet.ask('a', 'GET', path)).status, 404)
})

test('collector P3: a server that comes back while its entries are removed keeps them', async () => {
  const fleet = new CollectorFleet('comes back')
  const { server } = await fleet.startServer('a')
  let refused: unknown
  fleet.startControllers('controllers', ['a'], async (request, send) => {
    if (
      request.method !== 'PUT' ||
      refused !== undefined ||
      !request.target.includes('/storageagreements/')
    ) {
      return send(request)
    }
    const back = lease(never, { leaseDurationSeconds: 3600, renewTime: '2026-01-01T00:00:00.000000Z' })
    assert.equal((await call(server.handle, 'POST', leasesPath, back)).status, 201)
    const response = await send(request)
    refused = response.status
    return response
  })
  await fleet.pass(5_000)
  await plant(fleet, 'lighthouse.example.dev', 'beacons', [entry(never, 'lighthouse.example.dev/v1')])
  await fleet.pass(5_000)
  assert.ok(refused === 422 || refused === 409, String(refused))
  const servers = (await fleet.ask('a', 'GET', agreementPath)).body.status.servers
  assert.deepEqual(
    servers.map((each: AgreementEntry) => each.serverID),
    [never, serverId('a', 'a')].sort(),
  )
})
