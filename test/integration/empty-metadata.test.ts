import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beacon, beaconPath } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'

// `kubectl diff` and `kubectl label` compare what they sent with what is there: an empty field would be a change.

test('empty metadata: a kind of a program does not keep it, as no kind does', async () => {
  const { send } = await startServer('empty metadata')
  const empty = { labels: {}, annotations: {}, finalizers: [], ownerReferences: null, generateName: '' }
  const created = await send('POST', beaconPath('v1'), {
    ...beacon('v1', 'north', 5),
    metadata: { name: 'north', ...empty },
  })
  assert.equal(created.status, 201)
  const { metadata } = created.body as { metadata: object }
  assert.deepEqual(
    Object.keys(empty).filter((field) => Object.hasOwn(metadata, field)),
    [],
  )
})
