import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { initialize } from '@strata/controllers'
import { utf8 } from '@strata/world'
import type { ControllersMember } from '../support/collector-fleet.ts'
import { adminToken } from '../support/fleet.ts'
import { TriggerFleet } from '../support/trigger-fleet.ts'

// The stories that kube-storage-version-migrator tells of itself on a live cluster, with our trigger and our runner.

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'light.example.dev'
const lampState = `lamps.${group}`
const lamps = (versionName: string, name = ''): string =>
  `/apis/${group}/${versionName}/namespaces/default/lamps${name === '' ? '' : `/${name}`}`
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { watts: { type: 'integer' } } } },
  },
}
const definition = (storage: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: lampState },
  spec: {
    group,
    names: { plural: 'lamps', kind: 'Lamp' },
    scope: 'Namespaced',
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storage, schema })),
  },
})

class StoryFleet extends TriggerFleet {
  startAll(name: string, servers: readonly [string, ...string[]]): ControllersMember {
    const names = [
      'identity-lease-collector',
      'storage-version-gc',
      'storage-version-migration-trigger',
      'storage-version-migrator',
    ]
    return this.startControllers(name, servers, undefined, names)
  }

  /** Lamps, stored in v1. */
  async fill(server: string, count: number): Promise<void> {
    await this.expect(201, server, 'POST', crds, definition('v1'))
    await this.until(
      'lamps are served',
      async () => (await this.ask(server, 'GET', lamps('v1'))).status === 200,
    )
    for (let index = 0; index < count; index++) {
      const metadata = { name: `lamp-${index}` }
      const lamp = { apiVersion: `${group}/v1`, kind: 'Lamp', metadata, spec: { watts: index } }
      await this.expect(201, server, 'POST', lamps('v1'), lamp)
    }
  }

  async switchTo(server: string, versionName: string): Promise<void> {
    const { body } = await this.ask(server, 'GET', `${crds}/${lampState}`)
    const { versions } = definition(versionName).spec
    await this.expect(200, server, 'PUT', `${crds}/${lampState}`, {
      ...body,
      spec: { ...body.spec, versions },
    })
  }

  async expect(status: number, server: string, method: string, path: string, body?: unknown): Promise<void> {
    const answer = await this.ask(server, method, path, body)
    assert.equal(answer.status, status, JSON.stringify(answer.body))
  }

  stored(prefix: string): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { value } of this.data.list({ prefix }).entries) {
      const { apiVersion } = JSON.parse(utf8.decode(value))
      counts[apiVersion] = (counts[apiVersion] ?? 0) + 1
    }
    return counts
  }

  async settled(): Promise<boolean> {
    const migrations = await this.migrations()
    const isDone = migrations.every(({ status }) =>
      status?.conditions?.some(({ type, status: holds }) => type === 'Succeeded' && holds === 'True'),
    )
    const states = await this.states()
    return (
      isDone &&
      states.every(({ status }) => {
        const [only, ...more] = status?.persistedStorageVersionHashes ?? []
        return more.length === 0 && only === status?.currentStorageVersionHash
      })
    )
  }
}

test('migration: K14: the storage version of a definition is switched: the state follows, and everything moves', async () => {
  const fleet = new StoryFleet('story-definition')
  await fleet.addServer('a', 'x+2')
  fleet.startAll('t', ['a'])
  await fleet.fill('a', 20)
  await fleet.until('lamps have a state', async () => (await fleet.state(lampState))?.status !== undefined)
  const before = (await fleet.state(lampState))?.status?.currentStorageVersionHash
  await fleet.switchTo('a', 'v2')
  await fleet.until('the state follows', async () => {
    const now = (await fleet.state(lampState))?.status?.currentStorageVersionHash
    return now !== undefined && now !== before
  })
  await fleet.until('all is settled', () => fleet.settled())
  assert.deepEqual(fleet.stored(`/registry/${group}/`), { [`${group}/v2`]: 20 })
  await fleet.until('the definition forgets v1', async () => {
    const { body } = await fleet.ask('a', 'GET', `${crds}/${lampState}`)
    return JSON.stringify(body.status.storedVersions) === '["v2"]'
  })
})

test('migration: K15: servers that are killed and controllers that start anew come to the same end', async () => {
  const fleet = new StoryFleet('story-crashes')
  await fleet.addServer('a', 'x+2')
  const { process } = await fleet.startServer('b', { release: 'x+2' })
  let controllers = fleet.startAll('t0', ['a', 'b'])
  await fleet.fill('a', 100)
  await fleet.until('lamps have a state', async () => (await fleet.state(lampState))?.status !== undefined)
  await fleet.switchTo('a', 'v2')
  process.crash()
  for (let round = 1; round <= 4; round++) {
    await fleet.pass(round * 700)
    fleet.crash(controllers)
    controllers = fleet.startAll(`t${round}`, ['a'])
  }
  await fleet.until(
    'all is settled',
    async () => (await fleet.settled()) && fleet.stored(`/registry/${group}/`)[`${group}/v2`] === 100,
    300,
  )
  assert.deepEqual(fleet.stored(`/registry/${group}/`), { [`${group}/v2`]: 100 })
})

test('migration: K16: an object that was put into the store in an old version is moved by initializer and migrator', async () => {
  const fleet = new StoryFleet('story-injected')
  // As a cluster that keeps no records: clients have to read every object.
  const runtimeConfig = 'strata.dev/v1alpha1=false'
  const { server } = await fleet.startServer('a', { release: 'x+2', runtimeConfig })
  fleet.servers.push('a')
  const beacon = {
    apiVersion: 'lighthouse.example.dev/v1',
    kind: 'Beacon',
    metadata: { namespace: 'default', name: 'old', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { everySeconds: 5 },
  }
  const key = '/registry/lighthouse.example.dev/beacons/default/old'
  fleet.data.commit({
    writes: [{ kind: 'put', key, value: utf8.encode(JSON.stringify(beacon)) }],
    guards: [{ key, revision: 'absent' }],
  })
  const prefix = '/registry/lighthouse.example.dev/beacons/'
  assert.deepEqual(fleet.stored(prefix), { 'lighthouse.example.dev/v1': 1 })
  const world = fleet.simulation.process('initializer')
  const client = createClient({ transport: server.handle, token: adminToken })
  const { created } = await fleet.settle(initialize({ world, client }, new AbortController().signal))
  assert.ok(created.some(({ resource }) => resource === 'beacons'))
  fleet.startControllers('m', ['a'], undefined, ['storage-version-migrator'])
  await fleet.until('it has moved', async () => fleet.stored(prefix)['lighthouse.example.dev/v2'] === 1, 300)
})
