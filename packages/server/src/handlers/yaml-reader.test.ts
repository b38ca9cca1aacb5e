import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { startYamlThread } from './start-yaml-thread.ts'
import { YamlReader } from './yaml-reader.ts'

const { signal } = new AbortController()
const open: YamlReader[] = []
after(() => {
  for (const reader of open) reader.close()
})

function create({ limitMs = 60_000 } = {}) {
  const threads: string[] = []
  const start = () => {
    const thread = startYamlThread()
    const index = threads.push('runs') - 1
    thread.once('exit', () => {
      threads[index] = 'has ended'
    })
    return thread
  }
  const reader = new YamlReader(nodeClock, { limitMs, start })
  open.push(reader)
  return { reader, threads }
}

/** Each anchor is looked for among all: this takes minutes. */
const endless = Array.from({ length: 200_000 }, (_, index) => `- &a${index} x\n- *a${index}\n`).join('')

test('yaml reader: one thread reads text after text, good and bad', async () => {
  const { reader, threads } = create()
  const read = (text: string) => reader.read(text, 'ann', signal)
  assert.deepEqual(await read('a: 12345678901234567890\na: [x]'), {
    value: { a: ['x'] },
    twice: ['line 2: key "a" already set in map'],
  })
  await assert.rejects(read('a: ['), { name: 'MalformedJson', message: /^yaml: line 1: / })
  assert.deepEqual((await read('b: 1')).value, { b: 1 })
  assert.deepEqual(threads, ['runs'])
})

test('yaml reader: a text that takes too long is refused, and the next one is read', async () => {
  const { reader, threads } = create({ limitMs: 2_000 })
  const refused = assert.rejects(reader.read(endless, 'ann', signal), {
    code: 413,
    message: /limit of 2 seconds; send it as JSON/,
  })
  const next = reader.read('a: 1', 'bob', signal)
  await refused
  assert.deepEqual((await next).value, { a: 1 })
  assert.equal(threads.length, 2)
})

test('yaml reader: many texts of one do not delay that of another', async () => {
  const { reader } = create()
  const order: string[] = []
  const read = (who: string, name: string) =>
    reader.read(`name: ${name}`, who, signal).then(() => order.push(name))
  await Promise.all([read('ann', 'a1'), read('ann', 'a2'), read('ann', 'a3'), read('bob', 'b1')])
  assert.ok(order.indexOf('b1') < order.indexOf('a3'), order.join())
})

test('yaml reader: too many texts of one are refused, those of another are not', async () => {
  const { reader } = create()
  const all = Array.from({ length: 30 }, () => reader.read('a: 1', 'ann', signal))
  const other = reader.read('b: 1', 'bob', signal)
  const results = await Promise.allSettled(all)
  const refused = results.filter((each) => each.status === 'rejected').map(({ reason }) => reason.code)
  // One of them does not wait any more.
  assert.deepEqual(refused, Array(9).fill(429))
  assert.deepEqual((await other).value, { b: 1 })
})

test('yaml reader: who goes away waits no longer, and his text is not read', async () => {
  const { reader, threads } = create({ limitMs: 1_000 })
  const client = new AbortController()
  const slow = assert.rejects(reader.read(endless, 'ann', signal), { code: 413 })
  const left = reader.read(endless, 'bob', client.signal)
  client.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  await slow
  await reader.read('a: 1', 'bob', signal).catch(() => {})
  assert.equal(threads.length, 2, 'a third one would have been needed after a second refusal')
})

test('yaml reader: a reader that is closed ends its thread when all is read', async () => {
  const thread = startYamlThread()
  const ended = new Promise((resolve) => thread.once('exit', resolve))
  const reader = new YamlReader(nodeClock, { start: () => thread })
  const read = reader.read('a: 1', 'ann', signal)
  reader.close()
  assert.deepEqual((await read).value, { a: 1 })
  await ended
})
