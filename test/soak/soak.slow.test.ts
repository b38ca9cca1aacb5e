import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectorOption } from './retained-memory.ts'

test('soak: no watch is stuck, every probe is answered, all kinds of requests succeed', async () => {
  // The servers that this process starts are asked by their inspector what they hold in memory.
  process.env['NODE_OPTIONS'] = inspectorOption
  const { soak } = await import('./soak.ts')
  const figures = await soak({ minutes: 0.4, watches: 100, writers: 2, filling: 0, crdEveryMs: 1_000 })
  delete process.env['NODE_OPTIONS']
  const { livez } = figures
  assert.deepEqual(
    {
      ...{ stuck: figures.stuck, gaps: figures.gaps, ended: figures.ended, failures: livez.failures },
      ...{ unexpected: figures.unexpected, crdProblems: figures.crdProblems },
    },
    { stuck: 0, gaps: [], ended: [], failures: [], unexpected: [], crdProblems: [] },
  )
  assert.ok(figures.beats > 3 && figures.restarts > 0 && figures.crdRounds > 0, JSON.stringify(figures))
  assert.ok(figures.events >= figures.beats * 100, `${figures.events} events of ${figures.beats} beats`)
  assert.ok(livez.probes > 10, `${livez.probes} probes`)
  assert.ok(figures.memory.length > 0 && figures.memory.every(({ heldBytes }) => heldBytes > 0))
  assert.equal(Object.keys(figures.operations).length, 8, JSON.stringify(figures.operations))
})
