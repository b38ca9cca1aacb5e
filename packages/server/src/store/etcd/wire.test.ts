import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import { MalformedMessage, WireReader, WireWriter } from './wire.ts'

const encode = (write: (writer: WireWriter) => void): Buffer => {
  const writer = new WireWriter(1)
  write(writer)
  return writer.finish()
}

test('wire: fields have the bytes that protobuf gives them', () => {
  // The examples of protobuf's own description of its encoding.
  assert.equal(encode((writer) => writer.integer(1, 150)).toString('hex'), '089601')
  assert.equal(encode((writer) => writer.string(2, 'testing')).toString('hex'), '120774657374696e67')
  const nested = encode((writer) => writer.message(3, () => writer.integer(1, 150)))
  assert.equal(nested.toString('hex'), '1a03089601')
  assert.equal(encode((writer) => writer.boolean(1, false)).length, 0)
})

test('wire: whole numbers survive up to the limit of revisions', () => {
  for (const value of [0, 1, 127, 128, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER]) {
    const reader = new WireReader(encode((writer) => writer.integer(64, value)))
    assert.ok(reader.next())
    assert.deepEqual([reader.field, reader.integer(), reader.next()], [64, value, false])
  }
})

test('wire: content of any length survives, nested as deep as transactions are', () => {
  for (const length of [0, 1, 126, 127, 128, 129, 16_383, 16_384, 3_000_000]) {
    const value = new Uint8Array(length).fill(length % 251)
    const text = 'ü'.repeat(length % 20_000)
    const message = encode((writer) => {
      writer.message(1, () => {
        writer.message(2, () => {
          writer.string(1, text)
          writer.bytes(2, value)
        })
        writer.integer(3, length)
      })
    })
    const outer = new WireReader(message)
    assert.ok(outer.next())
    const middle = outer.message()
    assert.ok(middle.next())
    const inner = middle.message()
    assert.ok(inner.next())
    assert.equal(inner.string(), text)
    assert.ok(inner.next())
    assert.deepEqual(inner.bytes(), value)
    assert.ok(middle.next())
    assert.equal(middle.integer(), length)
    assert.deepEqual([inner.next(), middle.next(), outer.next()], [false, false, false])
  }
})

test('wire: unknown fields are skipped, whatever their type', () => {
  const fixed64 = Buffer.from('0901020304050607081001', 'hex')
  const fixed32 = Buffer.from('0d010203041001', 'hex')
  const delimited = Buffer.from('0a0201021001', 'hex')
  for (const message of [fixed64, fixed32, delimited]) {
    const reader = new WireReader(message)
    assert.ok(reader.next())
    reader.skip()
    assert.ok(reader.next())
    assert.deepEqual([reader.field, reader.integer()], [2, 1])
  }
})

test('wire: a message that ends too early is refused, wherever it ends', () => {
  const message = encode((writer) => {
    writer.integer(1, 300)
    writer.string(2, 'text')
  })
  const readAll = (bytes: Buffer): void => {
    const reader = new WireReader(bytes)
    while (reader.next()) reader.skip()
  }
  readAll(message)
  // After three bytes the first field is whole, so that is a message, too.
  for (const length of [1, 2, 4, 5, 6, 7, 8]) {
    assert.throws(() => readAll(message.subarray(0, length)), MalformedMessage)
  }
})
