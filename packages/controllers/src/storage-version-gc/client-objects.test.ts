import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  ApiError,
  type Lease,
  leases,
  notFound,
  objectModified,
  type ServerStorageVersion,
  type StorageAgreement,
  type StorageVersion,
  storageVersions,
} from '@strata/api'
import { addressOf, type ResourceClient } from '@strata/client'
import { silentLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createClientObjectGc } from './client-objects.ts'

const name = 'example.dev.things'
const server = (apiServerID: string, encodingVersion: string): ServerStorageVersion => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
})
const object = (...servers: ServerStorageVersion[]): StorageVersion => ({
  metadata: { name, uid: 'u', resourceVersion: '7' },
  spec: {},
  status: { storageVersions: servers },
})
const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
const lease: Lease = { metadata: { namespace: 'kube-system', labels } }
const unlabelled: Lease = { metadata: { namespace: 'kube-system' } }
const broken = new ApiError(500, 'InternalError', 'broken')

/** `live`: what a read of each Lease gives; the informer has those that exist. */
function create(stored: StorageVersion, live: Readonly<Record<string, Lease | Error>>, held = false) {
  const { signal } = new AbortController()
  const acts: string[] = []
  const world = { refusal: undefined as Error | undefined, put: undefined as StorageVersion | undefined }
  const act = (text: string): void => {
    acts.push(text)
    if (world.refusal) throw world.refusal
  }
  const client = {
    address: addressOf(storageVersions, 'v1alpha1'),
    get: async () => stored,
    updateSubresource: async (subresource: string, next: StorageVersion) => {
      world.put = next
      act(`put ${subresource} at ${next.metadata.resourceVersion}`)
    },
    delete: async (_: unknown, options: unknown) => act(`delete ${JSON.stringify(options)}`),
  } as unknown as ResourceClient<StorageVersion>
  const leaseClient = {
    address: addressOf(leases, 'v1'),
    get: async ({ name: asked }: { name: string }) => {
      const answer = live[asked] ?? notFound(leases, asked)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as ResourceClient<Lease>
  const cached = Object.entries(live).flatMap(([id, each]): [string, Lease][] =>
    each instanceof Error ? [] : [[`kube-system/${id}`, each]],
  )
  const record = { status: { servers: [{ serverID: 'a' } as AgreementEntry] } } as unknown as StorageAgreement
  const gc = createClientObjectGc({
    storageVersions: client,
    leases: leaseClient,
    known: {
      storageVersions: new Map([[name, stored]]),
      agreements: new Map(held ? [[name, record]] : []),
      leases: new Map(cached),
    },
    clock: new Simulation('client objects').process('a').clock,
    log: silentLog,
  })
  return { acts, world, reconcile: () => gc.reconcile(name, signal) }
}

const three = object(server('s1', 'v1'), server('s2', 'v2'), server('s3', 'v2'))
const remove = 'delete {"preconditions":{"uid":"u","resourceVersion":"7"}}'

test('clients’ StorageVersion G1: without the Lease of the server that differs, the others have a common version', async () => {
  const { acts, world, reconcile } = create(three, { s2: lease, s3: lease })
  await reconcile()
  assert.deepEqual(acts, ['put status at 7'])
  const { storageVersions: servers, commonEncodingVersion, conditions } = world.put?.status ?? {}
  assert.deepEqual(
    [servers?.map(({ apiServerID }) => apiServerID), commonEncodingVersion],
    [['s2', 's3'], 'v2'],
  )
  assert.deepEqual(
    conditions?.map(({ type, status }) => [type, status]),
    [['AllEncodingVersionsEqual', 'True']],
  )
})

test('clients’ StorageVersion G2: if every entry has its Lease, nothing changes', async () => {
  const odd = { ...three, status: { ...three.status, commonEncodingVersion: 'v1' } }
  const { acts, reconcile } = create(odd, { s1: lease, s2: lease, s3: lease })
  await reconcile()
  assert.deepEqual(acts, [])
})

test('clients’ StorageVersion G3: an entry that never had a Lease is removed; the others still differ', async () => {
  const never = server('never', 'v1')
  const stored = object(never, ...(three.status.storageVersions ?? []))
  const { acts, world, reconcile } = create(stored, { s1: lease, s2: lease, s3: lease })
  await reconcile()
  assert.deepEqual(acts, ['put status at 7'])
  assert.equal(world.put?.status.commonEncodingVersion, undefined)
  assert.deepEqual(
    world.put?.status.conditions?.map(({ status }) => status),
    ['False'],
  )
})

test('clients’ StorageVersion G4: without any Lease the object is deleted, with preconditions', async () => {
  const { acts, reconcile } = create(object(server('s1', 'v1')), {})
  await reconcile()
  assert.deepEqual(acts, [remove])
})

test('clients’ StorageVersion: the Lease of an aggregated server keeps its entry', async () => {
  const aggregated: Lease = {
    metadata: {
      namespace: 'kube-system',
      labels: { 'apiserver.kubernetes.io/identity': 'aggregated-apiserver' },
    },
  }
  const { acts, reconcile } = create(object(server('s1', 'v1')), { s1: aggregated })
  await reconcile()
  assert.deepEqual(acts, [])
})

test('clients’ StorageVersion: a Lease without the label is not an identity', async () => {
  const { acts, reconcile } = create(object(server('s1', 'v1')), { s1: unlabelled })
  await reconcile()
  assert.deepEqual(acts, [remove])
})

test('clients’ StorageVersion: one that never had an entry stays', async () => {
  const { acts, reconcile } = create(object(), {})
  await reconcile()
  assert.deepEqual(acts, [])
})

test('clients’ StorageVersion: an object of Strata’s servers is left to them', async () => {
  const { acts, reconcile } = create(object(server('gone', 'v1')), {}, true)
  await reconcile()
  assert.deepEqual(acts, [])
})

test('clients’ StorageVersion P3: a failed read is not an absence, and hides no other absence', async () => {
  const { acts, world, reconcile } = create(three, { s1: broken, s3: lease })
  await assert.rejects(reconcile(), broken)
  assert.deepEqual(acts, ['put status at 7'])
  assert.deepEqual(
    world.put?.status.storageVersions?.map(({ apiServerID }) => apiServerID),
    ['s1', 's3'],
  )
})

test('clients’ StorageVersion P4: a lost race leads to a retry, any other failure too', async () => {
  const { world, reconcile } = create(object(server('s1', 'v1')), {})
  world.refusal = objectModified(storageVersions, name)
  assert.deepEqual(await reconcile(), { lookAgainMs: 100 })
  world.refusal = new ApiError(403, 'Forbidden', 'the servers hold it')
  await assert.rejects(reconcile(), world.refusal)
})
