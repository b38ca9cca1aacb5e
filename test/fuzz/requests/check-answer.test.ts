import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAnswer } from './check-answer.ts'
import type { FuzzAnswer, FuzzRequest } from './fuzz-server.ts'

const request = (as: string, method: string, target: string): FuzzRequest => ({
  ...{ as, method, target, headers: {}, body: '' },
})
const answer = (status: number, more: Partial<FuzzAnswer> = {}): FuzzAnswer => ({
  ...{ status, contentType: 'text/plain', text: '', isCut: false, written: [] },
  ...more,
})
const maps = '/api/v1/namespaces/default/configmaps'
const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/a'
const leaseKey = ['/registry/leases/default/a']

const cases: ReadonlyArray<readonly [name: string, FuzzRequest, FuzzAnswer, problem?: RegExp]> = [
  ['the reader lists what its role names', request('reader', 'GET', maps), answer(200)],
  ['the reader watches it', request('reader', 'GET', `${maps}?watch=true`), answer(200)],
  [
    'the reader lists another namespace',
    request('reader', 'GET', '/api/v1/namespaces/a/configmaps'),
    answer(200),
    /^without rights, reader got 200/,
  ],
  [
    'the reader lists all namespaces',
    request('reader', 'GET', '/api/v1/configmaps'),
    answer(200),
    /^without rights/,
  ],
  [
    'the reader lists secrets',
    request('reader', 'GET', '/api/v1/namespaces/default/secrets'),
    answer(200),
    /^without rights/,
  ],
  [
    'the reader learns what does not exist',
    request('reader', 'GET', '/api/v1/namespaces/default/secrets/a'),
    answer(404),
    /^without rights, reader got 404/,
  ],
  ['the reader writes', request('reader', 'POST', maps), answer(201), /^without rights/],
  ['the reader is refused', request('reader', 'POST', maps), answer(403)],
  [
    'the reader is refused, and yet a lease is written',
    request('reader', 'DELETE', lease),
    answer(403, { written: leaseKey }),
    /^without rights, reader wrote/,
  ],
  [
    'the reader asks what it may do',
    request('reader', 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'),
    answer(201),
  ],
  ['the reader discovers', request('reader', 'GET', '/apis/apps/v1'), answer(200)],
  [
    'no user discovers',
    request('anonymous', 'GET', '/apis/apps/v1'),
    answer(200),
    /^without rights, anonymous/,
  ],
  ['no user reads', request('anonymous', 'GET', maps), answer(200), /^without rights/],
  ['no user asks for health', request('anonymous', 'GET', '/readyz'), answer(200)],
  ['the administrator writes a lease', request('admin', 'DELETE', lease), answer(200, { written: leaseKey })],
  [
    'a dry run writes a lease',
    request('admin', 'DELETE', `${lease}?dryRun=All`),
    answer(200, { written: leaseKey }),
    /^the dry run/,
  ],
  ['a read writes a lease', request('admin', 'GET', lease), answer(200, { written: leaseKey }), / wrote /],
  [
    'an error of the server',
    request('admin', 'GET', maps),
    answer(500, { text: 'x is undefined' }),
    /^answers 500/,
  ],
  [
    'an error that kube-apiserver answers too',
    request('admin', 'GET', maps),
    answer(500, { text: 'strconv.ParseUint: parsing "a": invalid syntax' }),
  ],
]
for (const [name, sent, got, problem] of cases) {
  test(`fuzz: check of an answer: ${name}`, () => {
    if (problem) assert.throws(() => checkAnswer(sent, got), { name: 'WrongAnswer', message: problem })
    else checkAnswer(sent, got)
  })
}
