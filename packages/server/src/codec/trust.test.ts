import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Trust } from './trust.ts'

test('trust: nothing before we know how the others encode', () => {
  assert.equal(new Trust().covers(5), false)
})

test('trust: bytes written since all servers encode alike are trusted', () => {
  const trust = new Trust()
  trust.uniform(10)
  assert.deepEqual([trust.covers(10), trust.covers(11)], [false, true])
  trust.uniform(7)
  assert.equal(trust.covers(8), true)
})

test('trust: a rollout ends it, and bytes written meanwhile are never trusted', () => {
  const trust = new Trust()
  trust.uniform(10)
  trust.mixed(20)
  assert.deepEqual([trust.covers(15), trust.covers(21)], [true, false])
  trust.uniform(30)
  assert.deepEqual([trust.covers(15), trust.covers(25), trust.covers(31)], [false, false, true])
})
