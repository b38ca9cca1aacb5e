import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransportError } from '@strata/world'
import { decideWriteOutcome, type WriteOutcome } from './decide-write-outcome.ts'

const cases: ReadonlyArray<
  [name: string, answer: Parameters<typeof decideWriteOutcome>[0], outcome: WriteOutcome]
> = [
  ['an object that was created', { status: 201 }, 'written'],
  ['a conflict', { status: 409 }, 'refused'],
  ['a server that is not ready', { status: 503 }, 'refused'],
  ['a server that does not know it itself', { status: 504 }, 'unknown'],
  ['a request that never arrived', { error: new TransportError('refused', 'no') }, 'refused'],
  ['a connection that broke', { error: new TransportError('reset', 'unknown') }, 'unknown'],
  ['no answer in time', { error: new Error('deadline') }, 'unknown'],
]
for (const [name, answer, outcome] of cases) {
  test(`outcome of a write: ${name} is ${outcome}`, () => {
    assert.equal(decideWriteOutcome(answer), outcome)
  })
}
