import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lease, originsOf, type StorageVersion } from '@strata/api'
import { type HttpRequest, sleep, type Transport, TransportError } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { leaseDurationMs, leasesPath } from '../support/collector-fleet.ts'
import { agreementPath, storageVersionPath } from '../support/fleet.ts'
import { MirrorFleet } from '../support/mirror-fleet.ts'

// The interleavings of docs/design/agreement.md, "Rule 15, and fleets behind an aggregator".

const settleMs = 10_000
/** How long a leader that is gone keeps the next one from leading, and a little. */
const electionMs = 20_000
const v1 = 'lighthouse.example.dev/v1'
const v2 = 'lighthouse.example.dev/v2'

async function shown(fleet: MirrorFleet): Promise<StorageVersion | undefined> {
  const { status, body } = await fleet.ask('aggregator', 'GET', storageVersionPath)
  return status === 200 ? body : undefined
}

const epochOf = (object: StorageVersion | undefined): number | undefined =>
  object && originsOf(object)[0]?.epoch

const versionsOf = (object: StorageVersion | undefined): readonly string[] =>
  (object?.status.storageVersions ?? []).map(({ encodingVersion }) => encodingVersion).sort()

async function mirroredLeases(fleet: MirrorFleet): Promise<readonly Lease[]> {
  const selector = 'labelSelector=apiserver.kubernetes.io%2Fidentity%3Daggregated-apiserver'
  return (await fleet.ask('aggregator', 'GET', `${leasesPath}?${selector}`)).body.items
}

const isWriteOf =
  (path: string) =>
  ({ method, target }: HttpRequest): boolean =>
    method !== 'GET' && target.startsWith(path)

/** Freezes the process when it is about to send the first request that matches after it was armed. */
function freezing(matches: (request: HttpRequest) => boolean) {
  const state = { isArmed: false, held: 0 }
  const through =
    (send: Transport, process: SimProcess): Transport =>
    async (request) => {
      if (state.isArmed && matches(request)) {
        state.isArmed = false
        state.held += 1
        process.freeze()
        // Runs only when the process is thawed.
        await sleep(process.clock, 0)
      }
      return send(request)
    }
  return { state, through }
}

test('mirror, interleaving 1: a leader that thaws with an older epoch takes nothing back', async () => {
  const fleet = new MirrorFleet('frozen leader')
  await fleet.startAggregator('aggregator')
  const { state, through } = freezing(isWriteOf(storageVersionPath))
  // 1. A leads.
  const a = await fleet.startAggregated('a', { release: 'x+1', through })
  await fleet.startAggregated('b', { release: 'x+1' })
  await fleet.pass(settleMs)
  const first = epochOf(await shown(fleet)) ?? 0
  // 2. C comes with v2. A has read the object and the record, and is frozen before it sends the next epoch.
  state.isArmed = true
  const c = await fleet.startAggregated('c', { release: 'x+2' })
  await fleet.pass(1_000)
  assert.equal(state.held, 1)
  // 3. C leaves again, which is yet another epoch. B leads, and shows that one.
  await c.stop()
  await fleet.pass(2 * electionMs)
  const shownByB = await shown(fleet)
  const latest = epochOf(shownByB) ?? 0
  assert.ok(latest > first + 1, `${latest} after ${first}`)
  // 4. A thaws, and sends what it had decided.
  a.process.thaw()
  for (let step = 0; step < 60; step++) {
    await fleet.pass(500)
    const object = await shown(fleet)
    assert.ok((epochOf(object) ?? 0) >= latest, `epoch ${epochOf(object)} after ${latest}`)
    assert.ok(!versionsOf(object).includes(v2), 'the entry of C is gone')
  }
})

test('mirror, interleaving 2: two origins mirror one resource at once, and both are shown', async () => {
  const fleet = new MirrorFleet('two origins')
  await fleet.startAggregator('aggregator')
  const results: string[] = []
  const { state, through } = freezing(isWriteOf(`${storageVersionPath}/status`))
  state.isArmed = true
  // 1. The first origin is about to show its entries. 2. The other one shows its own. 3. The first one sends.
  const observe = ({ resource, result }: { resource: string; result: string }): void => {
    if (resource === 'storageversions') results.push(result)
  }
  const one = await fleet.startAggregated('a', { origin: 'one', release: 'x+1', through, observe })
  await fleet.pass(settleMs)
  assert.equal(state.held, 1)
  await fleet.startAggregated('b', { origin: 'two', release: 'x+2' })
  await fleet.pass(settleMs)
  assert.deepEqual(versionsOf(await shown(fleet)), [v2])
  one.process.thaw()
  await fleet.pass(settleMs + electionMs)
  assert.ok(results.includes('conflict'), results.join())
  const object = await shown(fleet)
  assert.deepEqual(versionsOf(object), [v1, v2])
  assert.equal(object?.status.commonEncodingVersion, undefined)
  assert.equal(object && originsOf(object).length, 2)
  // An origin that is gone for good is named no more: it would keep the other one from being agreed on.
  one.process.crash()
  await fleet.pass(3 * leaseDurationMs)
  const left = await shown(fleet)
  assert.deepEqual(versionsOf(left), [v2])
  assert.equal(left && originsOf(left).length, 1)
  assert.equal(left?.status.commonEncodingVersion, v2)
})

