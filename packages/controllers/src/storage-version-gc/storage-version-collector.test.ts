import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  ApiError,
  type Lease,
  leases,
  notFound,
  objectModified,
  type StorageAgreement,
  storageAgreements,
} from '@strata/api'
import { addressOf, type ResourceClient } from '@strata/client'
import { silentLog } from '@strata/world'
import { createStorageVersionGc } from './storage-version-collector.ts'

const record = (...servers: string[]): StorageAgreement => ({
  metadata: { name: 'core.things', resourceVersion: '7' },
  spec: { group: '', resource: 'things' },
  status: {
    epoch: 1,
    encodings: [],
    servers: servers.map((serverID) => ({ serverID }) as AgreementEntry),
    conditions: [],
  },
})
const lease: Lease = { metadata: {} }
const broken = new ApiError(500, 'InternalError', 'broken')

/** `live`: what a read of each Lease gives. `known`: the Leases in the informer. */
function create(
  stored: StorageAgreement,
  live: Readonly<Record<string, Lease | Error>>,
  known: string[] = [],
) {
  const { signal } = new AbortController()
  const asked: string[] = []
  const world = { refusal: undefined as Error | undefined }
  const agreements = {
    address: addressOf(storageAgreements, 'v1alpha1'),
    get: async () => {
      asked.push('get record')
      return stored
    },
    update: async ({ metadata, status }: StorageAgreement) => {
      asked.push(`put ${metadata.resourceVersion} ${status.servers.map(({ serverID }) => serverID).join()}`)
      if (world.refusal) throw world.refusal
    },
  } as unknown as ResourceClient<StorageAgreement>
  const leaseClient = {
    address: addressOf(leases, 'v1'),
    get: async ({ name }: { name: string }) => {
      asked.push(`get ${name}`)
      const answer = live[name] ?? notFound(leases, name)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as ResourceClient<Lease>
  const gc = createStorageVersionGc({
    agreements,
    leases: leaseClient,
    known: {
      agreements: new Map([['core.things', stored]]),
      leases: new Map(known.map((name) => [`kube-system/${name}`, lease])),
    },
    log: silentLog,
  })
  return { asked, world, reconcile: () => gc.reconcile('core.things', signal) }
}

test('entries: if the informer has every Lease, no request is sent', async () => {
  const { asked, reconcile } = create(record('a', 'b'), {}, ['a', 'b'])
  assert.equal(await reconcile(), undefined)
  assert.deepEqual(asked, [])
})

test('entries: the Lease of a suspect is read, and only an absent one is removed', async () => {
  const { asked, reconcile } = create(record('a', 'b', 'c'), { b: lease }, ['a'])
  await reconcile()
  assert.deepEqual(asked, ['get record', 'get b', 'get c', 'put 7 a,b'])
})

test('entries P3: a failed read removes nothing, and is retried', async () => {
  const { asked, reconcile } = create(record('a', 'b'), { b: broken }, ['a'])
  await assert.rejects(reconcile(), broken)
  assert.deepEqual(asked, ['get record', 'get b'])
})

test('entries P3: a failed read does not keep others from being removed', async () => {
  const { asked, reconcile } = create(record('a', 'b', 'c'), { b: broken }, ['a'])
  await assert.rejects(reconcile(), broken)
  assert.deepEqual(asked, ['get record', 'get b', 'get c', 'put 7 a,b'])
})

const cameBack = new ApiError(422, 'Invalid', 'a server may be removed only when its Lease is absent')
for (const refusal of [objectModified(storageAgreements, 'core.things'), cameBack]) {
  test(`entries: ${refusal.code} from the update leads to a retry`, async () => {
    const { world, reconcile } = create(record('a'), {})
    world.refusal = refusal
    assert.deepEqual(await reconcile(), { lookAgainMs: 100 })
  })
}

test('entries: any other failure of the update is retried', async () => {
  const { world, reconcile } = create(record('a'), {})
  world.refusal = broken
  await assert.rejects(reconcile(), broken)
})
