import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiError,
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  internalError,
  methodNotAllowed,
  notFound,
  notFoundPath,
  objectModified,
  outcomeUnknown,
  serviceUnavailable,
  timeout,
  tooLarge,
  unauthorized,
  unsupportedMediaType,
} from '@strata/api'
import { MalformedAnswer } from '@strata/client'
import { DeadlineExceeded, TransportError } from '@strata/world'
import { classifyError } from './classify-error.ts'
import { classifyListError } from './classify-list-error.ts'

const things = { group: 'example.dev', resource: 'things' }
const namespaces = { group: '', resource: 'namespaces' }
const reference = { namespace: 'default', name: 'one' }
const hook = 'admission webhook "a.example.dev" denied the request: no'
const policy = `things.example.dev "one" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`
const terminating = new ApiError(403, 'Forbidden', 'being terminated', {
  causes: [{ reason: 'NamespaceTerminating', message: 'namespace default is being terminated' }],
})
const storeRead = new ApiError(
  500,
  'StorageReadError',
  'stored as v1alpha1, which this release cannot decode',
)
// As kube-apiserver puts it.
const unknownKey = internalError(
  'unable to transform key "/registry/secrets/default/one": no matching prefix found',
)
const goneVersion = internalError('request to convert CR from an invalid group/version: example.dev/v1')

type Row = readonly [name: string, error: unknown, verdict: string]
const cases: readonly Row[] = [
  ['the object is gone', notFound(things, 'one'), 'forget'],
  ['another object is gone', notFound(things, 'two'), 'retry NotServed, then abort'],
  ['the resource is gone, or not known to this server', notFoundPath(), 'retry NotServed, then abort'],
  ['a 404 of a proxy', new ApiError(404, '', 'no such page'), 'retry NotServed, then abort'],
  ['Q8: its namespace is gone', notFound(namespaces, 'default'), 'look NamespaceGone'],
  ['its namespace is going', terminating, 'look NamespaceTerminating'],
  ['another client was faster', objectModified(things, 'one'), 'read again'],
  [
    'a quota was written by another',
    conflict({ group: '', resource: 'resourcequotas' }, 'q', 'modified'),
    'read again',
  ],
  ['it exists already', alreadyExists(things, 'one'), 'read again'],
  ['a webhook denies it', new ApiError(403, 'Forbidden', hook), 'quarantine Denied'],
  ['a webhook denies it with a code of its own', new ApiError(409, 'Conflict', hook), 'quarantine Denied'],
  [
    'a webhook denies it with the code of a storm',
    new ApiError(429, 'TooManyRequests', hook),
    'quarantine Denied',
  ],
  ['a webhook denies it with the code of a failure', new ApiError(500, '', hook), 'quarantine Denied'],
  ['a policy denies it', new ApiError(422, 'Invalid', policy), 'quarantine Denied'],
  ['a plugin denies it', forbidden(things, 'one', 'exceeded quota: q'), 'quarantine Denied'],
  ['we may not', forbidden(things, 'one', 'User "m" cannot patch resource "things"'), 'fall back Forbidden'],
  ['we are not authenticated', unauthorized(), 'retry Unauthorized, then abort'],
  [
    'a webhook is down',
    internalError('failed calling webhook "a.example.dev": refused'),
    'retry WebhookUnavailable',
  ],
  [
    'a webhook is down, in newer words',
    internalError('failed to call webhook: refused'),
    'retry WebhookUnavailable',
  ],
  [
    'a conversion webhook is down',
    internalError('conversion webhook for g/v1, Kind=A failed: refused'),
    'retry ConversionFailed',
  ],
  ['it cannot be decoded', storeRead, 'quarantine Undecodable'],
  [
    'it cannot be decoded, elsewhere',
    internalError('no kind "A" is registered for version "g/v0"'),
    'quarantine Undecodable',
  ],
  [
    'it cannot be decoded, as a kube-apiserver with its gate says it',
    internalError('StorageError: corrupt object, Code: 7, object not decodable revision=253: unexpected EOF'),
    'quarantine Undecodable',
  ],
  [
    'it cannot be decrypted, as a kube-apiserver with its gate says it',
    internalError('StorageError: corrupt object, Code: 7, object not transformable revision=2: no bytes'),
    'retry Undecodable',
  ],
  ['it is under a key that the server does not have', unknownKey, 'retry Undecodable'],
  ['it is in a version that its definition no longer has', goneVersion, 'quarantine Undecodable'],
  ['it is invalid by the rules of today', new ApiError(422, 'Invalid', 'is invalid'), 'fall back Invalid'],
  ['a bad request', badRequest('no'), 'quarantine Invalid'],
  [
    'no rehearsals with this webhook',
    badRequest('admission webhook "a" does not support dry run'),
    'quarantine NoDryRun',
  ],
  ['no patch here', methodNotAllowed(), 'fall back Unsupported'],
  ['no such patch here', unsupportedMediaType([]), 'fall back Unsupported'],
  ['no such answer here', new ApiError(406, 'NotAcceptable', 'no'), 'fall back Unsupported'],
  ['it has become too large', tooLarge(3), 'quarantine TooLarge'],
  [
    'it has become too large for the store',
    internalError('etcdserver: request is too large'),
    'quarantine TooLarge',
  ],
  ['too many requests', new ApiError(429, 'TooManyRequests', 'later'), 'slow down Throttled'],
  ['unavailable', serviceUnavailable('no leader'), 'slow down Unavailable'],
  ['a gate that is closed for a moment', serviceUnavailable('wait', 1), 'slow down Unavailable'],
  ['it took too long', timeout('too long'), 'retry Unavailable'],
  ['it took too long in old words', new ApiError(500, 'ServerTimeout', 'too long'), 'retry Unavailable'],
  ['the outcome is unknown', outcomeUnknown('lost'), 'retry Unavailable'],
  ['some failure', internalError('oops'), 'retry Unavailable'],
  ['a proxy without a server', new ApiError(502, '', 'bad gateway'), 'retry Unavailable'],
  ['a request that timed out', new ApiError(408, '', 'request timeout'), 'retry Unavailable'],
  ['gone, in other words', new ApiError(410, 'Gone', 'gone'), 'look Unexpected'],
  ['a code of the five hundreds that is unknown', new ApiError(599, '', ''), 'retry Unavailable'],
  ['a code of the four hundreds that is unknown', new ApiError(418, '', ''), 'quarantine Unexpected'],
  ['the connection was refused', new TransportError('refused', 'no'), 'retry Unavailable'],
  ['the connection was reset', new TransportError('reset', 'unknown'), 'retry Unavailable'],
  ['no answer in time', new DeadlineExceeded('late'), 'retry Unavailable'],
  ['an answer that cannot be read', new MalformedAnswer('<html>'), 'retry Unavailable'],
]
for (const [name, error, wanted] of cases) {
  test(`a write fails: ${name}: ${wanted}`, () => {
    const verdict = classifyError(error, things, reference)
    const reason = 'reason' in verdict ? ` ${verdict.reason}` : ''
    const end = 'inTheEnd' in verdict && verdict.inTheEnd === 'abort' ? ', then abort' : ''
    assert.equal(`${verdict.do}${reason}${end}`, wanted)
  })
}

