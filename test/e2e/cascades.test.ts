import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiObject, configMaps, namespaces } from '@strata/api'
import { createClient, createFailoverTransport, objectKey, type ResourceClient } from '@strata/client'
import { ask } from '../support/ask.ts'
import { isFullSize } from '../support/full-size.ts'
import { until } from '../support/until.ts'
import { type LiveFleet, storeKinds, withLiveFleet } from './live-fleet.ts'

const { signal } = new AbortController()
const size = isFullSize ? 10_000 : 300
const giveUpMs = isFullSize ? 900_000 : 120_000

/** Makes them with a few requests at a time. */
async function createAll<T extends ApiObject>(
  client: ResourceClient<T>,
  objects: readonly T[],
): Promise<void> {
  const waiting = objects.values()
  const work = async (): Promise<void> => {
    for (const object of waiting) await client.create(object, signal)
  }
  await Promise.all(Array.from({ length: 24 }, work))
}

const numbered = (count: number, metadata: ApiObject['metadata']): ApiObject[] =>
  Array.from({ length: count }, (_, at) => ({ metadata: { ...metadata, name: `${metadata.name}-${at}` } }))

function clientsOf(fleet: LiveFleet) {
  const transport = createFailoverTransport([fleet.transport('b'), fleet.transport('a')])
  const client = createClient({ transport })
  return { maps: client.resource(configMaps, 'v1'), namespaces: client.resource(namespaces, 'v1') }
}

/** The existing objects and their state: nothing else may be deleted or changed. */
async function stateOf(maps: ResourceClient): Promise<Record<string, string | undefined>> {
  const { items } = await maps.list({}, signal)
  // The servers keep one of their own: extension-apiserver-authentication.
  const ours = items.filter(({ metadata }) => metadata.namespace !== 'kube-system')
  return Object.fromEntries(ours.map((item) => [objectKey(item), item.metadata.resourceVersion]))
}

const storageVersions = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
const ofUnknown = 'things.example.dev.widgets'

/** A StorageVersion whose only entry is that of a server which never was. */
async function reportUnknown(fleet: LiveFleet): Promise<void> {
  const object = { metadata: { name: ofUnknown }, spec: {} }
  const made = await ask(fleet.transport('a'), 'POST', storageVersions, object)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const unknown = { apiServerID: 'unknown', encodingVersion: 'v1', decodableVersions: ['v1'] }
  const status = { storageVersions: [unknown], commonEncodingVersion: 'v1' }
  const path = `${storageVersions}/${ofUnknown}/status`
  const put = await ask(fleet.transport('a'), 'PUT', path, { ...made.body, status })
  assert.deepEqual([put.status, put.body.status], [200, status])
}

const isBystander = ([key]: readonly [string, unknown]): boolean => key.includes('bystander')

for (const store of storeKinds) {
  test(`cascades: ${size} objects of a namespace and ${size} dependents go, and nothing else (${store})`, async () => {
    await withLiveFleet({ store }, async (fleet) => {
      await fleet.start('a', 'x+1')
      await fleet.start('b', 'x+1')
      const { maps, namespaces: spaces } = clientsOf(fleet)
      await spaces.create({ metadata: { name: 'gone' } }, signal)
      await spaces.create({ metadata: { name: 'kept' } }, signal)
      const owner = await maps.create({ metadata: { name: 'owner', namespace: 'default' } }, signal)
      const other = await maps.create({ metadata: { name: 'bystander-owner', namespace: 'default' } }, signal)
      const ownedBy = ({ metadata: { name = '', uid = '' } }: ApiObject) => ({
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true }],
      })
      await createAll(maps, [
        ...numbered(size, { name: 'content', namespace: 'gone' }),
        ...numbered(size, { name: 'dependent', namespace: 'default', ...ownedBy(owner) }),
        ...numbered(50, { name: 'bystander', namespace: 'default' }),
        ...numbered(50, { name: 'bystander', namespace: 'kept' }),
        ...numbered(50, { name: 'bystander-owned', namespace: 'default', ...ownedBy(other) }),
      ])
      const before = Object.fromEntries(Object.entries(await stateOf(maps)).filter(isBystander))
      assert.equal(Object.keys(before).length, 151)

      await reportUnknown(fleet)
      const first = fleet.controllers('a', 'b')
      await spaces.delete({ name: 'gone' }, {}, signal)
      await maps.delete({ namespace: 'default', name: 'owner' }, { propagation: 'Foreground' }, signal)
      const left = async (namespace: string, prefix: string): Promise<number> => {
        const { items } = await maps.list({ namespace }, signal)
        return items.filter(({ metadata }) => metadata.name?.startsWith(prefix)).length
      }
      await until('the namespace is being emptied', async () => (await left('gone', '')) < size, { giveUpMs })
      await until('dependents are going', async () => (await left('default', 'dependent')) < size, {
        giveUpMs,
      })
      await first.kill()
      await fleet.server('a').kill()
      const rest = (await left('gone', '')) + (await left('default', 'dependent'))
      assert.ok(rest > 0, 'the restart was to be in the middle')
      await fleet.start('a', 'x+1')
      fleet.controllers('a', 'b')
      await until(
        'everything that was meant is gone',
        async () => {
          const { items } = await spaces.list({ fieldSelector: 'metadata.name=gone' }, signal)
          return items.length === 0 && Object.entries(await stateOf(maps)).every(isBystander)
        },
        { giveUpMs },
      )
      assert.deepEqual(await stateOf(maps), before)
      // N10: upstream's test of the collector on a real cluster.
      await until('the StorageVersion of the unknown server is gone', async () => {
        return (await ask(fleet.transport('b'), 'GET', `${storageVersions}/${ofUnknown}`)).status === 404
      })
    })
  })
}
