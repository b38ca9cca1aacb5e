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
  ['a killed process is not: another one holds it', { ...mark, pid: 7 }, undefined],
  ['nor one from before this machine was started anew', { ...mark, bootId: 'before/pid:[1]' }, undefined],
  ['a process of another container may be alive', { ...mark, bootId: 'boot/pid:[2]', pid: 7 }, 7],
  ['a process of another machine too', { ...mark, bootId: 'other/pid:[1]', hostname: 'g' }, 2],
  ['no object', 3, undefined],
  ['null', null, undefined],
]
for (const [name, written, pid] of cases) {
  test(`holder of a lock: ${name}`, () =>
    assert.equal(livingHolder(JSON.stringify(written), processes).pid, pid))
}

test('holder of a lock: an empty or incomplete file', () => {
  assert.deepEqual(livingHolder(undefined, processes), {})
  assert.deepEqual(livingHolder('{"pid":', processes), {})
})
