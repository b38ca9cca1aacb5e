import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disagreements, readLedger, runSuite } from './ledger.ts'
import { servedStores } from './served-store.ts'

for (const store of servedStores) {
  test(`kubectl: prints on ${store} as recorded, but for what is left over`, async () => {
    const results = await runSuite('transcripts', store)
    assert.ok(results.length > 100, `only ${results.length} commands were run`)
    assert.deepEqual(disagreements(results, readLedger('transcripts')), [])
  })
}
