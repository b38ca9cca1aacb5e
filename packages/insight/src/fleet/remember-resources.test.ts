import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFleet } from './fleet-status.ts'
import { agreedOnV1, entry, lease, nowMs, record } from './records-for-test.ts'
import { rememberResources } from './remember-resources.ts'

const at = (seconds: number) => new Date(nowMs - 1000 * seconds).toISOString()
const leases = [lease('a', 'a', { renewTime: at(1) }), lease('b', 'b', { renewTime: at(1) })]
const things = record([entry('a', 'example.dev/v1'), entry('b', 'example.dev/v1')], agreedOnV1)

test('remembered resources: what is described is the same as without memory', () => {
  const describe = rememberResources()
  for (const found of [leases, leases.slice(0, 1), leases]) {
    const facts = { records: [things], leases: found }
    assert.deepEqual(describeFleet({ ...facts, describe }, nowMs), describeFleet(facts, nowMs))
  }
})

test('remembered resources: time alone makes nothing anew, also when a server falls silent', () => {
  const describe = rememberResources()
  const [first] = describeFleet({ records: [things], leases, describe }, nowMs).resources
  const renewed = [lease('a', 'a', { renewTime: at(0) }), lease('b', 'b', { renewTime: at(1) })]
  const later = describeFleet({ records: [things], leases: renewed, describe }, nowMs + 90_000)
  assert.ok(later.servers.every(({ silentSeconds }) => silentSeconds !== undefined))
  assert.equal(later.resources[0], first)
})

test('remembered resources: a changed record, and a changed server, are described anew', () => {
  const describe = rememberResources()
  const look = (records: readonly (typeof things)[], found = leases) =>
    describeFleet({ records, leases: found, describe }, nowMs).resources[0]
  const first = look([things])
  assert.notEqual(look([structuredClone(things)]), first)
  assert.equal(look([things], leases.slice(0, 1))?.agreed, false)
})
