import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverId } from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'

const never = new AbortController().signal
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
/** The selector of upstream's collectors, and ours: a Lease without the label has no server. */
const identities = `${leases}?labelSelector=apiserver.kubernetes.io%2Fidentity%3Dkube-apiserver`

for (const instance of ['', 'one']) {
  test(`N11: the Lease of a server that starts, ${instance === '' ? 'alone on its host' : 'one of several'}`, async () => {
    const simulation = new Simulation('N11')
    const world = simulation.process('a', { host: 'kube-apiserver-1' })
    const server = createFleetServer({
      world,
      store: createMemoryStore(new MemoryData()),
      instance,
      release: 'x+1',
    })
    await simulation.settle(server.start(never))
    const { body } = await simulation.settle(call(server.handle, 'GET', identities))
    assert.equal(body.items.length, 1)
    const [{ metadata, spec }] = body.items
    const { hostname } = world.processes
    const id = serverId(hostname, instance)
    // As upstream computes it from this hostname (docs/reference/upstream-behaviour.md, 1.7).
    if (instance === '') assert.equal(id, 'apiserver-j3agt6uezsya7e3uhyouvf6bpa')
    assert.deepEqual([metadata.name, metadata.namespace], [id, 'kube-system'])
    assert.deepEqual(metadata.labels, {
      'apiserver.kubernetes.io/identity': 'kube-apiserver',
      'kubernetes.io/hostname': 'kube-apiserver-1',
    })
    assert.equal(spec.leaseDurationSeconds, 3600)
    assert.equal(spec.holderIdentity, server.coordinator.identity.process)
    const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
    assert.match(spec.holderIdentity, new RegExp(`^${id}_${uuid}$`))
    assert.ok(spec.acquireTime && spec.renewTime >= spec.acquireTime)
  })
}
