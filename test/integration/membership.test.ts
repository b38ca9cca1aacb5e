import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupResourceText, type Lease, type ResourceDefinition, resourceAtRelease } from '@strata/api'
import { builtInResources, leaseKind, serverId } from '@strata/server'
import { createMemoryStore, MemoryData, readOne } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { resources } from '../../examples/lighthouse/resources.ts'
import { agreementPath, call, createFleetServer } from '../support/fleet.ts'

const never = new AbortController().signal

test('membership: a Lease that lost its label keeps no server from registering', async () => {
  const simulation = new Simulation('unlabelled')
  const data = new MemoryData()
  const store = createMemoryStore(data)
  const first = simulation.process('a')
  await simulation.settle(createFleetServer({ world: first, store, instance: 'a' }).start(never))
  first.crash()
  const key = `/registry/leases/kube-system/${serverId(first.processes.hostname, 'a')}`
  const entry = await readOne(store, key, never)
  assert.ok(entry)
  const lease: Lease = leaseKind.decode(entry)
  delete lease.metadata.labels
  const value = leaseKind.encode(lease)
  await store.commit({ writes: [{ kind: 'put', key, value }], guards: [] }, never)

  const second = createFleetServer({ world: simulation.process('b'), store, instance: 'b' })
  await simulation.settle(second.start(never), { untilMs: simulation.nowMs + 60_000 })
  const record = (await simulation.settle(call(second.handle, 'GET', agreementPath))).body
  // The entry of the dead server stays while its key is there: it is unknown what stands behind it.
  assert.equal(record.status.servers.length, 2)
})

test('membership P14: the largest number of expected servers counts, on every server', async () => {
  const simulation = new Simulation('expected')
  const data = new MemoryData()
  const start = async (name: string, expectedServers: number) => {
    const world = simulation.process(name)
    const server = createFleetServer({
      world,
      store: createMemoryStore(data),
      instance: name,
      expectedServers,
    })
    await simulation.settle(server.start(never))
    return server
  }
  const agreed = async (server: Awaited<ReturnType<typeof start>>): Promise<unknown> => {
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
    return (await simulation.settle(call(server.handle, 'GET', agreementPath))).body.status.agreedVersion
  }
  const a = await start('a', 3)
  const b = await start('b', 0)
  assert.equal(await agreed(a), undefined)
  const c = await start('c', 0)
  assert.equal(await agreed(b), 'lighthouse.example.dev/v2')
  await simulation.settle(c.stop(5_000))
  assert.equal(await agreed(a), undefined)
})

// Rule 0: what agreement is made of has one storage version for ever. A new one would need a fence to be changed.
const frozen: Readonly<Record<string, string>> = {
  namespaces: 'v1',
  'discoverydochashes.apiservercoordination.k8s.io': 'v1alpha1',
  'leases.coordination.k8s.io': 'v1',
  'storageagreements.strata.dev': 'v1alpha1',
  'storageversions.internal.apiserver.k8s.io': 'v1alpha1',
  'storageversions.kube-apiserver.internal.k8s.io': 'v1alpha1',
}
test('membership: bootstrap kinds are stored in one version in every release', () => {
  const releases = [undefined, ...resources.flatMap((each) => Object.keys(each.releases ?? {}))]
  const bootstrap = builtInResources.filter((each: ResourceDefinition) => each.bootstrap)
  assert.deepEqual(bootstrap.map(groupResourceText).toSorted(), Object.keys(frozen).toSorted())
  for (const release of releases) {
    for (const definition of bootstrap) {
      const at = resourceAtRelease(definition, release)
      assert.deepEqual(at?.decodable, [frozen[groupResourceText(definition)]])
      assert.equal(at?.preferredStorage, frozen[groupResourceText(definition)])
    }
  }
})
