import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideStartOver } from './decide-start-over.ts'

const all = [
  'store',
  'store.mark',
  'pki',
  'logs',
  'admin.kubeconfig',
  'control.json',
  'up.lock',
  'up.lock.holder',
]
const base = { dataDir: '/d', entries: all, hasStore: true, hasEtcd: false }

const cases: ReadonlyArray<[name: string, seen: Partial<typeof base>, want: string]> = [
  ['the data of a fleet is asked about', {}, 'ask'],
  ['a directory without a store loses nothing', { hasStore: false }, 'delete'],
  ['so does an empty one', { entries: ['up.lock'], hasStore: false }, 'delete'],
  ['a directory with foreign files is refused', { entries: [...all, 'thesis.txt'] }, 'refuse'],
  ['also without a store', { entries: ['thesis.txt'], hasStore: false }, 'refuse'],
  ['etcd is not emptied', { hasEtcd: true }, 'refuse'],
]
for (const [name, change, want] of cases) {
  test(`fresh: ${name}`, () => assert.equal(decideStartOver({ ...base, ...change }).do, want))
}

test('fresh: the lock, which is held, stays', () => {
  const decision = decideStartOver(base)
  assert.deepEqual('entries' in decision && decision.entries, all.slice(0, -2))
})
