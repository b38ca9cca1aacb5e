import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Http1AnswerReader } from './http1-answer.ts'

const withLength = 'HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello'
const inChunks =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nB\r\n and\r\nbye..\r\n0\r\n\r\n'
const empty = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
const expected = ['201 hello', '200 hello and\r\nbye..', '404 ']

/** The result does not depend on how the bytes are cut. */
for (const size of [1, 2, 3, 7, 64, 1000]) {
  test(`answers: read from parts of ${size} bytes`, () => {
    const seen: string[] = []
    let now = ''
    const reader = new Http1AnswerReader({
      onHead: (status) => {
        now = `${status} `
      },
      onBody: (part) => {
        now += part.toString()
      },
      onEnd: () => seen.push(now),
    })
    const bytes = Buffer.from(withLength + inChunks + empty)
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
    assert.deepEqual(seen, expected)
  })
}
