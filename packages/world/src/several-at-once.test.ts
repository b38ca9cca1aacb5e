import assert from 'node:assert/strict'
import { test } from 'node:test'
import { severalAtOnce } from './several-at-once.ts'

test('several at once: each is done once, and no more at a time than allowed', async () => {
  for (const limit of [1, 3, 100]) {
    const done: number[] = []
    let underWay = 0
    let most = 0
    await severalAtOnce(limit, Array(20).keys(), async (item) => {
      underWay += 1
      most = Math.max(most, underWay)
      for (let turn = 0; turn <= item % 3; turn += 1) await null
      underWay -= 1
      done.push(item)
    })
    assert.deepEqual(
      done.toSorted((a, b) => a - b),
      [...Array(20).keys()],
    )
    assert.equal(most, Math.min(limit, 20))
  }
})

test('several at once: the others run despite a failure, which is thrown when all have ended', async () => {
  const ended: string[] = []
  const gate = Promise.withResolvers<void>()
  const running = severalAtOnce(2, ['slow', 'broken', 'worse', 'last'], async (item) => {
    if (item === 'broken' || item === 'worse') throw new Error(item)
    if (item === 'slow') await gate.promise
    ended.push(item)
  })
  let isSettled = false
  running
    .catch(() => {})
    .finally(() => {
      isSettled = true
    })
  for (let turn = 0; turn < 10; turn += 1) await null
  assert.deepEqual(ended, ['last'])
  assert.equal(isSettled, false)
  gate.resolve()
  await assert.rejects(running, /broken/)
  assert.deepEqual(ended, ['last', 'slow'])
})

test('several at once: nothing to do is done at once', async () => {
  await severalAtOnce(8, [], () => assert.fail('there is nothing'))
})
