import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { createMemoryStore, MemoryData } from './homes.ts'
import { compactPeriodically } from './periodic-compaction.ts'

test('periodic compaction: goes on after the store was restored to a revision before the one it remembers', async () => {
  const simulation = new Simulation('periodic compaction')
  const data = new MemoryData()
  const compacted: number[] = []
  const below = createMemoryStore(data)
  const store = {
    ...below,
    compact: async (revision: number, signal: AbortSignal) => {
      await below.compact(revision, signal)
      compacted.push(revision)
    },
  }
  const over = new AbortController()
  const { clock, log } = simulation.process('a')
  void compactPeriodically({ store, clock, log, intervalMs: 1_000 }, over.signal)
  const write = (count: number): void => {
    for (let index = 0; index < count; index++) {
      data.commit({ writes: [{ kind: 'put', key: '/x', value: Buffer.from('x') }], guards: [] })
    }
  }
  write(5)
  const backup = data.revision
  write(20)
  await simulation.run({ untilMs: simulation.nowMs + 1_500 })
  data.restoreTo(backup)
  await simulation.run({ untilMs: simulation.nowMs + 3_000 })
  over.abort()
  assert.equal(compacted[0], backup)
})
