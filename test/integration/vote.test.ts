import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, storageVersionPath } from '../support/fleet.ts'
import { VoteFleet } from '../support/vote-fleet.ts'

const hook = 'poststarthook/built-in-resources-storage-version-updater'

test('vote, scenario 1: from servers that report to servers that vote, and what is written changes once', async () => {
  const fleet = new VoteFleet('scenario 1')
  for (const name of ['a', 'b', 'c']) await fleet.start(name, 'x+1', { form: 'report' })
  await fleet.restart('a', 'x+2')
  assert.equal(await fleet.said('a'), 'v1, a v1, b v1, c v1')
  assert.equal(await fleet.write('a', 'one'), 'v1')
  assert.equal(await fleet.write('b', 'two'), 'v1')
  await fleet.restart('b', 'x+2')
  assert.equal(await fleet.write('b', 'three'), 'v1')
  await fleet.restart('c', 'x+2')
  assert.equal(await fleet.said('a'), 'v2, a v2, b v2, c v2')
  for (const name of ['a', 'b', 'c']) assert.equal(await fleet.write(name, `last-${name}`), 'v2')
})

test('vote, scenario 2: the last upgraded server changes the selection, and all write it at once', async () => {
  const fleet = new VoteFleet('scenario 2')
  for (const name of ['a', 'b', 'c']) await fleet.start(name, 'x+1')
  for (const name of ['a', 'b']) {
    await fleet.restart(name, 'x+2')
    assert.equal(await fleet.said('c'), 'v1, a v1, b v1, c v1')
    for (const each of ['a', 'b', 'c']) assert.equal(await fleet.write(each, `${name}-${each}`), 'v1')
  }
  const { epoch } = await fleet.record('a')
  await fleet.restart('c', 'x+2')
  // Without a moment in which the watch could have notified them.
  for (const each of ['a', 'b', 'c']) assert.equal(await fleet.write(each, `c-${each}`), 'v2')
  const status = await fleet.record('a')
  assert.deepEqual([status.epoch, status.agreedVersion], [epoch + 1, 'lighthouse.example.dev/v2'])
  const shown = (await fleet.ask('b', 'GET', storageVersionPath)).body.status
  assert.equal(shown.commonEncodingVersion, 'lighthouse.example.dev/v2')
  assert.equal(shown.storageVersions.length, 3)
})

test('vote, trap S3: the last old server just leaves, no server starts, and the selection moves', async () => {
  const fleet = new VoteFleet('mere departure')
  for (const name of ['a', 'b', 'c']) await fleet.start(name, 'x+1')
  for (const name of ['a', 'b']) await fleet.restart(name, 'x+2')
  assert.equal(await fleet.write('a', 'before'), 'v1')
  await fleet.stop('c')
  assert.equal(await fleet.said('a'), 'v2, a v2, b v2')
  assert.equal(await fleet.write('b', 'after'), 'v2')
})

test('vote, risk: a server that cannot write what is selected is unready, says why, and writes nothing', async () => {
  const fleet = new VoteFleet('risk')
  for (const name of ['a', 'b']) await fleet.start(name, 'x+1')
  const { server, started } = fleet.launch('c', 'x+3')
  await fleet.pass(5_000)
  assert.equal(await fleet.said('a'), 'v1, a v1, b v1, c -')
  assert.equal(server.ready, false)
  const probe = async (path: string) => fleet.settle(call(server.handle, 'GET', path))
  assert.equal((await probe('/readyz')).status, 500)
  assert.equal((await probe('/livez')).status, 200, 'to end it would not help')
  const reason =
    'lighthouse.example.dev/v1 is selected, and this release can write only lighthouse.example.dev/v2: start a release here that can write lighthouse.example.dev/v1, or bring all other servers to one that prefers lighthouse.example.dev/v2'
  assert.equal(
    (await probe(`/readyz/${hook}`)).body,
    `internal server error: beacons.lighthouse.example.dev: ${reason}\n`,
  )
  assert.equal(
    await fleet.write('c', 'one'),
    `503 wait for storage version registration to complete for resource: beacons.lighthouse.example.dev, last seen error: ${reason}`,
  )
  assert.equal(fleet.storedIn('one'), 'nothing')
  // It is no part of what the others agree on. Upstream's object lists it, and says what is common of those that write.
  const { agreedVersion } = await fleet.record('a')
  assert.equal(agreedVersion, 'lighthouse.example.dev/v1')
  const shown = (await fleet.ask('a', 'GET', storageVersionPath)).body.status
  assert.deepEqual(
    shown.storageVersions.map((each: { encodingVersion: string }) => each.encodingVersion).sort(),
    ['lighthouse.example.dev/v1', 'lighthouse.example.dev/v1', 'lighthouse.example.dev/v2'],
  )
  assert.equal(shown.commonEncodingVersion, 'lighthouse.example.dev/v1')
  // It writes the other resources.
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }
  assert.equal((await fleet.ask('c', 'POST', '/api/v1/namespaces/default/configmaps', configMap)).status, 201)

  await fleet.restart('a', 'x+2')
  assert.equal(server.ready, false)
  await fleet.restart('b', 'x+2')
  await fleet.settle(started)
  assert.equal(server.ready, true)
  assert.equal(await fleet.said('a'), 'v2, a v2, b v2, c v2')
  assert.equal(await fleet.write('c', 'one'), 'v2')
})

