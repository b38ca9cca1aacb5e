import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { agreementPath, beacon, beaconPath } from '../support/fleet.ts'
import { type LiveFleet, storeKinds, withLiveFleet } from './live-fleet.ts'

for (const store of storeKinds) {
  test(`identity on ${store}: a second server of one name refuses to start; after kill -9 a restart does not wait`, async (t) => {
    // A restart that waited for the Lease would take an hour.
    await withLiveFleet({ store, leaseDurationSeconds: 3_600 }, async (fleet) => {
      const first = await fleet.start('a', 'x+1')
      const holder = await holderOf(fleet)
      const created = await ask(fleet.transport('a'), 'POST', beaconPath('v1'), beacon('v1', 'one', 5))
      assert.equal(created.status, 201)

      // On a port of its own, but under the name of the first.
      const second = fleet.launch('b', 'x+2', { instance: 'a' })
      const { code } = await second.ended()
      assert.equal(code, 1, second.output)
      assert.match(second.output, /strata: another process .* renews its Lease; .* --instance/)
      assert.ok(!second.output.includes('    at '), `no stack for what is no bug: ${second.output}`)
      assert.equal(await holderOf(fleet), holder, 'the first still holds its identity')
      const written = await ask(fleet.transport('a'), 'POST', beaconPath('v1'), beacon('v1', 'two', 5))
      assert.equal(written.status, 201, 'and may be written through')

      await first.kill()
      const again = await fleet.start('a', 'x+2')
      assert.ok(!again.output.includes('watching whether it is renewed'), again.output)
      assert.notEqual(await holderOf(fleet), holder)
      const { body } = await ask(fleet.transport('a'), 'GET', agreementPath)
      assert.deepEqual(
        body.status.servers.map(({ process }: { process: string }) => process),
        [await holderOf(fleet)],
        'the entry of the process before it is gone',
      )
      assert.equal(body.status.agreedVersion, 'lighthouse.example.dev/v2')
      t.diagnostic(second.output.trim().split('\n').at(-1) ?? '')
    })
  })
}

async function holderOf(fleet: LiveFleet): Promise<string> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${fleet.idOf('a')}`
  const { status, body } = await ask(fleet.transport('a'), 'GET', path)
  assert.equal(status, 200)
  return body.spec.holderIdentity
}
