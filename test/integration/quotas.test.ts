import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'

const quotas = '/api/v1/namespaces/default/resourcequotas'
const ranges = '/api/v1/namespaces/default/limitranges'
const quota = (hard: unknown, more = {}) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q' },
  spec: { hard },
  ...more,
})
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

test('quotas: amounts are stored and answered as Go writes them, however they came', async () => {
  const { send } = await startServer('quantities')
  const sent = { pods: 10, 'requests.cpu': 0.5, memory: '1024Mi', 'limits.cpu': '2000m', secrets: null }
  const kept = { pods: '10', 'requests.cpu': '500m', memory: '1Gi', 'limits.cpu': '2', secrets: '0' }
  const made = await send('POST', quotas, quota(sent, { status: { used: { pods: '5' } } }))
  assert.equal(made.status, 201)
  assert.deepEqual([made.body.spec.hard, made.body.status], [kept, {}])
  const same = await send('PUT', `${quotas}/q`, quota({ ...sent, pods: '10' }))
  assert.equal(same.body.metadata.resourceVersion, made.body.metadata.resourceVersion, 'nothing has changed')
  const patched = await send('PATCH', `${quotas}/q`, { spec: { hard: { pods: '1e1' } } }, strategic)
  assert.deepEqual(patched.body.spec.hard, { ...kept, pods: '10' })
  const applied = quota({ 'requests.cpu': 1.5 })
  const apply = { 'content-type': 'application/apply-patch+yaml' }
  const forced = await send('PATCH', `${quotas}/q?fieldManager=me&force=true`, applied, apply)
  assert.equal(forced.status, 200, JSON.stringify(forced.body))
  assert.equal(forced.body.spec.hard['requests.cpu'], '1500m')
})

test('quotas: what is no amount is refused in the words of Go', async () => {
  const { send } = await startServer('no quantities')
  const expression = "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  const refused = await send('POST', quotas, quota({ pods: 'many' }))
  assert.equal(refused.status, 400)
  assert.equal(
    refused.body.message,
    `ResourceQuota in version "v1" cannot be handled as a ResourceQuota: quantities must match the regular expression ${expression}`,
  )
  await send('POST', quotas, quota({}))
  const patched = await send('PATCH', `${quotas}/q`, { spec: { hard: { pods: '1kk' } } }, strategic)
  assert.match(patched.body.message, /unable to parse quantity's suffix/)
  const misfit = await send('POST', quotas, quota(5))
  assert.match(
    misfit.body.message,
    /cannot unmarshal number into Go struct field ResourceQuotaSpec.spec.hard of type v1.ResourceList$/,
  )
  assert.equal((await send('POST', quotas, quota({ pods: -1 }))).status, 422)
})

test('quotas: a quota controller writes the status, and the status alone', async () => {
  const { send } = await startServer('quota status')
  await send('POST', quotas, quota({ pods: '10' }))
  const counted = quota({ pods: '99' }, { status: { hard: { pods: '10' }, used: { pods: 3 } } })
  const { status, body } = await send('PUT', `${quotas}/q/status`, counted)
  assert.equal(status, 200)
  assert.deepEqual(
    [body.spec, body.status],
    [{ hard: { pods: '10' } }, { hard: { pods: '10' }, used: { pods: '3' } }],
  )
  const more = await send('PATCH', `${quotas}/q/status`, { status: { used: { pods: 4 } } }, strategic)
  assert.equal(more.body.status.used.pods, '4')
  const updated = await send('PUT', `${quotas}/q`, quota({ pods: '20' }))
  assert.deepEqual(updated.body.status.used, { pods: '4' })
  const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
  const { rows } = (await send('GET', quotas, undefined, asTable)).body
  assert.deepEqual(rows[0].cells, ['q', 'pods: 4/10', '', '0s'])
  const deleted = await send('DELETE', `${quotas}/q`)
  assert.equal(deleted.body.kind, 'ResourceQuota')
})

test('limit ranges: defaults are filled in, and an update may create', async () => {
  const { send } = await startServer('limit ranges')
  const range = (limits?: unknown) => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l' },
    ...(limits ? { spec: { limits } } : {}),
  })
  const made = await send('PUT', `${ranges}/l`, range())
  assert.equal(made.status, 201)
  assert.deepEqual(made.body.spec, { limits: null })
  const updated = await send('PUT', `${ranges}/l`, range([{ type: 'Container', max: { cpu: '2.0' } }]))
  assert.deepEqual(updated.body.spec.limits, [
    { type: 'Container', max: { cpu: '2' }, default: { cpu: '2' }, defaultRequest: { cpu: '2' } },
  ])
  assert.equal((await send('DELETE', `${ranges}/l`)).body.kind, 'Status')
})
