import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@strata/client'
import { runControllers } from '@strata/controllers'
import { EncryptedFleet, type EncryptedServer } from '../support/encrypted-fleet.ts'
import { adminToken } from '../support/fleet.ts'
import { configMap, maps } from '../support/one-server.ts'
import { holds, ownPath } from '../support/runner-fleet.ts'

const names = ['x', 'y', 'z']
const key = (name: string): string => `/registry/configmaps/default/${name}`

/** A controller that sees to migrations, and what it has written, the election left out. */
function startRunner(fleet: EncryptedFleet, { server }: EncryptedServer) {
  const writes: string[] = []
  const stop = new AbortController()
  const client = createClient({
    token: adminToken,
    userAgent: 'runner',
    transport: (request) => {
      const isElection = request.target.includes('/leases')
      if (request.method !== 'GET' && !isElection) writes.push(`${request.method} ${request.target}`)
      return server.handle(request)
    },
  })
  const ended = runControllers({
    ...{ world: fleet.simulation.process('runner'), client, signal: stop.signal },
    options: { controllers: ['storage-version-migrator'], migrationNextToData: false },
  })
  return {
    writes,
    stop: (): Promise<void> => {
      stop.abort(new Error('stop'))
      return fleet.simulation.settle(ended)
    },
  }
}

async function migrated(fleet: EncryptedFleet, { ask }: EncryptedServer, name: string) {
  const resource = { group: '', resource: 'configmaps' }
  const kind = { apiVersion: 'storagemigration.k8s.io/v1beta1', kind: 'StorageVersionMigration' }
  const made = await ask('POST', ownPath(), { ...kind, metadata: { name }, spec: { resource } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  for (let second = 0; second < 60; second++) {
    const { body } = await ask('GET', ownPath(name))
    if (holds(body, 'Succeeded')) return body.status
    assert.ok(!holds(body, 'Failed'), JSON.stringify(body.status))
    await fleet.sleep(1_000)
  }
  return assert.fail('it has not ended')
}

test('runner: J1: after another key everything is under it and has a new resourceVersion, and a second migration moves nothing', async () => {
  const fleet = new EncryptedFleet('keys')
  const a = await fleet.start('a', ['aescbc:one', 'identity'])
  for (const name of names) assert.equal((await a.ask('POST', maps, configMap(name))).status, 201)
  const seals = () => Promise.all(names.map((name) => fleet.sealOf(key(name))))
  const versions = async (): Promise<readonly string[]> => {
    const found = []
    for (const name of names) {
      found.push((await a.ask('GET', `${maps}/${name}`)).body.metadata.resourceVersion)
    }
    return found
  }
  const first = await versions()
  assert.equal(await a.reload('secretbox:two', 'aescbc:one', 'identity'), undefined)
  await fleet.sleep(1_000)
  assert.deepEqual(await seals(), ['aescbc:one', 'aescbc:one', 'aescbc:one'])

  const runner = startRunner(fleet, a)
  const status = await migrated(fleet, a, 'first')
  assert.deepEqual([status.result, status.migrated], ['Proven', names.length])
  assert.deepEqual(await seals(), ['secretbox:two', 'secretbox:two', 'secretbox:two'])
  const second = await versions()
  assert.ok(second.every((each, index) => each !== first[index]))
  // Upstream's test looks for this in its audit log: a patch for each object, and nothing else.
  const written = runner.writes.filter((each) => each.includes('/configmaps'))
  assert.deepEqual(
    written.map((each) => each.split('?')[0]).sort(),
    names.map((name) => `PATCH ${maps}/${name}`),
  )

  assert.equal((await migrated(fleet, a, 'second')).migrated, 0)
  assert.deepEqual(await versions(), second)
  await runner.stop()
})
