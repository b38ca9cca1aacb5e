import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disagreements, playRecordings, readLedger } from './ledger.ts'
import { servedStores } from './served-store.ts'

for (const store of servedStores) {
  test(`recordings: ${store} answers as recorded, but for what is left over`, async () => {
    const results = await playRecordings(store)
    assert.ok(results.length > 250, `only ${results.length} steps were played`)
    assert.deepEqual(disagreements(results, readLedger('recordings')), [])
  })
}
