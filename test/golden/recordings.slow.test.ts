import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dealtTo } from './dealt.ts'
import { disagreements, playRecordings, readLedger } from './ledger.ts'
import { recordedAreas } from './replay-recordings.ts'
import { servedStores } from './served-store.ts'
import type { StepResult } from './step-result.ts'

test('recordings: all is answered as recorded, but for what is left over', async () => {
  const results: StepResult[] = []
  for (const store of servedStores)
    results.push(...(await playRecordings(store, dealtTo(store, recordedAreas))))
  assert.ok(results.length > 250, `only ${results.length} steps were played`)
  assert.deepEqual(disagreements(results, readLedger('recordings')), [])
})
