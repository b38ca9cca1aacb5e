import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disagreements, playClients, readLedger } from './ledger.ts'
import { servedStores } from './served-store.ts'

for (const store of servedStores) {
  test(`clients: what they have sent is answered on ${store} as recorded, but for what is left over`, async () => {
    const results = await playClients(store)
    assert.ok(results.length > 700, `only ${results.length} requests were played`)
    assert.deepEqual(disagreements(results, readLedger('clients')), [])
  })
}
