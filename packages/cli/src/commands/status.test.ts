import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreedOnV1, entry, lease, record } from '@strata/insight/records-for-test'
import { discovery, FakeCluster } from './fake-cluster-for-test.ts'
import { type Answer, stageServer } from './stub-server-for-test.ts'

const list = (...items: readonly object[]): object => ({ metadata: { resourceVersion: '7' }, items })
const agreed = record([entry('apiserver-a', 'example.dev/v1')], agreedOnV1)
const identity = lease('apiserver-a', 'a', { holderIdentity: 'a_1' })
const served = (...resources: readonly string[]): object => ({
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'example.dev' },
      versions: [
        {
          version: 'v1',
          resources: resources.map((resource) => ({ resource, scope: 'Cluster', verbs: ['list'] })),
        },
      ],
    },
  ],
})

/** One server, which agrees with itself. */
const oneServer: Answer = (path) => {
  if (path.endsWith('/storageagreements')) return list(agreed)
  if (path.endsWith('/leases')) {
    const { metadata, ...rest } = identity
    const labels = { ...metadata.labels, 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
    return list({ ...rest, metadata: { ...metadata, labels, namespace: 'kube-system' } })
  }
  if (path === '/api' || path === '/apis') return served('things')
  return list()
}

/** Answers for the agreement, and holds what is asked beside it. */
const besideIsHeld: Answer = (path) =>
  /storagestates|storageversionmigrations|leases\/./.test(path) ? 'held' : oneServer(path)

test('status: a server that does not answer about migrations is not waited for, and that is said', async (t) => {
  const strata = await stageServer(t, besideIsHeld)
  const { ended, output } = strata('status')
  assert.equal(await ended, 0, 'the agreement was seen')
  assert.match(output(), /All servers agree on the version of every resource: 1 resource agreed/)
  assert.match(output(), /no answer about storagestates, storageversionmigrations, the controllers' Lease/)
})

test('status: a named resource that no server serves any more is not agreed, and is waited for', async (t) => {
  const strata = await stageServer(t, (path) => {
    if (path.endsWith('/storageagreements')) return list(record([]))
    return path.startsWith('/api') && !path.includes('/v1') ? served() : oneServer(path)
  })
  const { ended, output } = strata('status', 'things')
  assert.equal(await ended, 1)
  assert.match(output(), /^Nothing is agreed:\n {2}no server serves things any more/m)
  const waiting = strata('status', 'things', '--until-agreed', '--timeout', '3s')
  await assert.rejects(waiting.ended, {
    message: /^timed out before all servers agreed; no server serves things any more/,
  })
})

test('status: without a server there is no agreement', async (t) => {
  const strata = await stageServer(t, (path) => (path.endsWith('s') ? list() : served()))
  const { ended, output } = strata('status')
  assert.equal(await ended, 1)
  assert.match(output(), /^Nothing is agreed:\n {2}no server has an identity Lease/m)
})

test('status --watch: nothing but Ctrl-C ends it, however long it lasts', async (t) => {
  const strata = await stageServer(t, oneServer)
  const { ended, says, stop, waits } = strata('status', '--watch')
  await says(/all agreed: 1 resource$/m)
  stop.abort(new Error('stopped by SIGINT'))
  assert.equal(await ended, 0)
  assert.ok(Math.max(...waits) < 3_600_000, 'nothing ends it after that time')
})

test('status --watch: a server that freezes is noticed while its connections stand, and seen again when it thaws', async (t) => {
  let isFrozen = false
  const strata = await stageServer(t, (path) => (isFrozen ? 'held' : oneServer(path)))
  const { ended, says, stop, output } = strata('status', '--watch')
  await says(/all agreed: 1 resource$/m)
  isFrozen = true
  await says(
    /cannot see the fleet, trying again: the server does not answer \(not finished within 5000 ms\)$/m,
  )
  isFrozen = false
  await says(/the fleet is seen again$/m)
  stop.abort(new Error('stopped by SIGINT'))
  assert.equal(await ended, 0, output())
})

test('status: Ctrl-C before the agreement is reported as no agreement', async (t) => {
  const asked = Promise.withResolvers<void>()
  const strata = await stageServer(t, (path) => {
    if (path.includes('storagestates')) asked.resolve()
    return besideIsHeld(path)
  })
  const { ended, output, stop } = strata('status')
  await asked.promise
  stop.abort(new Error('stopped by SIGINT'))
  await assert.rejects(ended, { message: 'stopped by SIGINT', exitCode: 2 })
  assert.equal(output(), '')
})

test("status: a cluster that is not Strata's: exit code 2, and the commands that work there", async (t) => {
  const served = discovery([{ group: '', version: 'v1', resources: [{ name: 'secrets', kind: 'Secret' }] }])
  const cluster = await FakeCluster.start(t, served)
  for (const args of [
    ['status'],
    ['status', 'secrets'],
    ['status', '--watch'],
    ['status', '--until-agreed'],
  ]) {
    await assert.rejects(cluster.run(args), {
      ...{ name: 'CliError', exitCode: 2 },
      message: /not Strata's.*"strata inspect".*"strata verify --all".*"strata check --to 1\.x"/,
    })
  }
})
