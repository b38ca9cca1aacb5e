import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type RequestContext, YamlReader } from '../handlers/index.ts'
import { refuseOtherPages } from './refuse-other-pages.ts'
import { parseRequestInfo } from './request-info.ts'

const { clock } = new Simulation('pages').process('a')
const signal = new AbortController().signal
const passed: HttpResponse = { status: 200, headers: {}, body: new Uint8Array() }

const cases: ReadonlyArray<
  [name: string, method: string, headers: Record<string, string>, isRefused: boolean]
> = [
  ['kubectl', 'POST', {}, false],
  ['the dashboard', 'PATCH', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, false],
  ['a typed address', 'GET', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, false],
  ['a link on another site', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, false],
  ['a form on another site', 'POST', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, true],
  ['a script on another site', 'POST', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, true],
  ['another port of this host', 'POST', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, true],
  ['a picture on another site', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, true],
  [
    'a WebSocket of another site',
    'GET',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'websocket' },
    true,
  ],
  ['a page that has a token', 'GET', { 'sec-fetch-site': 'cross-site', authorization: 'Bearer a' }, false],
  ['a proxy of another page', 'POST', { 'sec-fetch-site': 'cross-site', 'x-forwarded-for': '::1' }, false],
]
for (const [name, method, headers, isRefused] of cases) {
  test(`other pages: ${name} ${isRefused ? 'is refused' : 'goes on'}`, async () => {
    const target = '/api/v1/namespaces'
    const context: RequestContext = {
      request: { method, target, headers, signal },
      info: parseRequestInfo(method, target),
      ...{ signal, user: undefined, resource: undefined, auditId: 'id', warnings: [] },
      yaml: new YamlReader(clock),
    }
    const answer = async () => refuseOtherPages(context, async () => passed)
    if (isRefused) await assert.rejects(answer, { code: 403, message: /page of another site/ })
    else assert.equal(await answer(), passed)
  })
}