test('a write fails: a bug is no verdict', () => {
  assert.throws(() => classifyError(new TypeError('x'), things, reference), TypeError)
})

const withToken = new ApiError(410, 'Expired', 'too old', undefined, 'rest')
const lists: readonly Row[] = [
  ['410 with a token', withToken, 'go on'],
  ['410 without one', new ApiError(410, 'Expired', 'too old'), 'begin anew'],
  ['a token that is not understood any more', badRequest('invalid continue token: x'), 'begin anew'],
  ['another bad request', badRequest('no'), 'abort'],
  ['we may not', forbidden(things, '', 'User "m" cannot list resource "things"'), 'abort'],
  ['it cannot be listed', methodNotAllowed(), 'abort'],
  ['not served, yet or any more', notFoundPath(), 'retry briefly'],
  ['we are not authenticated', unauthorized(), 'retry briefly'],
  ['too many requests', new ApiError(429, 'TooManyRequests', 'later'), 'retry'],
  ['unavailable', serviceUnavailable('no'), 'retry'],
  ['it took too long', timeout('too long'), 'retry smaller'],
  ['one of them cannot be converted', internalError('conversion webhook for x failed'), 'retry smaller'],
  ['one of them cannot be decoded', storeRead, 'abort'],
  ['one of them is under a key that the server does not have', unknownKey, 'retry briefly'],
  ['one of them is in a version that its definition no longer has', goneVersion, 'abort'],
  ['the answer would be too large', tooLarge(3), 'retry smaller'],
  ['no answer in time', new DeadlineExceeded('late'), 'retry smaller'],
  ['the connection was reset', new TransportError('reset', 'unknown'), 'retry'],
  ['an answer that cannot be read', new MalformedAnswer('<html>'), 'retry'],
  [
    'this server cannot decode what is stored, another may',
    serviceUnavailable(
      'not served by this server: 3 objects are stored as v1, which release x cannot decode',
    ),
    'retry',
  ],
]
for (const [name, error, wanted] of lists) {
  test(`a page fails: ${name}: ${wanted}`, () => {
    const verdict = classifyListError(error)
    const smaller = 'smaller' in verdict && verdict.smaller ? ' smaller' : ''
    assert.equal(`${verdict.do}${smaller}${'isBrief' in verdict ? ' briefly' : ''}`, wanted)
  })
}

test('a page fails: a bug is no verdict', () => {
  assert.throws(() => classifyListError(new TypeError('x')), TypeError)
})
