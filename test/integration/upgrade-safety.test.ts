import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lease, persistedVersionsOf } from '@strata/api'
import { beaconPath, call } from '../support/fleet.ts'
import { VoteFleet } from '../support/vote-fleet.ts'

const report = { form: 'report' } as const
const name = 'beacons.lighthouse.example.dev'
const refusal = (count: string): string =>
  `${name} is not served by this server: ${count} stored as lighthouse.example.dev/v2, which release x cannot decode (it decodes lighthouse.example.dev/v1); start a server of a release that reads v1 and v2 and writes v1, replace any server that writes v2, then run "strata migrate ${name}"; this server then serves it without a restart; to serve what can be read now, start it with --allow-undecodable-storage=${name}`
const maps = '/api/v1/namespaces/default/configmaps'
const mergePatch = { 'content-type': 'application/merge-patch+json' }

/** Two beacons in v2, left behind by a release that is gone. */
async function afterRelease3(seed: string): Promise<VoteFleet> {
  const fleet = new VoteFleet(seed)
  await fleet.start('new', 'x+3', report)
  assert.equal(await fleet.write('new', 'one'), 'v2')
  assert.equal(await fleet.write('new', 'two'), 'v2')
  await fleet.stop('new')
  return fleet
}
/** The refused resources in a server's Lease. */
async function refusedBy(fleet: VoteFleet, member: string): Promise<string | undefined> {
  const { body } = await fleet.ask(
    member,
    'GET',
    '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases',
  )
  const own = body.items.find(
    ({ metadata }: { metadata: Lease['metadata'] }) => metadata.labels?.['kubernetes.io/hostname'] === member,
  )
  return own?.metadata.annotations['strata.dev/refuses']
}
const probe = (fleet: VoteFleet, member: string, path: string) =>
  fleet.settle(call(fleet.member(member).server.handle, 'GET', path))

test('a release that cannot read what is stored refuses that resource alone, whatever is asked of it, and is not ready', async () => {
  const fleet = await afterRelease3('refusal')
  const server = await fleet.start('old', 'x', report)
  const requests: ReadonlyArray<[method: string, path: string, body?: object, headers?: object]> = [
    ['GET', beaconPath('v1')],
    ['GET', beaconPath('v1', 'one')],
    ['GET', `${beaconPath('v1')}?watch=true`],
    ['POST', beaconPath('v1'), { apiVersion: 'lighthouse.example.dev/v1', kind: 'Beacon' }],
    ['PATCH', beaconPath('v1', 'one'), {}, mergePatch],
    ['DELETE', beaconPath('v1', 'one')],
    ['DELETE', beaconPath('v1')],
  ]
  for (const [method, path, body, headers] of requests) {
    const answer = await fleet.ask('old', method, path, body, headers)
    assert.deepEqual(
      [answer.status, answer.body.reason, answer.body.message],
      [503, 'ServiceUnavailable', refusal('2 objects are')],
      `${method} ${path}`,
    )
  }
  assert.equal((await fleet.ask('old', 'GET', maps)).status, 200)
  const groups = await fleet.ask('old', 'GET', '/apis/lighthouse.example.dev/v1')
  assert.deepEqual(
    groups.body.resources.map((each: { name: string }) => each.name),
    ['beacons'],
  )
  assert.equal(server.ready, false)
  for (const path of ['/livez', '/healthz']) assert.equal((await probe(fleet, 'old', path)).status, 200, path)
  const failing = String((await probe(fleet, 'old', '/readyz')).body).split('\n')
  assert.deepEqual(
    failing.filter((line) => line.startsWith('[-]')),
    ['[-]storage-decodable failed: reason withheld'],
  )
  assert.equal(
    (await probe(fleet, 'old', '/readyz/storage-decodable')).body,
    `internal server error: ${refusal('2 objects are')}\n`,
  )
})

