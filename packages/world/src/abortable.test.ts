import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abortable, untilAborted } from './abortable.ts'

test('abortable: whichever comes first', async () => {
  const going = new AbortController()
  assert.equal(await abortable(Promise.resolve(1), going.signal), 1)
  await assert.rejects(abortable(Promise.reject(new Error('failed')), going.signal), /failed/)
  const waiting = abortable(new Promise(() => {}), going.signal)
  going.abort(new Error('stopped'))
  await assert.rejects(waiting, /stopped/)
  await assert.rejects(abortable(new Promise(() => {}), going.signal), /stopped/)
})

test('untilAborted: waits for its signal, and not for one that was aborted before', async () => {
  const going = new AbortController()
  const waiting = untilAborted(going.signal)
  going.abort()
  await waiting
  await untilAborted(going.signal)
  assert.ok(going.signal.aborted)
})
