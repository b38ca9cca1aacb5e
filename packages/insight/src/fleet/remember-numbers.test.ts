import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFleet } from './fleet-status.ts'
import { agreedOnV1, entry, lease, nowMs, record } from './records-for-test.ts'
import { rememberNumbers } from './remember-numbers.ts'

test('remember numbers: an instance keeps its name while others leave, come back and join', () => {
  const numberServers = rememberNumbers()
  const namesOf = (...servers: readonly (readonly [id: string, instance: string])[]): readonly string[] =>
    describeFleet(
      { records: [], leases: servers.map(([id, instance]) => lease(id, instance)), numberServers },
      nowMs,
    ).servers.map(({ name, instance }) => `${name} ${instance}`)
  const [one, two, three] = [
    ['a', 'one'],
    ['b', 'three'],
    ['c', 'two'],
  ] as const
  assert.deepEqual(namesOf(one, two, three), ['S1 one', 'S2 three', 'S3 two'])
  assert.deepEqual(namesOf(one, three), ['S1 one', 'S3 two'])
  assert.deepEqual(namesOf(one, ['d', 'three'], three), ['S1 one', 'S2 three', 'S3 two'])
  assert.deepEqual(namesOf(['e', 'five'], one, three), ['S4 five', 'S1 one', 'S3 two'])
})

test('remember numbers: entries that outlive their server have a number of their own beside its successor', () => {
  const numberServers = rememberNumbers()
  const records = [record([entry('a', 'example.dev/v1')], agreedOnV1)]
  const namesWith = (id: string): readonly string[] =>
    describeFleet({ records, leases: [lease(id, 'one')], numberServers }, nowMs).servers.map(
      ({ name, serverID }) => `${name} ${serverID}`,
    )
  assert.deepEqual(namesWith('a'), ['S1 a'])
  assert.deepEqual(namesWith('b'), ['S1 b', 'S2 a'])
})