test('what was refused is served when the last object has been migrated, without a restart', async () => {
  const fleet = await afterRelease3('migrated back')
  const server = await fleet.start('old', 'x', report)
  assert.equal(await refusedBy(fleet, 'old'), name)
  // Reads both and writes v1; and all that are there agree, so that a migration can begin.
  await fleet.start('middle', 'x+1', report)
  assert.equal((await fleet.record('middle')).agreedVersion, 'lighthouse.example.dev/v1')
  const rewrite = (object: string) => fleet.ask('middle', 'PATCH', beaconPath('v1', object), {}, mergePatch)
  assert.equal((await rewrite('one')).status, 200)
  await fleet.pass(1_000)
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1'))).body.message, refusal('1 object is'))
  assert.equal(server.ready, false)
  assert.deepEqual([await refusedBy(fleet, 'old'), await refusedBy(fleet, 'middle')], [name, ''])
  assert.equal((await rewrite('two')).status, 200)
  // Less than a renewal later: the operator waits for it.
  await fleet.pass(1_000)
  assert.equal(await refusedBy(fleet, 'old'), '')
  const { status, body } = await fleet.ask('old', 'GET', beaconPath('v1'))
  assert.deepEqual([status, body.items?.length], [200, 2])
  assert.equal(server.ready, true)
  assert.equal(await fleet.write('old', 'three', 'v1'), 'v1')
})

test('objects that are deleted block no upgrade either', async () => {
  const fleet = await afterRelease3('deleted')
  const server = await fleet.start('old', 'x', report)
  await fleet.start('middle', 'x+1', report)
  assert.equal((await fleet.ask('middle', 'DELETE', beaconPath('v1'))).status, 200)
  await fleet.pass(1_000)
  assert.equal(server.ready, true)
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1'))).status, 200)
})

test('a record that remembers what is long gone stops no start', async () => {
  const fleet = await afterRelease3('stale record')
  await fleet.start('middle', 'x+1', report)
  for (const each of ['one', 'two'])
    await fleet.ask('middle', 'PATCH', beaconPath('v1', each), {}, mergePatch)
  assert.deepEqual(persistedVersionsOf(await fleet.record('middle')), [
    'lighthouse.example.dev/v1',
    'lighthouse.example.dev/v2',
  ])
  const server = await fleet.start('old', 'x', report)
  assert.equal(server.ready, true)
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1'))).body.items.length, 2)
})

test('a server that is configured to serve it serves what can be read', async () => {
  const fleet = await afterRelease3('allowed')
  const server = await fleet.start('old', 'x', { ...report, allowUndecodableStorage: [name] })
  assert.equal(server.ready, true)
  assert.equal(await refusedBy(fleet, 'old'), '')
  assert.equal(await fleet.write('old', 'three', 'v1'), 'v1')
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1', 'three'))).status, 200)
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1', 'one'))).status, 500)
})

test('an unknown resource is refused in one line', () => {
  const fleet = new VoteFleet('nobody has')
  assert.throws(
    () => fleet.launch('old', 'x', { allowUndecodableStorage: ['lamps'] }),
    /^ConfigurationProblem: --allow-undecodable-storage: this server has no resource "lamps"; name it as/,
  )
})

test('a running server goes on when another release writes what it cannot read: each object gets its own error', async () => {
  const fleet = new VoteFleet('live skew')
  const server = await fleet.start('old', 'x', report)
  await fleet.start('new', 'x+3', report)
  assert.equal(await fleet.write('new', 'one'), 'v2')
  assert.equal(server.ready, true)
  assert.equal(await fleet.write('old', 'two', 'v1'), 'v1')
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1', 'two'))).status, 200)
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1', 'one'))).status, 500)
})

test('in a fleet that votes too: nothing is selected that the old release cannot write, and it is migrated back', async () => {
  const fleet = new VoteFleet('votes')
  await fleet.start('new', 'x+3')
  assert.equal(await fleet.write('new', 'one'), 'v2')
  await fleet.stop('new')
  const { server } = fleet.launch('old', 'x')
  await fleet.pass(5_000)
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1'))).body.message, refusal('1 object is'))
  assert.equal(server.ready, false)
  await fleet.start('middle', 'x+1')
  await fleet.pass(5_000)
  assert.equal(await fleet.said('middle'), 'v1, middle v1, old v1')
  assert.deepEqual(persistedVersionsOf(await fleet.record('middle')), [
    'lighthouse.example.dev/v1',
    'lighthouse.example.dev/v2',
  ])
  const rewritten = await fleet.ask('middle', 'PATCH', beaconPath('v1', 'one'), {}, mergePatch)
  assert.equal(rewritten.status, 200)
  await fleet.pass(1_000)
  assert.equal((await fleet.ask('old', 'GET', beaconPath('v1'))).status, 200)
  assert.equal(server.ready, true)
})
