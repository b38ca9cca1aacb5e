import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replayAggregated } from './aggregated/replay-aggregated.ts'
import { disagreements, readLedger } from './ledger.ts'

test('kubectl: prints as recorded about kinds of an aggregated server, but for what is left over', async () => {
  const results = await replayAggregated()
  assert.ok(results.length > 70, `only ${results.length} commands were run`)
  assert.deepEqual(disagreements(results, readLedger('aggregated')), [])
})
