import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CollectorFleet } from '../support/collector-fleet.ts'

const path = (namespace: string, rest = ''): string => `/api/v1/namespaces/${namespace}${rest}`

async function start(seed: string) {
  const fleet = new CollectorFleet(seed)
  await fleet.startServer('a')
  fleet.startControllers('controllers', ['a'], undefined, ['namespace-lifecycle'])
  await fleet.pass(5_000)
  const ask = (method: string, target: string, body?: unknown) => fleet.ask('a', method, target, body)
  for (const name of ['gone', 'kept']) {
    await ask('POST', '/api/v1/namespaces', { metadata: { name } })
    await ask('POST', path(name, '/configmaps'), { metadata: { name: 'one' } })
    await ask('POST', path(name, '/secrets'), { metadata: { name: 'two' } })
    const beacons = `/apis/lighthouse.example.dev/v1/namespaces/${name}/beacons`
    const made = await ask('POST', beacons, {
      apiVersion: 'lighthouse.example.dev/v1',
      kind: 'Beacon',
      metadata: { name: 'three' },
      spec: { everySeconds: 3 },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
  }
  return { fleet, ask }
}

test('namespace: everything in it goes, then itself, and nothing else', async () => {
  const { fleet, ask } = await start('empty')
  await ask('DELETE', path('gone'))
  await fleet.pass(5_000)
  assert.equal((await ask('GET', path('gone'))).status, 404)
  assert.deepEqual(
    (await ask('GET', '/api/v1/configmaps')).body.items.map(
      ({ metadata }: { metadata: { namespace: string } }) => metadata.namespace,
    ),
    ['kept'],
  )
  assert.equal((await ask('GET', '/apis/lighthouse.example.dev/v1/beacons')).body.items.length, 1)
  assert.equal((await ask('GET', path('kept'))).body.status.phase, 'Active')
})

test('namespace: finalizers of its objects keep it, its conditions name them, and it goes when they are gone', async () => {
  const { fleet, ask } = await start('held')
  const held = path('gone', '/configmaps/held')
  const metadata = { name: 'held', finalizers: ['example.dev/hold'] }
  await ask('POST', path('gone', '/configmaps'), { metadata })
  await ask('DELETE', path('gone'))
  await fleet.pass(5_000)
  const { status } = (await ask('GET', path('gone'))).body
  assert.deepEqual(
    status.conditions.map((each: { type: string; status: string }) => `${each.type}=${each.status}`),
    [
      'NamespaceDeletionDiscoveryFailure=False',
      'NamespaceDeletionGroupVersionParsingFailure=False',
      'NamespaceDeletionContentFailure=False',
      'NamespaceContentRemaining=True',
      'NamespaceFinalizersRemaining=True',
    ],
  )
  assert.match(status.conditions[4].message, /example.dev\/hold in 1 resource instances/)
  const before = (await ask('GET', path('gone'))).body.metadata.resourceVersion
  await fleet.pass(20_000)
  assert.equal((await ask('GET', path('gone'))).body.metadata.resourceVersion, before, 'no news, no writes')
  assert.equal((await ask('POST', path('gone', '/configmaps'), { metadata: { name: 'late' } })).status, 403)
  await ask('PUT', held, { metadata: { name: 'held' } })
  await fleet.pass(5_000)
  assert.equal((await ask('GET', path('gone'))).status, 404)
})
