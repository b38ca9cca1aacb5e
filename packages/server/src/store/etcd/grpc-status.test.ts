import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf } from './grpc-status.ts'

const cases: ReadonlyArray<
  [name: string, headers: Record<string, string>, want: [code: number, text: string] | undefined]
> = [
  ['nothing yet', { ':status': '200' }, undefined],
  ['all is well', { 'grpc-status': '0' }, undefined],
  ['an encoded text is decoded', { 'grpc-status': '5', 'grpc-message': 'no key %22a%22' }, [5, 'no key "a"']],
  [
    'a text that was not encoded is taken as it is',
    { 'grpc-status': '13', 'grpc-message': 'quota 100% used' },
    [13, 'quota 100% used'],
  ],
  ['no text', { ':status': '200', 'grpc-status': '14' }, [14, 'it answered with gRPC status 14']],
  ['no gRPC at all', { ':status': '502' }, [2, 'it answered with HTTP status 502']],
]
for (const [name, headers, want] of cases) {
  test(`gRPC status: ${name}`, () => {
    const error = errorOf(headers, 'it')
    assert.deepEqual(error && [error.code, error.message], want)
  })
}
