import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type ConfigMap, configMaps, type Namespace, notFound, objectModified } from '@strata/api'
import { addressOf, type Preconditions, type ResourceClient } from '@strata/client'
import { silentLog } from '@strata/world'
import { createRootCaPublisher } from './root-ca-controller.ts'

const { signal } = new AbortController()
const alive: Namespace = { metadata: { name: 'ns' }, status: { phase: 'Active' } }
const name = 'kube-root-ca.crt'

function create(published?: ConfigMap, refusal?: Error) {
  const asked: string[] = []
  const ask = async (what: string): Promise<void> => {
    asked.push(what)
    if (refusal) throw refusal
  }
  const client = {
    address: addressOf(configMaps, 'v1'),
    create: ({ metadata, data }: ConfigMap) => ask(`create ${metadata.namespace} ${data?.['ca.crt']}`),
    update: ({ metadata, data }: ConfigMap) => ask(`update ${metadata.resourceVersion} ${data?.['ca.crt']}`),
    delete: (_: object, { preconditions }: { preconditions: Preconditions }) =>
      ask(`delete ${preconditions.uid}`),
  } as unknown as ResourceClient<ConfigMap>
  const known = {
    namespaces: new Map([['ns', alive]]),
    configMaps: new Map(published ? [[`ns/${name}`, published]] : []),
  }
  const reconciler = createRootCaPublisher({ configMaps: client, known, rootCa: 'PEM', log: silentLog })
  return { asked, reconcile: () => reconciler.reconcile('ns', signal) }
}

const wrong: ConfigMap = { metadata: { name, namespace: 'ns', uid: 'u', resourceVersion: '7' }, data: {} }

test('root CA: is created, updated with the resourceVersion that was read, or deleted to be created again', async () => {
  const rows: ReadonlyArray<[published: ConfigMap | undefined, want: string]> = [
    [undefined, 'create ns PEM'],
    [wrong, 'update 7 PEM'],
    [{ ...wrong, immutable: true }, 'delete u'],
  ]
  for (const [published, want] of rows) {
    const { asked, reconcile } = create(published)
    assert.equal(await reconcile(), undefined)
    assert.deepEqual(asked, [want])
  }
})

test('root CA: after a decision on an old store it waits for the watch', async () => {
  for (const refusal of [objectModified(configMaps, name), notFound(configMaps, name)]) {
    assert.equal(await create(wrong, refusal).reconcile(), undefined)
  }
  assert.equal(
    await create(undefined, notFound({ group: '', resource: 'namespaces' }, 'ns')).reconcile(),
    undefined,
  )
})

test('root CA: every other error is retried', async () => {
  const refusal = new ApiError(500, 'InternalError', 'broken')
  await assert.rejects(create(wrong, refusal).reconcile(), refusal)
})
