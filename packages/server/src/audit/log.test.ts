import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, type LogFields } from '@strata/world'
import { AuditLog } from './log.ts'

/** A disk that writes when the test lets it. */
function create() {
  const appended: string[] = []
  const turns: PromiseWithResolvers<void>[] = []
  const said: LogFields[] = []
  const target = {
    append: async (text: string) => {
      const turn = Promise.withResolvers<void>()
      turns.push(turn)
      await turn.promise
      appended.push(text)
    },
    close: async () => {
      appended.push('closed')
    },
  }
  const log = new AuditLog(
    target,
    createLog((_, __, fields) => said.push(fields)),
  )
  return { log, appended, turns, said }
}

test('audit log: what comes while the disk is busy goes together, and in order', async () => {
  const { log, appended, turns } = create()
  for (const line of ['a', 'b', 'c']) log.write(line)
  turns[0]?.resolve()
  await Promise.resolve()
  const closed = log.close()
  while (turns.length < 2) await Promise.resolve()
  turns[1]?.resolve()
  await closed
  assert.deepEqual(appended, ['a\n', 'b\nc\n', 'closed'])
  assert.deepEqual([log.written, log.dropped], [3, 0])
})

test('audit log: what the disk cannot follow is dropped, counted, and said once it can be', async () => {
  const { log, turns, said, appended } = create()
  for (let each = 0; each < 10_005; each++) log.write(String(each))
  assert.equal(log.dropped, 4)
  assert.deepEqual(said, [])
  turns[0]?.resolve()
  while (turns.length < 2) await Promise.resolve()
  assert.deepEqual(said, [{ count: 4, total: 4, why: 'the audit log cannot keep up' }])
  turns[1]?.resolve()
  await log.close()
  assert.equal(appended[1]?.split('\n').length, 10_001)
  assert.equal(log.written, 10_001)
})

test('audit log: so is what the disk does not take; the next events are tried again', async () => {
  const { log, turns, said, appended } = create()
  log.write('a')
  log.write('b')
  turns[0]?.reject(new Error('disk full'))
  while (turns.length < 2) await Promise.resolve()
  turns[1]?.resolve()
  await log.close()
  assert.deepEqual(appended, ['b\n', 'closed'])
  assert.deepEqual(said, [{ count: 1, total: 1, why: 'disk full' }])
  assert.deepEqual([log.written, log.dropped], [1, 1])
})

test('audit log: no more waits than fits into memory', () => {
  const { log } = create()
  log.write('first, at the disk already')
  const long = 'x'.repeat(40 * 1024 * 1024)
  log.write(long)
  log.write(long)
  assert.equal(log.dropped, 1)
})
