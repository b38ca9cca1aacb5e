import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StorageAgreement, unseenServersAnnotation } from '@strata/api'
import { guardedRunsOf, mostUnseen, withUnseen } from './unseen-names.ts'

const state = (process: string, since = 't') => ({ process, since, writeKey: 'k', readableKeys: ['k'] })
const record = (unseenProcesses: readonly string[], stated: readonly unknown[]): StorageAgreement =>
  ({
    metadata: { annotations: { [unseenServersAnnotation]: JSON.stringify(stated) } },
    status: { unseenProcesses },
  }) as unknown as StorageAgreement

const cases: ReadonlyArray<[name: string, before: StorageAgreement | undefined, want: readonly string[]]> = [
  ['the first of all', undefined, ['u_3']],
  ['beside another server', record(['d_1'], [state('d_1')]), ['d_1', 'u_3']],
  ['beside another run: it may live', record(['u_1'], [state('u_1')]), ['u_1', 'u_3']],
  ['named already', record(['u_3'], [state('u_3')]), ['u_3']],
]
for (const [name, before, want] of cases) {
  test(`unseen names: ${name}`, () => assert.deepEqual(withUnseen(before, 'u_3'), want))
}

test('unseen names: of too many the oldest go whose writes are guarded, and no other', () => {
  const names = Array.from({ length: mostUnseen + 3 }, (_, index) => `d${100 + index}_1`)
  // The last one is the oldest; the first two state nothing.
  const stated = names.slice(2).map((process, index) => state(process, `t${999 - index}`))
  const after = withUnseen(record(names, stated), 'u_3')
  assert.deepEqual(after, [...names.slice(0, mostUnseen - 1), 'u_3'])
})

test('unseen names: a name that only the annotation has is no run of anybody', () => {
  assert.deepEqual(guardedRunsOf(record(['u_1'], [state('u_1'), state('u_2')]), 'u'), ['u_1'])
  assert.deepEqual(guardedRunsOf(record(['u_1'], [{ process: 'u_1' }]), 'u'), [])
  assert.deepEqual(guardedRunsOf(record(['u_1', 'u_2'], [state('u_1')]), 'u'), ['u_1'], 'u_2 does not guard')
})
