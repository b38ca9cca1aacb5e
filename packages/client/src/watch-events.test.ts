import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { TransportError, utf8 } from '@strata/world'
import { MalformedAnswer } from './errors.ts'
import { watchEvents } from './watch-events.ts'

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const event = (type: string, name: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name, resourceVersion: '7' } } })}\n`

async function names(bytes: Uint8Array, size: number): Promise<string[]> {
  const seen: string[] = []
  for await (const { type, object } of watchEvents(chunks(bytes, size))) {
    seen.push(`${type} ${object.metadata.name}`)
  }
  return seen
}

test('watch: events are the same wherever chunks end', async () => {
  const bytes = utf8.encode(event('ADDED', 'grün') + event('MODIFIED', '灯台') + event('DELETED', '🔦'))
  const want = ['ADDED grün', 'MODIFIED 灯台', 'DELETED 🔦']
  for (let size = 1; size <= bytes.length; size++) assert.deepEqual(await names(bytes, size), want)
})

test('watch: a body in one piece is read too, and empty lines are skipped', async () => {
  const seen: string[] = []
  for await (const { type } of watchEvents(utf8.encode(`\n${event('BOOKMARK', 'b')}\n`))) seen.push(type)
  assert.deepEqual(seen, ['BOOKMARK'])
})

test('watch: an ERROR event is thrown with its Status', async () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410 }
  const object = { ...status, reason: 'Expired', message: 'too old resource version: 3 (9)' }
  const bytes = utf8.encode(`${event('ADDED', 'a')}${JSON.stringify({ type: 'ERROR', object })}\n`)
  await assert.rejects(names(bytes, 10), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(error.status, { ...object, reason: 'Expired' })
    return true
  })
})

test('watch: an end in the middle of an event is a broken connection', async () => {
  const bytes = utf8.encode(event('ADDED', 'a') + event('ADDED', 'b').slice(0, -9))
  await assert.rejects(names(bytes, 16), TransportError)
})

for (const line of [
  '{"type":"ADDED","obj',
  'null',
  '7',
  '{"type":"NEWS","object":{}}',
  '{"type":"ERROR","object":{}}',
]) {
  test(`watch: ${line} is not skipped`, async () => {
    await assert.rejects(names(utf8.encode(`${line}\n`), 64), MalformedAnswer)
  })
}
