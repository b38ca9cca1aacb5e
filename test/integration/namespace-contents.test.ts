import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CollectorFleet, rootCa } from '../support/collector-fleet.ts'

const account = (namespace: string): string => `/api/v1/namespaces/${namespace}/serviceaccounts/default`
const bundle = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`

async function start(seed: string) {
  const fleet = new CollectorFleet(seed)
  await fleet.startServer('a')
  fleet.startControllers('controllers', ['a'], undefined, ['*'])
  await fleet.pass(30_000)
  const status = async (path: string): Promise<number> => (await fleet.ask('a', 'GET', path)).status
  return { fleet, status }
}

test('namespace contents: every namespace has its account and the certificates, old ones and new ones', async () => {
  const { fleet, status } = await start('contents')
  await fleet.ask('a', 'POST', '/api/v1/namespaces', { metadata: { name: 'new' } })
  await fleet.pass(5_000)
  for (const namespace of ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'new']) {
    assert.equal(await status(account(namespace)), 200, namespace)
    const { body } = await fleet.ask('a', 'GET', bundle(namespace))
    assert.deepEqual(body.data, { 'ca.crt': rootCa }, namespace)
  }
})

test('namespace contents: what is deleted comes back, what is changed is put right', async () => {
  const { fleet, status } = await start('restored')
  const before = (await fleet.ask('a', 'GET', account('default'))).body.metadata.uid
  await fleet.ask('a', 'DELETE', account('default'))
  await fleet.ask('a', 'DELETE', bundle('kube-public'))
  const evil = { metadata: { name: 'kube-root-ca.crt' }, data: { 'ca.crt': 'EVIL' }, immutable: true }
  await fleet.ask('a', 'PUT', bundle('default'), evil)
  const mine = (await fleet.ask('a', 'GET', bundle('kube-system'))).body
  await fleet.ask('a', 'PUT', bundle('kube-system'), { ...mine, data: { ...mine.data, more: 'x' } })
  await fleet.pass(5_000)
  assert.notEqual((await fleet.ask('a', 'GET', account('default'))).body.metadata.uid, before)
  assert.equal(await status(bundle('kube-public')), 200)
  for (const namespace of ['default', 'kube-system']) {
    const { body } = await fleet.ask('a', 'GET', bundle(namespace))
    assert.deepEqual([body.data, body.immutable], [{ 'ca.crt': rootCa }, undefined], namespace)
  }
})

test('namespace contents: they do not keep a namespace from going', async () => {
  const { fleet, status } = await start('going')
  await fleet.ask('a', 'POST', '/api/v1/namespaces', { metadata: { name: 'new' } })
  await fleet.pass(5_000)
  assert.equal(await status(account('new')), 200)
  await fleet.ask('a', 'DELETE', '/api/v1/namespaces/new')
  await fleet.pass(30_000)
  assert.equal(await status('/api/v1/namespaces/new'), 404)
  assert.equal(await status(account('new')), 404)
})
