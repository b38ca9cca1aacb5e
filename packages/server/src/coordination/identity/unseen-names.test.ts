import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StorageAgreement, unseenServersAnnotation } from '@strata/api'
import { guardedRunsOf, mostUnseen, withUnseen } from './unseen-names.ts'

const self = { serverID: 'u', process: 'u_3' }
const state = (process: string, since = 't') => ({ process, since, writeKey: 'k', readableKeys: ['k'] })
const record = (unseenProcesses: readonly string[], stated: readonly unknown[]): StorageAgreement =>
  ({
    metadata: { annotations: { [unseenServersAnnotation]: JSON.stringify(stated) } },
    status: { unseenProcesses },
  }) as unknown as StorageAgreement

const cases: ReadonlyArray<
  [name: string, before: StorageAgreement | undefined, takesPlace: boolean, want: readonly string[]]
> = [
  ['the first of all', undefined, true, ['u_3']],
  ['beside another server', record(['d_1'], [state('d_1')]), true, ['d_1', 'u_3']],
  ['in the place of an earlier run', record(['u_1'], [state('u_1')]), true, ['u_3']],
  ['not twice: two may run under one name', record(['u_1'], [state('u_1')]), false, ['u_1', 'u_3']],
  ['one that does not guard its writes stays', record(['u_1', 'u_2'], [state('u_1')]), true, ['u_2', 'u_3']],
  ['named already', record(['u_3'], [state('u_3')]), true, ['u_3']],
]
for (const [name, before, takesPlace, want] of cases) {
  test(`unseen names: ${name}`, () => assert.deepEqual(withUnseen(before, self, takesPlace), want))
}

test('unseen names: of too many the oldest go whose writes are guarded, and no other', () => {
  const names = Array.from({ length: mostUnseen + 3 }, (_, index) => `d${100 + index}_1`)
  // The last one is the oldest; the first two state nothing.
  const stated = names.slice(2).map((process, index) => state(process, `t${999 - index}`))
  const after = withUnseen(record(names, stated), self, true)
  assert.deepEqual(after, [...names.slice(0, mostUnseen - 1), 'u_3'])
})

test('unseen names: a name that only the annotation has is no run of anybody', () => {
  assert.deepEqual(guardedRunsOf(record(['u_1'], [state('u_1'), state('u_2')]), 'u'), ['u_1'])
  assert.deepEqual(guardedRunsOf(record(['u_1'], [{ process: 'u_1' }]), 'u'), [])
})
