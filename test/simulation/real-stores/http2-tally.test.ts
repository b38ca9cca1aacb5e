import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Http2Tally } from './http2-tally.ts'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

function frame(type: number, flags: number, stream: number, length = 0): Buffer {
  const bytes = Buffer.alloc(9 + length, 0xee)
  bytes.writeUIntBE(length, 0, 3)
  bytes.writeUInt8(type, 3)
  bytes.writeUInt8(flags, 4)
  bytes.writeUInt32BE(stream, 5)
  return bytes
}

const cases: ReadonlyArray<[what: string, asked: Buffer[], answered: Buffer[], unanswered: number]> = [
  ['nothing', [preface], [], 0],
  ['settings', [preface, frame(4, 0, 0, 12)], [], 1],
  ['settings that are acknowledged', [preface, frame(4, 0, 0, 12)], [frame(4, 0, 0, 6), frame(4, 1, 0)], 0],
  ['an acknowledgement of its own', [preface, frame(4, 1, 0)], [], 0],
  ['a ping', [preface, frame(6, 0, 0, 8)], [], 1],
  ['a ping that is answered', [preface, frame(6, 0, 0, 8)], [frame(6, 1, 0, 8)], 0],
  ['a ping of the other side', [preface], [frame(6, 0, 0, 8)], 0],
  ['a stream', [preface, frame(1, 4, 1, 30), frame(0, 1, 1, 500)], [], 1],
  ['a stream that is answered', [preface, frame(1, 4, 1, 30)], [frame(1, 4, 1, 20)], 0],
  ['another stream', [preface, frame(1, 4, 1, 30), frame(1, 4, 3, 30)], [frame(0, 0, 3, 5)], 1],
  ['a stream that is called off', [preface, frame(1, 4, 1, 30), frame(3, 0, 1, 4)], [], 0],
  ['window updates', [preface, frame(8, 0, 0, 4)], [], 0],
]
for (const [what, asked, answered, unanswered] of cases) {
  for (const size of [1, 7, 10_000]) {
    test(`http2 tally: ${what}, in chunks of ${size} bytes`, () => {
      const tally = new Http2Tally()
      for (const chunk of chunks(asked, size)) tally.request(chunk)
      for (const chunk of chunks(answered, size)) tally.answer(chunk)
      assert.equal(tally.unanswered, unanswered)
    })
  }
}

function chunks(parts: readonly Buffer[], size: number): Buffer[] {
  const all = Buffer.concat(parts)
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.subarray(index * size, (index + 1) * size),
  )
}
