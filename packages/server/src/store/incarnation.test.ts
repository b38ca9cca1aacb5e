import assert from 'node:assert/strict'
import { test } from 'node:test'
import { incarnationText, parseIncarnation } from './incarnation.ts'

const cases = [
  ['id', { id: 'id', lost: 0 }],
  ['id 515', { id: 'id', lost: 515 }],
  ['id x', { id: 'id', lost: 0 }],
  ['', { id: '', lost: 0 }],
] as const

for (const [text, incarnation] of cases) {
  test(`incarnation: ${JSON.stringify(text)} is ${JSON.stringify(incarnation)}`, () => {
    assert.deepEqual(parseIncarnation(text), incarnation)
  })
}

test('incarnation: what is written is read', () => {
  for (const each of [
    { id: 'id', lost: 0 },
    { id: 'id', lost: 515 },
  ]) {
    assert.deepEqual(parseIncarnation(incarnationText(each)), each)
  }
})
