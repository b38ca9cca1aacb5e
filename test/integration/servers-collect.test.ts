import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverId } from '@strata/server'
import { agreementsPath, CollectorFleet, leaseDurationMs, leasesPath } from '../support/collector-fleet.ts'
import { agreementPath } from '../support/fleet.ts'

const idOf = (name: string): string => serverId(name, name)
const ids = (...names: string[]): string[] => names.map(idOf).sort()
/** How long a leader that is gone keeps the next one from leading, and a little. */
const electionMs = 20_000

/** The servers that have an entry in any record. */
async function reported(fleet: CollectorFleet, server: string): Promise<string[]> {
  const { items } = (await fleet.ask(server, 'GET', agreementsPath)).body
  const all = items.flatMap(({ status }: { status: { servers: { serverID: string }[] } }) =>
    status.servers.map(({ serverID }) => serverID),
  )
  return [...new Set<string>(all)].sort()
}

async function hasLease(fleet: CollectorFleet, server: string, of: string): Promise<boolean> {
  return (await fleet.ask(server, 'GET', `${leasesPath}/${idOf(of)}`)).status === 200
}

const collects = { collects: true }

test('servers collect: without any, the Lease and the entries of a server that crashed stay for ever', async () => {
  const fleet = new CollectorFleet('nobody collects')
  const c = await fleet.startServer('c')
  await fleet.startServer('a')
  c.process.crash()
  await fleet.pass(20 * leaseDurationMs)
  assert.equal(await hasLease(fleet, 'a', 'c'), true)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'c'))
})

test('servers collect: a fleet of servers alone removes one that crashed, be it the leader', async () => {
  const fleet = new CollectorFleet('servers alone')
  const c = await fleet.startServer('c', { ...collects, release: 'x+1' })
  await fleet.startServer('a', { ...collects, release: 'x+2' })
  await fleet.startServer('b', { ...collects, release: 'x+2' })
  await fleet.pass(10_000)
  assert.equal((await fleet.ask('a', 'GET', agreementPath)).body.status.agreedVersion, undefined)
  c.process.crash()
  await fleet.pass(leaseDurationMs - 4_000)
  assert.equal(
    await hasLease(fleet, 'a', 'c'),
    true,
    'not before its Lease has been watched for its duration',
  )
  await fleet.pass(leaseDurationMs + electionMs)
  assert.equal(await hasLease(fleet, 'a', 'c'), false)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'b'))
  const { agreedVersion } = (await fleet.ask('b', 'GET', agreementPath)).body.status
  assert.equal(agreedVersion, 'lighthouse.example.dev/v2')
})

test('servers collect: beside controllers, a live server is never removed and a dead one is', async () => {
  const fleet = new CollectorFleet('beside controllers')
  const c = await fleet.startServer('c', collects)
  await fleet.startServer('a', collects)
  fleet.startControllers('controllers', ['a'])
  await fleet.pass(10 * leaseDurationMs)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'c'))
  c.process.crash()
  await fleet.pass(3 * leaseDurationMs + electionMs)
  assert.equal(await hasLease(fleet, 'a', 'c'), false)
  assert.deepEqual(await reported(fleet, 'a'), ids('a'))
})

test('servers collect: a leader that was frozen for longer than every Lease expels no server when it thaws', async () => {
  const fleet = new CollectorFleet('frozen leader')
  const c = await fleet.startServer('c', collects)
  await fleet.pass(10_000)
  await fleet.startServer('a', collects)
  await fleet.startServer('b', collects)
  c.process.freeze()
  await fleet.pass(5 * leaseDurationMs)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'b'), 'the frozen one was expelled')
  c.process.thaw()
  await fleet.pass(2 * leaseDurationMs)
  assert.deepEqual(await reported(fleet, 'a'), ids('a', 'b', 'c'), 'it is back, and the others have stayed')
})
