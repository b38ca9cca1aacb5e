import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, maps, startServer } from '../support/one-server.ts'

const option = 'ignoreStoreReadErrorWithClusterBreakingPotential'
const key = '/registry/configmaps/default/bad'
const featureGates = { AllowUnsafeMalformedObjectDeletion: true }
const ignoring = (more: object = {}) => ({ kind: 'DeleteOptions', apiVersion: 'v1', [option]: true, ...more })

/** A config map that cannot be decoded, beside one that can. */
async function begin(name: string, options: Parameters<typeof startServer>[1] = { featureGates }) {
  const started = await startServer(`unsafe delete ${name}`, options)
  const { send, data, simulation } = started
  await send('POST', maps, configMap('good'))
  data.commit({ writes: [{ kind: 'put', key, value: Buffer.from('garbage') }], guards: [] })
  await simulation.run({ untilMs: simulation.nowMs + 500 })
  const entry = () => data.read([key]).entries[0]
  return { ...started, entry }
}

test('unsafe delete: an object that cannot be decoded is deleted, and the others can be listed again', async () => {
  const { send, entry } = await begin('works')
  assert.equal((await send('DELETE', `${maps}/bad`)).status, 500)
  const { status, body } = await send('DELETE', `${maps}/bad`, ignoring())
  assert.deepEqual([status, body.status, body.details], [200, 'Success', { name: 'bad', kind: 'configmaps' }])
  assert.equal(entry(), undefined)
  assert.equal((await send('GET', `${maps}/bad`)).status, 404)
  const list = await send('GET', maps)
  assert.deepEqual([list.status, list.body.items.length], [200, 1])
})

test('unsafe delete: without the feature gate the option is not seen, and nothing is deleted', async () => {
  const { send, entry } = await begin('off', {})
  const { status, body } = await send('DELETE', `${maps}/bad`, ignoring())
  assert.deepEqual([status, body.reason], [500, 'StorageReadError'])
  assert.ok(entry())
})

test('unsafe delete: an object that can be decoded, or that is absent, is refused', async () => {
  const { send } = await begin('readable')
  for (const name of ['good', 'absent']) {
    const { status, body } = await send('DELETE', `${maps}/${name}`, ignoring())
    assert.equal(status, 422)
    assert.equal(
      body.message,
      `configmaps "${name}" is invalid: ${option}: Invalid value: true: is exclusively used to delete corrupt object(s), try again by removing this option`,
    )
  }
  assert.equal((await send('GET', `${maps}/good`)).status, 200)
})

test('unsafe delete: only the bytes of the named revision are deleted', async () => {
  const { send, entry, data } = await begin('revision')
  const before = String(entry()?.revision)
  data.commit({ writes: [{ kind: 'put', key, value: Buffer.from('other garbage') }], guards: [] })
  const late = await send('DELETE', `${maps}/bad`, ignoring({ preconditions: { resourceVersion: before } }))
  assert.deepEqual([late.status, late.body.reason], [409, 'Conflict'])
  const now = String(entry()?.revision)
  const done = await send('DELETE', `${maps}/bad`, ignoring({ preconditions: { resourceVersion: now } }))
  assert.deepEqual([done.status, entry()], [200, undefined])
})

const beside: readonly [name: string, more: object, field: string][] = [
  ['a dry run', { dryRun: ['All'] }, 'dryRun'],
  ['a propagation policy', { propagationPolicy: 'Background' }, 'propagationPolicy'],
  ['orphanDependents', { orphanDependents: false }, 'orphanDependents'],
  ['a grace period', { gracePeriodSeconds: 0 }, 'gracePeriodSeconds'],
  ['a uid', { preconditions: { uid: 'u' } }, 'preconditions'],
]
test('unsafe delete: what nothing can be checked for is refused', async () => {
  const { send, entry } = await begin('beside')
  for (const [name, more, field] of beside) {
    const { status, body } = await send('DELETE', `${maps}/bad`, ignoring(more))
    assert.equal(status, 422, name)
    assert.equal(
      body.message,
      `DeleteOptions.meta.k8s.io "" is invalid: ${option}: Invalid value: true: cannot be set together with .${field}`,
    )
  }
  const collection = await send('DELETE', maps, ignoring())
  assert.deepEqual([collection.status, entry() !== undefined], [422, true])
  assert.match(collection.body.message, /is not allowed with DELETECOLLECTION/)
})

test('unsafe delete: it needs a right of its own, besides that to delete', async () => {
  const { send, entry } = await begin('rights', { featureGates, bootstrapPolicy: true })
  const group = 'rbac.authorization.k8s.io'
  const give = async (user: string, ...verbs: string[]) => {
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name: user }
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs }]
    await send('POST', `/apis/${group}/v1/clusterroles`, { metadata: { name: user }, rules })
    const subjects = [{ kind: 'User', name: user }]
    const binding = { metadata: { name: user }, roleRef, subjects }
    await send('POST', `/apis/${group}/v1/clusterrolebindings`, binding)
    await send('GET', `/apis/${group}/v1/clusterrolebindings`)
    return { 'impersonate-user': user }
  }
  const deletes = await give('deletes', 'delete')
  const denied = await send('DELETE', `${maps}/bad`, ignoring(), deletes)
  assert.deepEqual([denied.status, denied.body.reason, entry() !== undefined], [403, 'Forbidden', true])
  assert.match(
    denied.body.message,
    /^configmaps "bad" is forbidden: not permitted to do "unsafe-delete-ignore-/,
  )
  const both = await give('both', 'delete', 'unsafe-delete-ignore-read-errors')
  assert.equal((await send('DELETE', `${maps}/bad`, ignoring(), both)).status, 200)
})
