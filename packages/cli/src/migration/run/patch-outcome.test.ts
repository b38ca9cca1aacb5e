import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { MalformedAnswer } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'
import { outcomeOfPatch, type PatchOutcome } from './patch-outcome.ts'

const answered = (code: number): ApiError => new ApiError(code, '', 'no')
const cases: readonly [name: string, error: unknown, want: PatchOutcome][] = [
  ['another was faster', answered(409), 'not done'],
  ['the server is busy', answered(429), 'not done'],
  ['no rights', answered(403), 'refused'],
  ['it is not there', answered(404), 'refused'],
  ['a webhook denies it', answered(400), 'refused'],
  ['the server has given up', answered(504), 'unknown'],
  ['a proxy has lost the server', answered(502), 'unknown'],
  ['the server took too long', answered(408), 'unknown'],
  ['the connection was cut', new TransportError('socket hang up', 'unknown'), 'unknown'],
  ['no server was reached', new TransportError('ECONNREFUSED', 'no'), 'not done'],
  ['no answer in time', new DeadlineExceeded('60 s'), 'unknown'],
  ['an answer that cannot be read', new MalformedAnswer('<html>'), 'unknown'],
  ['a mistake of ours', new TypeError('x is undefined'), 'bug'],
]
for (const [name, error, want] of cases) {
  test(`a change that was sent: ${name}: ${want}`, () => assert.equal(outcomeOfPatch(error), want))
}
