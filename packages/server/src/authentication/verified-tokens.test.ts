import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@strata/world'
import { VerifiedTokens } from './verified-tokens.ts'

test('verified tokens: are forgotten after a minute, the oldest first when there are too many', () => {
  let nowMs = 0
  const kept = new VerifiedTokens<number>({ monotonicMs: () => nowMs } as Clock)
  for (let each = 0; each < 5000; each++) kept.set(`t${each}`, each)
  assert.equal(kept.get('t0'), undefined)
  assert.equal(kept.get('t903'), undefined)
  assert.equal(kept.get('t904'), 904)
  assert.equal(kept.get('t4999'), 4999)
  nowMs = 60_000
  assert.equal(kept.get('t4999'), undefined)
})
