import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { MalformedAnswer } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'
import { mayHaveActed } from './may-have-acted.ts'

const cases: readonly (readonly [name: string, error: unknown, may: boolean])[] = [
  ['refused', new ApiError(403, 'Forbidden', 'no'), false],
  ['a conflict', new ApiError(409, 'Conflict', 'modified'), false],
  ['told to come later', new ApiError(429, 'TooManyRequests', 'later'), false],
  ['the server gave up waiting for its store', new ApiError(500, 'InternalError', 'timed out'), true],
  ['somebody in between lost the answer', new ApiError(502, 'BadGateway', 'reset'), true],
  ['it took too long', new ApiError(408, 'Timeout', 'too long'), true],
  ['nobody was reached', new TransportError('connection refused', 'no'), false],
  ['the connection was cut', new TransportError('connection reset', 'unknown'), true],
  ['no answer in time', new DeadlineExceeded('1000 ms'), true],
  ['an answer that nobody understands', new MalformedAnswer('not an object'), true],
]
for (const [name, error, may] of cases) {
  test(`a write: ${name}: ${may ? 'may have been' : 'was not'} carried out`, () =>
    assert.equal(mayHaveActed(error), may))
}
