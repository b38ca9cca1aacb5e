import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beacon, beaconPath } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

interface Item {
  readonly metadata: { readonly name: string }
}
const names = (body: { items: Item[] }): string => body.items.map(({ metadata }) => metadata.name).join(' ')
const held = (name: string, labels = {}) => ({
  ...configMap(name),
  metadata: { name, labels, finalizers: ['x/hold'] },
})

test('deletes: preconditions are those of the object that stands there', async () => {
  const { send } = await startServer('preconditions')
  const { body } = await send('POST', maps, configMap('a'))
  const { uid, resourceVersion } = body.metadata
  const wrong = await send('DELETE', `${maps}/a`, { preconditions: { uid: 'x' } })
  assert.equal(wrong.status, 409)
  assert.equal(
    wrong.body.message,
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  )
  const stale = await send('DELETE', `${maps}/a`, { preconditions: { resourceVersion: '1' } })
  assert.equal(stale.status, 409)
  assert.match(stale.body.message, /the ResourceVersion in the precondition \(1\) does not match/)
  const right = await send('DELETE', `${maps}/a`, { preconditions: { uid, resourceVersion } })
  assert.equal(right.status, 200)
})

const policies: ReadonlyArray<[query: string, body: unknown, status: number, finalizers?: string[]]> = [
  ['?propagationPolicy=Foreground', undefined, 200, ['foregroundDeletion']],
  ['', { propagationPolicy: 'Orphan' }, 200, ['orphan']],
  ['?orphanDependents=true', undefined, 200, ['orphan']],
  ['?propagationPolicy=Background', undefined, 200],
  ['', { orphanDependents: false }, 200],
  ['?propagationPolicy=Sideways', undefined, 422],
  ['', { orphanDependents: false, propagationPolicy: 'Orphan' }, 422],
  ['', { dryRun: ['Some'] }, 422],
  ['', { gracePeriodSeconds: 'soon' }, 400],
  ['', { kind: 'ConfigMap' }, 400],
]
for (const [query, body, status, finalizers] of policies) {
  test(`deletes: with ${query || JSON.stringify(body)}`, async () => {
    const { send } = await startServer('propagation')
    await send('POST', maps, configMap('a'))
    const answer = await send('DELETE', `${maps}/a${query}`, body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    if (finalizers) {
      assert.deepEqual(answer.body.metadata.finalizers, finalizers)
      assert.equal(answer.body.metadata.deletionGracePeriodSeconds, 0)
    } else if (status === 200) assert.equal(answer.body.status, 'Success')
    const after = await send('GET', `${maps}/a`)
    assert.equal(after.status, status === 200 && !finalizers ? 404 : 200)
  })
}

test('deletes: an object that waits is marked once; in the old way of asking it is only accepted', async () => {
  const { send } = await startServer('waits')
  await send('POST', maps, held('a'))
  const first = await send('DELETE', `${maps}/a?orphanDependents=false`)
  assert.equal(first.status, 202)
  const second = await send('DELETE', `${maps}/a`)
  assert.equal(second.status, 200)
  assert.equal(second.body.metadata.resourceVersion, first.body.metadata.resourceVersion)
})

for (const [query, body] of [
  ['?dryRun=All', undefined],
  ['', { dryRun: ['All'] }],
  ['?dryRun=All', { propagationPolicy: 'Background' }],
] as const) {
  test(`deletes: a dry run (${query}${JSON.stringify(body) ?? ''}) says what would happen, and nothing happens`, async () => {
    const { send } = await startServer('dry')
    const made = await send('POST', maps, configMap('a'))
    const would = await send('DELETE', `${maps}/a${query}`, body)
    assert.equal(would.body.status, 'Success')
    const { metadata } = (await send('GET', `${maps}/a`)).body
    assert.equal(metadata.resourceVersion, made.body.metadata.resourceVersion)
    assert.equal((await send('DELETE', `${maps}/b${query}`, body)).status, 404)
  })
}

test('deletes: of many, those that match, and the answer is the list of them', async () => {
  const { send } = await startServer('collection')
  for (const name of ['a', 'b', 'c']) await send('POST', maps, configMap(name))
  await send('POST', maps, held('h', { c: '1' }))
  await send('POST', maps, { ...configMap('m'), metadata: { name: 'm', labels: { c: '1' } } })
  const deleted = await send('DELETE', `${maps}?labelSelector=c%3D1`)
  assert.equal(deleted.status, 200)
  assert.equal(deleted.body.kind, 'ConfigMapList')
  assert.equal(names(deleted.body), 'h m')
  assert.equal(deleted.body.items[0].metadata.deletionTimestamp, undefined)
  const left = await send('GET', maps)
  assert.equal(names(left.body), 'a b c h')
  assert.ok(left.body.items[3].metadata.deletionTimestamp)
  const dry = await send('DELETE', `${maps}?dryRun=All`)
  assert.equal(names(dry.body), 'a b c h')
  const page = await send('DELETE', `${maps}?limit=2`)
  assert.equal(names(page.body), 'a b')
  assert.equal(page.body.metadata.remainingItemCount, 2)
  assert.equal(names((await send('GET', maps)).body), 'c h')
  const bad = await send('DELETE', `${maps}?labelSelector=c%20in%20x`)
  assert.equal(bad.status, 400)
  assert.equal((await send('DELETE', '/api/v1/configmaps')).status, 404)
  assert.equal((await send('DELETE', '/api/v1/namespaces')).status, 405)
})

test('deletes: of many, preconditions hold for each', async () => {
  const { send } = await startServer('collection preconditions')
  const { body } = await send('POST', maps, configMap('a'))
  await send('POST', maps, configMap('b'))
  const answer = await send('DELETE', maps, { preconditions: { uid: body.metadata.uid } })
  assert.equal(answer.status, 409)
  assert.equal((await send('GET', `${maps}/b`)).status, 200)
})

test('deletes: of many of a kind in another version than the stored one', async () => {
  const { send } = await startServer('collection of beacons')
  await send('POST', beaconPath('v1'), beacon('v1', 'one', 5))
  const deleted = await send('DELETE', beaconPath('v2'))
  assert.equal(deleted.body.items[0].spec.periodMs, 5000)
  assert.equal((await send('GET', beaconPath('v1'))).body.items.length, 0)
})

test('deletes: a grace period is a number, and nothing here needs one', async () => {
  const { send } = await startServer('grace')
  await send('POST', maps, configMap('a'))
  const refused = await send('DELETE', `${maps}/a?gracePeriodSeconds=soon`)
  assert.equal(refused.status, 400)
  assert.match(refused.body.message, /strconv\.ParseInt: parsing "soon": invalid syntax/)
  assert.equal((await send('DELETE', `${maps}/a?gracePeriodSeconds=30`)).status, 200)
  assert.equal((await send('GET', `${maps}/a`)).status, 404)
})
