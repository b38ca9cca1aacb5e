import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { AccessUndecided, type Authorizer, alwaysAllow, alwaysDeny } from '../authorization/index.ts'
import { type RequestContext, YamlReader } from '../handlers/index.ts'
import { authorization } from './authorization.ts'

const { signal } = new AbortController()
const { clock } = new Simulation('authorization').process('a')

async function seen(authorizer: Authorizer): Promise<string> {
  const context: RequestContext = {
    request: { method: 'GET', target: '/a?b=<c>&d', headers: {}, signal },
    info: { path: '/a', query: new URLSearchParams(), verb: 'get', target: undefined },
    user: { name: 'ann', groups: [] },
    ...{ signal, resource: undefined, auditId: 'id', warnings: [], yaml: new YamlReader(clock) },
  }
  const next = async () => ({ status: 200, headers: {}, body: utf8.encode('passed') })
  try {
    const { status, body } = await authorization(authorizer)(context, next)
    return `${status} ${utf8.decode(await readAll(body))}`
  } catch (error) {
    return String(error)
  }
}
const remote = (decide: Authorizer['authorize']): Authorizer => ({ ...alwaysDeny, authorize: decide })

const rows: ReadonlyArray<[name: string, authorizer: Authorizer, want: string]> = [
  ['allowed at once', alwaysAllow, '200 passed'],
  ['allowed after a while', remote(async () => ({ allowed: true, reason: '' })), '200 passed'],
  [
    'forbidden after a while',
    remote(async () => ({ allowed: false, reason: 'r' })),
    'ApiError: forbidden: User "ann" cannot get path "/a": r',
  ],
  [
    'undecided, in the words of upstream',
    remote(() => Promise.reject(new AccessUndecided('Post "https://agg": <refused>'))),
    '500 Internal Server Error: "/a?b=&lt;c&gt;&amp;d": Post "https://agg": &lt;refused&gt;\n',
  ],
  ['a bug', remote(() => Promise.reject(new Error('bug'))), 'Error: bug'],
]
for (const [name, authorizer, want] of rows) {
  test(`authorization filter: ${name}`, async () => assert.equal(await seen(authorizer), want))
}
