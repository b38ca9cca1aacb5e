import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import { FRAME_HEADER_BYTES, FrameReader, seal } from './grpc-frame.ts'
import { MalformedMessage } from './wire.ts'

const frame = (text: string): Buffer =>
  seal(Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), Buffer.from(text)]))

test('gRPC frames are found wherever the stream is cut', () => {
  const texts = ['one', '', 'three', 'x'.repeat(300)]
  const stream = Buffer.concat(texts.map(frame))
  for (let size = 1; size <= stream.length; size++) {
    const reader = new FrameReader()
    const found: string[] = []
    for (let at = 0; at < stream.length; at += size) {
      reader.push(stream.subarray(at, at + size), (message) => found.push(message.toString()))
    }
    assert.deepEqual(found, texts, `in chunks of ${size} bytes`)
  }
})

test('a gRPC message keeps its bytes when the chunk is used again', () => {
  const chunk = frame('mine')
  const found: Buffer[] = []
  new FrameReader().push(chunk, (message) => found.push(message))
  chunk.fill(0)
  assert.equal(found[0]?.toString(), 'mine')
})

test('a stream that is no gRPC is refused', () => {
  const notGrpc = Buffer.from('HTTP/1.1 400 Bad Request')
  assert.throws(() => new FrameReader().push(notGrpc, () => {}), MalformedMessage)
})