test('mirror, interleaving 3: the collector removes a mirrored Lease while the leader renews it', async () => {
  const fleet = new MirrorFleet('collected')
  await fleet.startAggregator('aggregator')
  const { state, through } = freezing(isWriteOf(leasesPath))
  const a = await fleet.startAggregated('a', { through })
  await fleet.pass(settleMs)
  const [before] = await mirroredLeases(fleet)
  // 1. A is about to renew the mirrored Lease and is frozen. 2. The collector removes the Lease, the entry and the object.
  state.isArmed = true
  await fleet.pass(3 * leaseDurationMs)
  assert.equal(state.held, 1)
  assert.deepEqual(await mirroredLeases(fleet), [])
  assert.equal(await shown(fleet), undefined)
  // 3. A thaws. Its renewal is of a Lease that is gone, and makes none; then A begins anew.
  a.process.thaw()
  await fleet.pass(settleMs + electionMs)
  const [after] = await mirroredLeases(fleet)
  assert.ok(after && after.metadata.uid !== before?.metadata.uid)
  assert.equal((await shown(fleet))?.status.storageVersions?.length, 1)
})

test('mirror, interleaving 3: what the collector removed while the aggregator was out of reach comes back', async () => {
  const fleet = new MirrorFleet('out of reach')
  await fleet.startAggregator('aggregator')
  const link = { isCut: false }
  const through =
    (send: Transport): Transport =>
    (request) =>
      link.isCut ? Promise.reject(new TransportError('no route', 'no')) : send(request)
  const { server } = await fleet.startAggregated('a', { through })
  await fleet.pass(settleMs)
  link.isCut = true
  await fleet.pass(3 * leaseDurationMs)
  assert.equal(await shown(fleet), undefined)
  assert.equal(server.ready, true, 'the aggregated server does not suffer from it')
  link.isCut = false
  await fleet.pass(90_000)
  assert.equal((await mirroredLeases(fleet)).length, 1)
  assert.equal((await shown(fleet))?.status.storageVersions?.length, 1)
})

test('mirror, interleaving 4: writes whose answers are lost are read, and not sent twice', async () => {
  const fleet = new MirrorFleet('lost answers')
  await fleet.startAggregator('aggregator')
  const sent: string[] = []
  const lost = new Set<string>()
  const through =
    (send: Transport): Transport =>
    async (request) => {
      const response = await send(request)
      const { method, target } = request
      if (method === 'GET' || target.includes('/leases')) return response
      sent.push(`${method} ${target} ${response.status}`)
      if (lost.has(target)) return response
      lost.add(target)
      throw new TransportError('the connection was reset', 'unknown')
    }
  await fleet.startAggregated('a', { through })
  await fleet.pass(settleMs)
  const collection = storageVersionPath.slice(0, storageVersionPath.lastIndexOf('/'))
  assert.deepEqual(sent, [`POST ${collection} 201`, `PUT ${storageVersionPath}/status 200`])
  assert.deepEqual(versionsOf(await shown(fleet)), [v1])
})

test('mirror, interleaving 5: after a restore that the servers notice, the raised epoch is shown', async () => {
  const fleet = new MirrorFleet('restored')
  await fleet.startAggregator('aggregator')
  await fleet.startAggregated('a', { release: 'x+1' })
  await fleet.pass(settleMs)
  const backup = fleet.dataOf('origin').revision
  const c = await fleet.startAggregated('c', { release: 'x+2' })
  await fleet.pass(settleMs)
  const before = epochOf(await shown(fleet)) ?? 0
  assert.deepEqual(versionsOf(await shown(fleet)), [v1, v2])
  c.process.crash()
  fleet.dataOf('origin').restoreTo(backup)
  await fleet.pass(2 * electionMs)
  const object = await shown(fleet)
  const record = (await fleet.ask('a', 'GET', agreementPath)).body
  assert.ok((epochOf(object) ?? 0) > before + 1_000, `${epochOf(object)} after ${before}`)
  assert.equal(epochOf(object), record.status.epoch)
  assert.deepEqual(versionsOf(object), [v1])
})

test('mirror, interleaving 5: after a restore that no server has noticed, the record is shown a minute later', async () => {
  const fleet = new MirrorFleet('restored unnoticed')
  await fleet.startAggregator('aggregator')
  const a = await fleet.startAggregated('a', { release: 'x+1' })
  await fleet.pass(settleMs)
  const backup = fleet.dataOf('origin').revision
  const c = await fleet.startAggregated('c', { release: 'x+2' })
  await fleet.pass(settleMs)
  const before = epochOf(await shown(fleet)) ?? 0
  // The whole fleet is down while its store is restored: no server remembers what was lost (rule 19).
  a.process.crash()
  c.process.crash()
  fleet.dataOf('origin').restoreTo(backup)
  await fleet.startAggregated('a', { release: 'x+1' })
  const record = (await fleet.ask('a', 'GET', agreementPath)).body
  assert.ok(record.status.epoch < before)
  await fleet.pass(180_000)
  const object = await shown(fleet)
  assert.equal(epochOf(object), record.status.epoch)
  assert.deepEqual(versionsOf(object), [v1])
})
