import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chains } from './clients/captured-run.ts'
import { dealtTo } from './dealt.ts'
import { disagreements, playClients, readLedger } from './ledger.ts'
import { servedStores } from './served-store.ts'
import type { StepResult } from './step-result.ts'

test('clients: what they have sent is answered as recorded, but for what is left over', async () => {
  const results: StepResult[] = []
  for (const store of servedStores) results.push(...(await playClients(store, dealtTo(store, chains))))
  assert.ok(results.length > 700, `only ${results.length} requests were played`)
  assert.deepEqual(disagreements(results, readLedger('clients')), [])
})
