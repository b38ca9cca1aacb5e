import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { type LiveFleet, withLiveFleet } from './live-fleet.ts'

const off = { featureGates: 'StorageVersionAPI=false' }
const v1 = 'lighthouse.example.dev/v1'

test('feature off and on again, with processes: rolled back server by server, and nothing unrecorded is forgotten', async () => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    await fleet.start('a', 'x+1')
    await fleet.start('b', 'x+1')
    await write(fleet, 'a', 'recorded')
    const before = await record(fleet)
    assert.deepEqual([before.agreedVersion, before.recordingGap], [v1, undefined])

    // One by one, while the other serves.
    await fleet.restart('a', 'x+1', off)
    await write(fleet, 'a', 'half-way')
    const seen = await fleet.status('a')
    assert.equal(seen.agreed, false)
    assert.match(seen.problems.join(), /without recording/)
    await fleet.restart('b', 'x+1', off)
    await write(fleet, 'b', 'unrecorded')

    const silent = fleet.server('a')
    await fleet.restart('a', 'x+1')
    assert.match(silent.output, /StorageVersionAPI=false: this server does not record its storage versions/)
    assert.match(silent.output, /stopped; no storage version entries to remove/)
    await fleet.restart('b', 'x+1')
    await write(fleet, 'b', 'again')
    const after = await until('all agree', async () => {
      const now = await record(fleet)
      return now.agreedVersion === undefined ? undefined : now
    })
    assert.equal(after.agreedVersion, v1)
    assert.ok(after.epoch >= before.epoch + 2, `epochs ${before.epoch} and ${after.epoch}`)
    assert.equal(after.recordingGap?.epoch, after.epoch, 'nothing from before this epoch is believed')
    assert.equal(after.servers.length, 2)
  })
})

interface Seen {
  readonly epoch: number
  readonly agreedVersion?: string
  readonly recordingGap?: { readonly epoch: number; readonly reason: string }
  readonly servers: readonly unknown[]
}

async function record(fleet: LiveFleet): Promise<Seen> {
  const { status, body } = await ask(fleet.transport('b'), 'GET', agreementPath)
  assert.equal(status, 200)
  return body.status
}

async function write(fleet: LiveFleet, server: 'a' | 'b', name: string): Promise<void> {
  const { status, body } = await ask(fleet.transport(server), 'POST', beaconPath('v1'), beacon('v1', name, 5))
  assert.equal(status, 201, JSON.stringify(body))
}
