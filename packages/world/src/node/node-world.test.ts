import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../log.ts'
import { createNodeWorld } from './node-world.ts'

test('node world: holds all its parts', () => {
  const { clock, random, log, processes } = createNodeWorld({ log: silentLog })
  assert.equal(log, silentLog)
  assert.equal(processes.self.pid, process.pid)
  assert.ok(random.fraction() < 1)
  assert.ok(clock.monotonicMs() > 0)
})
