import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransportError } from '@strata/world'
import type { Answer } from '../../support/fleet.ts'
import type { Action } from '../checkers/operation.ts'
import { decideOutcome } from './decide-outcome.ts'

const create: Action = { do: 'create', colour: 'a' }
const remove: Action = { do: 'delete', expected: { colour: 'a', revision: 5 } }
const read: Action = { do: 'read' }
const answer = (status: number, body: unknown = {}): Answer => ({ status, headers: {}, body })
const object = { metadata: { resourceVersion: '7' }, spec: { colour: 'a' } }
const named = { reason: 'NotFound', details: { name: 'k' } }

const cases: ReadonlyArray<readonly [name: string, action: Action, answer: Answer | Error, want: string]> = [
  ['created', create, answer(201, object), 'stored'],
  [
    'replaced',
    { do: 'replace', colour: 'b', expected: { colour: 'a', revision: 5 } },
    answer(200, object),
    'stored',
  ],
  ['deleted', remove, answer(200, {}), 'deleted'],
  ['read', read, answer(200, object), 'seen'],
  ['the name is taken', create, answer(409, { reason: 'AlreadyExists' }), 'exists'],
  ['the revision has moved', remove, answer(409, { reason: 'Conflict' }), 'conflict'],
  ['the object is not there', read, answer(404, named), 'absent'],
  [
    'the kind is not served: says nothing of the object',
    read,
    answer(404, { reason: 'NotFound' }),
    'unexpected',
  ],
  ['503 claims that nothing was written', create, answer(503, { reason: 'ServiceUnavailable' }), 'refused'],
  ['429 likewise', create, answer(429), 'refused'],
  ['503 to a read tells nothing', read, answer(503), 'nothing'],
  ['504: the write may still happen', create, answer(504, { reason: 'Timeout' }), 'unknown'],
  ['504 to a read tells nothing', read, answer(504), 'nothing'],
  ['500 is a bug', create, answer(500), 'unexpected'],
  ['401 is a bug: the token is valid', create, answer(401), 'unexpected'],
  ['the connection was refused', create, new TransportError('refused', 'no'), 'refused'],
  ['the connection broke', create, new TransportError('reset', 'unknown'), 'unknown'],
  ['the client gave up', create, new Error('deadline'), 'unknown'],
  ['a read without an answer tells nothing', read, new TransportError('reset', 'unknown'), 'nothing'],
]

for (const [name, action, given, want] of cases) {
  test(`outcome: ${name}`, () => {
    const decided = decideOutcome(action, 'k', given, (body) => body.spec.colour)
    assert.equal(decided === 'nothing' ? decided : decided.is, want)
  })
}
