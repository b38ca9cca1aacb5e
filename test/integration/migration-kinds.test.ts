import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

const states = '/apis/migration.k8s.io/v1alpha1/storagestates'
const versioned = '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'
const beta = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations'
const stable = '/apis/storagemigration.k8s.io/v1/storageversionmigrations'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
const merge = { 'content-type': 'application/merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }

const state = (name: string, resource: object, status?: object) => ({
  apiVersion: 'migration.k8s.io/v1alpha1',
  kind: 'StorageState',
  metadata: { name },
  spec: { resource },
  ...(status ? { status } : {}),
})
const deployments = { group: 'apps', resource: 'deployments' }

test('migration.k8s.io: a state begins without a status, and is Unknown until a client writes it', async () => {
  const { send } = await startServer('states')
  const sent = state('deployments.apps', deployments, { lastHeartbeatTime: null })
  const made = await send('POST', states, sent)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.deepEqual([made.body.status, made.body.metadata.generation], [undefined, 1])
  const { rows } = (await send('GET', states, undefined, asTable)).body
  assert.deepEqual(rows[0].cells, ['deployments.apps', '<none>', 'Unknown', '<unknown>', '0s'])
  const path = `${states}/deployments.apps`
  const first = await send('PATCH', `${path}/status`, { status: { currentStorageVersionHash: 'v1' } }, merge)
  assert.deepEqual(first.body.status, {
    currentStorageVersionHash: 'v1',
    persistedStorageVersionHashes: ['Unknown'],
  })
  const migrated = { persistedStorageVersionHashes: ['v1', 'v1'], lastHeartbeatTime: '2026-11-16T00:00:00Z' }
  const after = await send('PATCH', `${path}/status`, { status: migrated }, merge)
  assert.deepEqual(after.body.status.persistedStorageVersionHashes, ['v1'])
  const deleted = await send('DELETE', path)
  assert.equal(deleted.status, 200)
  const again = await send('POST', states, state('deployments.apps', deployments, migrated))
  assert.equal(again.body.status, undefined, 'what was known is gone with the state')
})

test('migration.k8s.io: the name of a state is what its spec says', async () => {
  const { send } = await startServer('state names')
  const wrong = await send('POST', states, state('deployments', deployments))
  assert.equal(wrong.status, 422)
  assert.match(
    wrong.body.message,
    /metadata\.name: Invalid value: "deployments": must be "deployments\.apps"/,
  )
  assert.equal((await send('POST', states, state('secrets', { resource: 'secrets' }))).status, 201)
  const other = await send('PATCH', `${states}/secrets`, { spec: { resource: { resource: 'pods' } } }, merge)
  assert.match(other.body.message, /spec\.resource: Invalid value: .*: field is immutable/)
  const odd = await send('POST', states, {
    ...state('x', deployments),
    spec: { resource: 'deployments.apps' },
  })
  assert.equal(odd.status, 422)
})

test('migration.k8s.io: each reporter applies what it has read, and the summary follows', async () => {
  const { send } = await startServer('reporters')
  await send('POST', states, state('deployments.apps', deployments))
  const path = `${states}/deployments.apps/status`
  const report = (reporterID: string, hash: string, minute: number) => {
    const { spec: _, ...object } = state('deployments.apps', deployments, {
      currentStorageVersionHashes: [
        {
          reporterID,
          currentStorageVersionHash: hash,
          lastHeartbeatTime: `2026-11-16T00:${minute}:00Z`,
        },
      ],
    })
    return send('PATCH', `${path}?fieldManager=${reporterID}`, object, apply)
  }
  const first = await report('one', 'v1', 10)
  assert.equal(first.status, 200, JSON.stringify(first.body))
  await send('PATCH', path, { status: { persistedStorageVersionHashes: ['v1'] } }, merge)
  const second = await report('two', 'v2', 11)
  assert.deepEqual(
    [second.body.status.currentStorageVersionHashes.length, second.body.status.currentStorageVersionHash],
    [2, undefined],
  )
  assert.deepEqual(second.body.status.persistedStorageVersionHashes, ['v1', 'v2'])
  const { status } = (await report('one', 'v2', 20)).body
  assert.deepEqual(
    [status.currentStorageVersionHash, status.lastHeartbeatTime, status.persistedStorageVersionHashes],
    ['v2', '2026-11-16T00:11:00Z', ['v1', 'v2']],
  )
  const twice = {
    status: { currentStorageVersionHashes: [{ reporterID: '', currentStorageVersionHash: 'v2' }] },
  }
  assert.equal((await send('PATCH', path, twice, merge)).status, 422)
  for (const misfit of [
    5,
    { persistedStorageVersionHashes: 'v1' },
    { currentStorageVersionHashes: [null] },
  ]) {
    const refused = await send('PATCH', path, { status: misfit }, merge)
    assert.equal(refused.status, 422, JSON.stringify(refused.body))
  }
})

test('migration.k8s.io: a migrator keeps its place in the spec, and tells how far it is', async () => {
  const { send } = await startServer('versioned migrations')
  const resource = { group: 'apps', version: 'v1', resource: 'deployments' }
  const made = await send('POST', versioned, {
    apiVersion: 'migration.k8s.io/v1alpha1',
    kind: 'StorageVersionMigration',
    metadata: { generateName: 'deployments.apps-' },
    spec: { resource },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const path = `${versioned}/${made.body.metadata.name}`
  const kept = await send('PATCH', path, { spec: { continueToken: 'there' } }, merge)
  assert.deepEqual([kept.body.spec.continueToken, kept.body.metadata.generation], ['there', 2])
  const other = await send('PATCH', path, { spec: { resource: { version: 'v2' } } }, merge)
  assert.equal(other.status, 422)
  const running = { type: 'Running', status: 'True', lastUpdateTime: '2026-11-16T00:00:00Z' }
  const status = { conditions: [running], total: 10, migrated: 0, percent: 0 }
  assert.deepEqual((await send('PATCH', `${path}/status`, { status }, merge)).body.status, status)
  const { rows } = (await send('GET', path, undefined, asTable)).body
  assert.deepEqual(rows[0].cells.slice(1), ['deployments.v1.apps', 'Running', 0, '0s'])
})

test('migration.k8s.io: the definitions of kube-storage-version-migrator are accepted, and change nothing', async () => {
  const { send } = await startServer('definitions of the migrator')
  const name = 'storagestates.migration.k8s.io'
  const accepted = await send('POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
    spec: {
      group: 'migration.k8s.io',
      scope: 'Cluster',
      names: { plural: 'storagestates', kind: 'StorageState' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  })
  assert.equal(accepted.status, 201)
  await send('POST', states, state('secrets', { resource: 'secrets' }))
  assert.equal((await send('POST', states, state('wrong', { resource: 'secrets' }))).status, 422)
  assert.equal((await send('DELETE', `${definitions}/${name}`)).status, 200)
  assert.equal((await send('GET', `${states}/secrets`)).status, 200)
})

test('storagemigration.k8s.io: both versions show the same migration, with what only this server tells', async () => {
  const { send } = await startServer('migrations of two versions')
  const migration = {
    apiVersion: 'storagemigration.k8s.io/v1',
    kind: 'StorageVersionMigration',
    metadata: { name: 'm' },
    spec: { resource: deployments },
    status: { resourceVersion: '5' },
  }
  const made = await send('POST', stable, migration)
  assert.deepEqual([made.status, made.body.status], [201, {}])
  const status = {
    resourceVersion: '7',
    ...{ epoch: 2, target: { how: 'record', encodingVersion: 'apps/v1' } },
    ...{ total: 4, migrated: 0, alreadyCurrent: 3, quarantined: 1, percent: 75, ratePerSecond: 0.5 },
    quarantine: [{ namespace: 'a', name: 'b', reason: 'Denied' }],
  }
  const patched = await send('PATCH', `${beta}/m/status`, { status }, merge)
  assert.equal(patched.status, 200, JSON.stringify(patched.body))
  const { body } = await send('GET', `${stable}/m`)
  assert.deepEqual([body.apiVersion, body.status], ['storagemigration.k8s.io/v1', status])
  const wrong = await send('PATCH', `${stable}/m/status`, { status: { percent: 200 } }, merge)
  assert.match(wrong.body.message, /status\.percent: Invalid value: 200: must be between 0 and 100/)
  const group = (await send('GET', '/apis/storagemigration.k8s.io')).body
  assert.deepEqual(
    [group.preferredVersion.version, group.versions.length],
    ['v1beta1', 2],
    'clients of 1.36 find the version they know',
  )
})

test('N12: storagemigration.k8s.io/v1 is created, read, listed, patched, replaced, watched and deleted', async () => {
  const { send } = await startServer('conformance of migrations')
  const migration = (name: string) => ({
    ...{ apiVersion: 'storagemigration.k8s.io/v1', kind: 'StorageVersionMigration' },
    metadata: { name, labels: { test: 'crud' } },
    spec: { resource: deployments },
  })
  for (const name of ['a', 'b', 'c']) assert.equal((await send('POST', stable, migration(name))).status, 201)
  const names = async (): Promise<string[]> =>
    (await send('GET', `${stable}?labelSelector=test%3Dcrud`)).body.items.map(
      (each: { metadata: { name: string } }) => each.metadata.name,
    )
  assert.deepEqual(await names(), ['a', 'b', 'c'])
  const patched = await send('PATCH', `${stable}/a`, { metadata: { annotations: { patched: 'yes' } } }, merge)
  assert.equal(patched.body.metadata.annotations.patched, 'yes')
  const annotations = { patched: 'no' }
  const replaced = { ...patched.body, metadata: { ...patched.body.metadata, annotations } }
  assert.deepEqual((await send('PUT', `${stable}/a`, replaced)).body.metadata.annotations, annotations)
  const condition = {
    type: 'Running',
    status: 'True',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'r',
  }
  const statusPatched = await send(
    'PATCH',
    `${stable}/a/status`,
    { status: { conditions: [condition] } },
    merge,
  )
  assert.equal(statusPatched.status, 200, JSON.stringify(statusPatched.body))
  assert.deepEqual((await send('GET', `${stable}/a/status`)).body.status.conditions[0].type, 'Running')
  assert.equal((await send('DELETE', `${stable}/a`)).status, 200)
  assert.deepEqual(await names(), ['b', 'c'])
  assert.equal((await send('DELETE', `${stable}?labelSelector=test%3Dcrud`)).status, 200)
  assert.deepEqual(await names(), [])
})
