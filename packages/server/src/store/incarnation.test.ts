import assert from 'node:assert/strict'
import { test } from 'node:test'
import { incarnationText, parseIncarnation } from './incarnation.ts'

const cases = [
  ['id', { id: 'id', lost: 0, isMarked: true }],
  ['id 515', { id: 'id', lost: 515, isMarked: false }],
  ['id 515 marked', { id: 'id', lost: 515, isMarked: true }],
  ['id 0', { id: 'id', lost: 0, isMarked: false }],
  ['id x', { id: 'id', lost: 0, isMarked: false }],
  ['', { id: '', lost: 0, isMarked: true }],
] as const

for (const [text, incarnation] of cases) {
  test(`incarnation: ${JSON.stringify(text)} is ${JSON.stringify(incarnation)}`, () => {
    assert.deepEqual(parseIncarnation(text), incarnation)
  })
}

test('incarnation: a written one is read back', () => {
  for (const each of [
    { id: 'id', lost: 0, isMarked: true },
    { id: 'id', lost: 0, isMarked: false },
    { id: 'id', lost: 515, isMarked: true },
    { id: 'id', lost: 515, isMarked: false },
  ]) {
    assert.deepEqual(parseIncarnation(incarnationText(each)), each)
  }
})
