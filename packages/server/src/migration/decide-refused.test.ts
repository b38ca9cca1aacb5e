import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../store/index.ts'
import { decideRefused } from './decide-refused.ts'

const entry = (key: string, revision: number): Entry => ({
  ...{ key, revision, createRevision: 1 },
  value: Buffer.from('{}'),
})
const rewrites = ['a', 'b', 'c', 'd'].map((key) => ({ entry: entry(key, 5), value: Buffer.from('{}') }))
const broken = (key: string, current: Entry | undefined) => ({ guard: { key, revision: 5 }, current })

test('refused: those that stand where they stood go on without the others', () => {
  const moved = entry('b', 9)
  const after = decideRefused(rewrites, [
    broken('record', entry('record', 7)),
    broken('b', moved),
    broken('d', undefined),
  ])
  assert.deepEqual(
    after.held.map((each) => each.entry.key),
    ['a', 'c'],
  )
  assert.deepEqual(after.moved, [moved])
})

test('refused: where only the record has moved, all of them stand', () => {
  const after = decideRefused(rewrites, [broken('record', undefined)])
  assert.deepEqual(after, { held: rewrites, moved: [] })
})
