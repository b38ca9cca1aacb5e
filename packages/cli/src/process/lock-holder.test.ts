import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Processes } from '@strata/world'
import { livingHolder } from './lock-holder.ts'

const bootId = 'boot/pid:[1]'
const processes: Processes = {
  self: { bootId, pid: 1, startTicks: '1' },
  hostname: 'h',
  isGone: (mark) => mark.bootId === bootId && mark.pid === 7,
}
const mark = { bootId, pid: 2, startTicks: '5', hostname: 'h' }

const cases: readonly [name: string, written: unknown, pid: number | undefined][] = [
  ['one that lives is named', mark, 2],
  ['one that was killed is not: somebody else holds it', { ...mark, pid: 7 }, undefined],
  ['nor one from before this machine was started anew', { ...mark, bootId: 'before/pid:[1]' }, undefined],
  ['of a container next door nobody can say that it is gone', { ...mark, bootId: 'boot/pid:[2]', pid: 7 }, 7],
  ['nor of another machine', { ...mark, bootId: 'other/pid:[1]', hostname: 'g' }, 2],
  ['no object', 3, undefined],
  ['null', null, undefined],
]
for (const [name, written, pid] of cases) {
  test(`holder of a lock: ${name}`, () =>
    assert.equal(livingHolder(JSON.stringify(written), processes).pid, pid))
}

test('holder of a lock: nothing was written, or half of it', () => {
  assert.deepEqual(livingHolder(undefined, processes), {})
  assert.deepEqual(livingHolder('{"pid":', processes), {})
})
