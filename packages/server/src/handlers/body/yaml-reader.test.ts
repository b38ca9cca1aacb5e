import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { nodeClock } from '@strata/world/node'
import { startYamlThread } from './start-yaml-thread.ts'
import { decideReading, YamlReader } from './yaml-reader.ts'

const { signal } = new AbortController()
const open: YamlReader[] = []
after(() => {
  for (const reader of open) reader.close()
})

function create({ limitMs = 60_000, sliceMs = 500 } = {}) {
  const threads: string[] = []
  const start = () => {
    const thread = startYamlThread()
    const index = threads.push('runs') - 1
    thread.once('exit', () => {
      threads[index] = 'has ended'
    })
    return thread
  }
  const reader = new YamlReader(nodeClock, { limitMs, sliceMs, start })
  open.push(reader)
  return { reader, threads }
}

/** Nearly as many tokens as may be, each of them a mistake: this takes long. */
const endless = '[]'.repeat(700_000)

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
  const { reader, threads } = create({ limitMs: 2_000 })
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

test('yaml reader: texts that take long do not keep a short one of another user waiting for their end', async () => {
  const { reader } = create({ limitMs: 20_000, sliceMs: 50 })
  const leaving = new AbortController()
  const others = ['ann', 'bob', 'cid'].flatMap((who) =>
    [1, 2, 3].map(() => reader.read(endless, who, leaving.signal)),
  )
  // Were they read to their end first, some would be refused before this one is read.
  assert.deepEqual((await reader.read('a: 1', 'dan', signal)).value, { a: 1 })
  leaving.abort(new Error('gone'))
  const ends = await Promise.allSettled(others)
  assert.deepEqual(
    ends.map((each) => each.status === 'rejected' && each.reason.message),
    Array(9).fill('gone'),
  )
})

test('yaml reader: a text that was interrupted is read to its end in its turn', async () => {
  const { reader, threads } = create({ sliceMs: 20 })
  const long = Array.from({ length: 8_000 }, (_, index) => `k${index}: v`).join('\n')
  const first = reader.read(long, 'ann', signal)
  const short = Array.from({ length: 2 }, (_, index) => reader.read('a: 1', `user-${index}`, signal))
  await Promise.all(short)
  assert.equal(Object.keys((await first).value as object).length, 8_000)
  assert.ok(threads.length > 1, 'it was interrupted')
})

const slice = { ranMs: 0, sliceMs: 500, limitMs: 5_000, isUnwanted: true }
const decisions: ReadonlyArray<[name: string, seen: Partial<typeof slice>, want: string]> = [
  ['within its slice', { ranMs: 499 }, 'go on'],
  ['over its slice', { ranMs: 500 }, 'interrupt'],
  ['over its slice, alone', { ranMs: 4_999, isUnwanted: false }, 'go on'],
  ['over the limit', { ranMs: 5_000 }, 'refuse'],
  ['over the limit, alone', { ranMs: 5_000, isUnwanted: false }, 'refuse'],
  ['a slice as long as the limit', { ranMs: 4_999, sliceMs: 8_000 }, 'go on'],
]
for (const [name, seen, want] of decisions) {
  test(`yaml reader: a text ${name}`, () => assert.equal(decideReading({ ...slice, ...seen }), want))
}
