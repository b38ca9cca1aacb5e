import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'

const never = new AbortController().signal
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'

function server(simulation: Simulation, data: MemoryData, instance: string) {
  const world = simulation.process(instance)
  return createFleetServer({ world, store: createMemoryStore(data), instance, bootstrapPolicy: true })
}

test('default policy: three servers that start at once write it once', async () => {
  const simulation = new Simulation('policy')
  const data = new MemoryData()
  const fleet = ['a', 'b', 'c'].map((name) => server(simulation, data, name))
  await simulation.settle(Promise.all(fleet.map((each) => each.start(never))))
  assert.deepEqual(
    fleet.map(({ ready }) => ready),
    [true, true, true],
  )
  for (const { handle } of fleet) {
    const { body } = await simulation.settle(call(handle, 'GET', roles))
    assert.equal(body.items.length, 70)
    const generations = body.items.map(
      ({ metadata }: { metadata: { managedFields: unknown[] } }) => metadata.managedFields.length,
    )
    assert.ok(generations.every((count: number) => count === 1))
  }
})

test('default policy: a server that starts mends it, and leaves alone what is annotated so', async () => {
  const simulation = new Simulation('mending')
  const data = new MemoryData()
  const first = server(simulation, data, 'a')
  await simulation.settle(first.start(never))
  const send = (method: string, path: string, body?: unknown) =>
    simulation.settle(
      call(first.handle, method, path, body, { 'content-type': 'application/merge-patch+json' }),
    )
  await send('DELETE', `${roles}/system:discovery`)
  await send('PATCH', `${roles}/system:basic-user`, { rules: [] })
  await send('PATCH', `${roles}/system:kube-dns`, {
    metadata: { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    rules: [],
  })
  await send('PATCH', `${bindings}/system:monitoring`, { subjects: [{ kind: 'User', name: 'ann' }] })
  await send('DELETE', `${bindings}/system:discovery`)
  const admin = (await send('GET', `${roles}/cluster-admin`)).body.metadata.resourceVersion

  const second = server(simulation, data, 'b')
  await simulation.settle(second.start(never))
  const get = async (path: string) => (await simulation.settle(call(second.handle, 'GET', path))).body
  assert.equal((await get(`${roles}/system:discovery`)).rules.length, 1)
  assert.equal((await get(`${roles}/system:basic-user`)).rules.length, 3, 'in the smallest parts')
  assert.equal((await get(`${roles}/system:kube-dns`)).rules, null)
  const { subjects } = await get(`${bindings}/system:monitoring`)
  assert.deepEqual(
    subjects.map(({ name }: { name: string }) => name),
    ['ann', 'system:monitoring'],
  )
  assert.equal((await get(`${bindings}/system:discovery`)).roleRef.name, 'system:discovery')
  assert.equal((await get(`${roles}/cluster-admin`)).metadata.resourceVersion, admin, 'nothing to mend')
})

test('default policy: a binding that stays for its finalizer keeps no server from starting', async () => {
  const simulation = new Simulation('held-binding')
  const data = new MemoryData()
  const first = server(simulation, data, 'a')
  await simulation.settle(first.start(never))
  const path = `${bindings}/system:discovery`
  const send = (method: string, target: string, body?: unknown) =>
    simulation.settle(call(first.handle, method, target, body))
  const { body } = await send('GET', path)
  await send('DELETE', path)
  const { apiVersion, kind, roleRef, subjects } = body
  const metadata = { name: 'system:discovery', finalizers: ['x.dev/stay'] }
  const other = { apiVersion, kind, metadata, roleRef: { ...roleRef, name: 'view' }, subjects }
  assert.equal((await send('POST', bindings, other)).status, 201)

  const second = server(simulation, data, 'b')
  await simulation.settle(second.start(never), { untilMs: simulation.nowMs + 60_000 })
  assert.ok(second.ready)
  const seen = await simulation.settle(call(second.handle, 'GET', path))
  assert.ok(seen.body.metadata.deletionTimestamp, 'it goes as soon as it can')
})
