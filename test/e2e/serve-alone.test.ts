import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/ask.ts'
import { agreementPath } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { type LiveFleet, type ServerName, storeKinds, withLiveFleet } from './live-fleet.ts'

/** The next leader waits for the Lease of the one that was killed, and watches the identity Lease for as long as it lasts. */
const patience = { giveUpMs: 180_000 }
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const gadgetsRecord = '/apis/strata.dev/v1alpha1/storageagreements/example.dev.gadgets'
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
}

/** The servers that have an entry in a record, as that server shows it. */
async function entriesOf(fleet: LiveFleet, server: ServerName, record: string): Promise<readonly string[]> {
  const { body } = await ask(fleet.transport(server), 'GET', record)
  return (body.status?.servers ?? []).map(({ serverID }: { serverID: string }) => serverID)
}

async function collectorOf(fleet: LiveFleet, server: ServerName): Promise<string> {
  const { body } = await ask(fleet.transport(server), 'GET', `${leases}/strata-agreement-collectors`)
  return body.spec?.holderIdentity ?? ''
}

for (const store of storeKinds) {
  test(`serve alone on ${store}: what a server that was killed has left is removed without "strata controllers"`, async () => {
    await withLiveFleet({ store, leaseDurationSeconds: 4 }, async (fleet) => {
      const a = await fleet.start('a', 'x+1')
      await until('the first server leads', async () => (await collectorOf(fleet, 'a')) !== '', patience)
      const leader = await collectorOf(fleet, 'a')
      await fleet.start('b', 'x+1')
      await fleet.start('c', 'x+1')
      assert.equal((await ask(fleet.transport('b'), 'POST', definitions, definition)).status, 201)
      const hasAll = async () => (await entriesOf(fleet, 'b', gadgetsRecord)).length === 3
      await until('all three have reported gadgets', hasAll, patience)
      // The leader is killed: the server that takes over collects it.
      await a.kill()
      const dead = fleet.idOf('a')
      const isExpelled = async () =>
        (await ask(fleet.transport('b'), 'GET', `${leases}/${dead}`)).status === 404
      await until('the Lease of the dead server is gone', isExpelled, patience)
      for (const record of [agreementPath, gadgetsRecord]) {
        const isGone = async () => !(await entriesOf(fleet, 'b', record)).includes(dead)
        await until(`its entry in ${record} is gone`, isGone, patience)
      }
      assert.deepEqual(
        (await entriesOf(fleet, 'b', agreementPath)).length,
        2,
        'and those of the others stand',
      )
      assert.notEqual(await collectorOf(fleet, 'b'), leader)
    })
  })
}
