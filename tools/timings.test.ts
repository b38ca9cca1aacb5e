import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSlowest } from './timings.ts'

test('timings: tells which files took longest, and which kept the processors busiest', () => {
  const timings = [
    { path: 'a', wallMs: 1000, cpuMs: 900 },
    { path: 'b', wallMs: 50_000, cpuMs: 2000 },
    { path: 'c', wallMs: 10_000, cpuMs: 15_040 },
  ]
  assert.equal(
    formatSlowest(timings, 2),
    [
      'slowest of 3 files:',
      '    50.0 s, processor    2.0 s  b',
      '    10.0 s, processor   15.0 s  c',
      'busiest, of 17.9 s of processor time in all:',
      '    10.0 s, processor   15.0 s  c',
      '    50.0 s, processor    2.0 s  b',
      '',
    ].join('\n'),
  )
})
