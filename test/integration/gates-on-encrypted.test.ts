import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageAgreement } from '@strata/api'
import { EncryptedFleet, type EncryptedServer } from '../support/encrypted-fleet.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'

const unseen = { featureGates: { StorageVersionAPI: false, APIServerIdentity: false } }
const keys = ['aesgcm:one', 'identity']
const names = ['a', 'b', 'c'] as const

const write = async (server: EncryptedServer, name: string): Promise<void> => {
  const { status, body } = await server.ask('POST', beaconPath('v1'), beacon('v1', name, 5))
  assert.equal(status, 201, JSON.stringify(body))
}

/** Not for ever: a server that waits for something that does not exist fails the test, and does not stop it. */
async function startWithin(
  fleet: EncryptedFleet,
  limitMs: number,
  ...start: Parameters<EncryptedFleet['create']>
): Promise<EncryptedServer> {
  const created = await fleet.create(...start)
  await fleet.sleep(limitMs)
  assert.ok(created.server.ready, `${start[0]} is ready`)
  return created
}

// Otherwise: the second server with default gates waits for the Lease of a server that has none. It is never ready, and a
// rolling restart that waits for readiness does not go on.
test('gates on, with encryption: a rolling restart that waits for readiness each time comes to its end', async () => {
  const fleet = new EncryptedFleet('gates-on-encrypted')
  const servers = new Map<string, EncryptedServer>()
  for (const name of names) servers.set(name, await fleet.start(name, keys, unseen))
  for (const [name, server] of servers) await write(server, `${name}-unseen`)
  for (const [name, server] of servers) {
    await server.stop()
    const next = await startWithin(fleet, 30_000, name, keys)
    servers.set(name, next)
    await write(next, `${name}-recorded`)
  }
  await fleet.sleep(2_000)
  const [a] = servers.values()
  assert.ok(a)
  const { status } = (await a.ask('GET', agreementPath)).body as StorageAgreement
  assert.equal(status.agreedVersion, 'lighthouse.example.dev/v1')
  assert.deepEqual([...new Set(status.servers.map(({ writeKey }) => writeKey.split(':')[1]))], ['one'])
  assert.equal(status.unseenProcesses, undefined)
})

test('gates on and off, with encryption: each server may come with or without them, beside any other', async () => {
  for (const first of [{}, unseen])
    for (const second of [{}, unseen]) {
      const fleet = new EncryptedFleet(
        `gates-mixed-${Object.keys(first).length}${Object.keys(second).length}`,
      )
      const a = await fleet.start('a', keys, first)
      await write(a, 'one')
      const b = await startWithin(fleet, 30_000, 'b', keys, second)
      await write(b, 'two')
      for (const { ask } of [a, b]) {
        assert.equal((await ask('GET', beaconPath('v1', 'one'))).status, 200)
        assert.equal((await ask('GET', beaconPath('v1', 'two'))).status, 200)
      }
    }
})

// Otherwise: B prefers key two and writes under it, and A, which reads key one alone, answers 500 for what B has written.
test('gates on and off, with encryption: no server writes under a key that another one cannot read', async () => {
  const unrecorded = { featureGates: { StorageVersionAPI: false } }
  for (const [first, older] of Object.entries({ recorded: {}, unrecorded, unseen }))
    for (const [second, newer] of Object.entries({ recorded: {}, unrecorded, unseen })) {
      const fleet = new EncryptedFleet(`gates-keys-${first}-${second}`)
      const a = await fleet.start('a', keys, older)
      await write(a, 'one')
      const b = await startWithin(fleet, 30_000, 'b', ['aesgcm:two', ...keys], newer)
      await write(b, 'two')
      const { status, body } = await a.ask('GET', beaconPath('v1', 'two'))
      assert.equal(status, 200, `${first} reads what ${second} wrote: ${JSON.stringify(body)}`)
      assert.equal((await a.ask('GET', beaconPath('v1'))).status, 200)
    }
})

test('gates on, with encryption: who cannot read the key of a server without an identity refuses, and names the key', async () => {
  const fleet = new EncryptedFleet('gates-on-other-key')
  await fleet.start('a', keys, unseen)
  const b = await fleet.create('b', ['aesgcm:two'])
  await fleet.sleep(5_000)
  const { status, body } = await b.ask('POST', beaconPath('v1'), beacon('v1', 'two', 5))
  assert.equal(status, 503)
  const why = JSON.stringify(body)
  assert.match(why, /aesgcm:one:[0-9a-f]+/)
  assert.doesNotMatch(why, /Lease has expired/)
})