// Without it: the start waits for the one kind, no role is ever written, liveness fails, and the server is ended and
// started for as long as it waits for the others.
test('vote, risk: a server that waits for the others with one kind is alive, and at work with all others', async () => {
  const fleet = new VoteFleet('risk of all')
  await fleet.start('a', 'x+1')
  const { server, started } = fleet.launch('c', 'x+3', { bootstrapPolicy: true, apiServices: true })
  await fleet.pass(30_000)
  assert.equal(await fleet.said('a'), 'v1, a v1, c -')
  const probe = async (path: string) => fleet.settle(call(server.handle, 'GET', path))
  for (const path of ['/livez', '/healthz']) assert.equal((await probe(path)).status, 200, path)
  const failing = String((await probe('/readyz')).body).split('\n')
  assert.deepEqual(
    failing.filter((line) => line.startsWith('[-]')),
    [`[-]${hook} failed: reason withheld`],
  )
  const written = [
    'rbac.authorization.k8s.io/v1/clusterroles/admin',
    'apiregistration.k8s.io/v1/apiservices/v1.',
  ]
  for (const path of written) assert.equal((await fleet.ask('a', 'GET', `/apis/${path}`)).status, 200, path)

  await fleet.restart('a', 'x+2')
  await fleet.settle(started)
  assert.equal(server.ready, true)
})

test('vote: an upgrade that is left half way blocks no write', async () => {
  const fleet = new VoteFleet('half way')
  for (const name of ['a', 'b', 'c']) await fleet.start(name, 'x+1')
  await fleet.restart('a', 'x+2')
  await fleet.pass(3_600_000)
  for (const name of ['a', 'b', 'c']) assert.equal(await fleet.write(name, name), 'v1')
})

test('vote: what is stored in the old version is written anew by a write that changes nothing', async () => {
  const fleet = new VoteFleet('touch')
  for (const name of ['a', 'b']) await fleet.start(name, 'x+1')
  assert.equal(await fleet.write('a', 'one'), 'v1')
  for (const name of ['a', 'b']) await fleet.restart(name, 'x+2')
  const path = '/apis/lighthouse.example.dev/v2/namespaces/default/beacons/one'
  const { body } = await fleet.ask('a', 'GET', path)
  assert.equal((await fleet.ask('a', 'PUT', path, body)).status, 200)
  assert.equal(fleet.storedIn('one'), 'v2')
})

test('vote: from voting back to reporting, and each server writes what it prefers again', async () => {
  const fleet = new VoteFleet('back to report')
  for (const name of ['a', 'b']) await fleet.start(name, 'x+1')
  await fleet.restart('a', 'x+2', { form: 'report' })
  assert.equal(await fleet.said('a'), 'v1, a v2, b v1')
  assert.equal(await fleet.write('a', 'one'), 'v2')
  assert.equal(await fleet.write('b', 'two'), 'v1')
  await fleet.restart('b', 'x+2', { form: 'report' })
  assert.equal(await fleet.said('a'), 'v2, a v2, b v2')
})
