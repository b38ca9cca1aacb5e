import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@strata/api'
import { DeadlineExceeded, TransportError } from '@strata/world'
import * as errors from './errors.ts'

type Predicate = Exclude<Extract<keyof typeof errors, `is${string}` | 'mayHaveActed'>, 'isAbsence'>

const api = (code: number, reason = ''): ApiError => new ApiError(code, reason, 'text')

/** Every predicate that is true for the failure; all others are false. */
const cases: readonly (readonly [name: string, failure: unknown, ...holds: Predicate[]])[] = [
  ['a redirect', api(302), 'isRefused', 'isRequestFailure'],
  ['400', api(400), 'isBadRequest', 'isRefused', 'isRequestFailure'],
  ['401', api(401), 'isUnauthorized', 'isRefused', 'isRequestFailure'],
  ['403', api(403), 'isForbidden', 'isNotFoundOrForbidden', 'isNotOffered', 'isRefused', 'isRequestFailure'],
  ['404', api(404), 'isNotFound', 'isNotFoundOrForbidden', 'isNotOffered', 'isRefused', 'isRequestFailure'],
  ['405', api(405), 'isMethodNotAllowed', 'isNotOffered', 'isRefused', 'isRequestFailure'],
  ['406', api(406), 'isFormatUnsupported', 'isRefused', 'isRequestFailure'],
  ['408', api(408), 'isTimeout', 'isTransient', 'mayHaveActed', 'isRequestFailure'],
  ['409', api(409), 'isConflict', 'isRequestFailure'],
  ['410', api(410), 'isGone', 'isExpired', 'isRefused', 'isRequestFailure'],
  ['Expired without 410', api(400, 'Expired'), 'isBadRequest', 'isExpired', 'isRefused', 'isRequestFailure'],
  ['413', api(413), 'isTooLarge', 'isRefused', 'isRequestFailure'],
  ['415', api(415), 'isFormatUnsupported', 'isRefused', 'isRequestFailure'],
  ['422', api(422), 'isInvalid', 'isRefused', 'isRequestFailure'],
  ['429', api(429), 'isTooManyRequests', 'isTransient', 'isRequestFailure'],
  ['500', api(500), 'isInternalError', 'isServerError', 'isTransient', 'mayHaveActed', 'isRequestFailure'],
  ['502', api(502), 'isServerError', 'isTransient', 'mayHaveActed', 'isRequestFailure'],
  ['503', api(503), 'isUnavailable', 'isServerError', 'isTransient', 'mayHaveActed', 'isRequestFailure'],
  ['504', api(504), 'isTimeout', 'isServerError', 'isTransient', 'mayHaveActed', 'isRequestFailure'],
  ['not reached', new TransportError('refused', 'no'), 'isUnanswered', 'isTransient', 'isRequestFailure'],
  [
    'a lost answer',
    new TransportError('reset', 'unknown'),
    ...(['isUnanswered', 'isTransient', 'mayHaveActed', 'isRequestFailure'] as const),
  ],
  [
    'our own deadline',
    new DeadlineExceeded('1 s'),
    ...(['isTimeout', 'isUnanswered', 'isTransient', 'mayHaveActed', 'isRequestFailure'] as const),
  ],
  [
    'an unreadable answer',
    new errors.MalformedAnswer('not JSON'),
    ...(['isUnanswered', 'mayHaveActed', 'isRequestFailure'] as const),
  ],
  ['a bug', new TypeError('x is undefined'), 'mayHaveActed'],
  ['an abort', new DOMException('aborted', 'AbortError'), 'mayHaveActed'],
  [
    'an error with a code of its own',
    Object.assign(new Error('x'), { code: 404, status: 404 }),
    'mayHaveActed',
  ],
  ['nothing', undefined, 'mayHaveActed'],
  ['a raw 200', { status: 200 }, 'isSuccess', 'mayHaveActed'],
  ['a raw 299', { status: 299 }, 'isSuccess', 'mayHaveActed'],
  ['a raw 300', { status: 300 }, 'mayHaveActed'],
  ['a raw 401', { status: 401 }, 'isUnauthorized', 'mayHaveActed'],
  ['a raw 503', { status: 503 }, 'isUnavailable', 'isServerError', 'isTransient', 'mayHaveActed'],
]

const functions: Readonly<Record<Predicate, (failure: unknown) => boolean>> = errors
const predicates = Object.keys(errors).filter(
  (name): name is Predicate => /^is|^mayHaveActed$/.test(name) && name !== 'isAbsence',
)

for (const [name, failure, ...holds] of cases) {
  test(`errors: ${name}`, () =>
    assert.deepEqual(predicates.filter((each) => functions[each](failure)).sort(), [...holds].sort()))
}

test('errors: every predicate is true for some case', () => {
  const seen = new Set(cases.flatMap(([, , ...holds]) => holds))
  assert.deepEqual(
    predicates.filter((each) => !seen.has(each)),
    [],
  )
})

test('errors: the text of a proxy is the message, without the end of its line', () => {
  const { code, message } = errors.errorOfAnswer(503, 'service unavailable\n', undefined)
  assert.deepEqual([code, message], [503, 'service unavailable'])
})
