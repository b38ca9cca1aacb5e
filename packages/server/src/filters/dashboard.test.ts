import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type RequestContext, YamlReader } from '../handlers/index.ts'
import { dashboard } from './dashboard.ts'
import { parseRequestInfo } from './request-info.ts'

const { clock } = new Simulation('dashboard').process('a')
const signal = new AbortController().signal
const answer = (text: string): HttpResponse => ({ status: 200, headers: {}, body: Buffer.from(text) })

const cases: ReadonlyArray<[target: string, want: 'file' | 'goes on']> = [
  ['/dashboard', 'file'],
  ['/dashboard/', 'file'],
  ['/dashboard?x=1', 'file'],
  ['/dashboard/agreement/beacons.lighthouse.example.dev', 'file'],
  // They name no file, and go nowhere: the files answer, and nothing behind them.
  ['/dashboard/../api/v1/secrets', 'file'],
  ['/dashboard/%2e%2e/api/v1/secrets', 'file'],
  ['/dashboards', 'goes on'],
  ['/Dashboard/', 'goes on'],
  ['//dashboard/', 'goes on'],
  ['/%64ashboard/', 'goes on'],
  ['/api/v1/secrets', 'goes on'],
  ['/api/../dashboard/', 'goes on'],
  ['/api/v1/namespaces/default/services/a/proxy/dashboard/', 'goes on'],
  ['http://127.0.0.1/dashboard/', 'goes on'],
  ['*', 'goes on'],
]
for (const [target, want] of cases) {
  test(`dashboard: ${target} ${want === 'file' ? 'is a file' : want}`, async () => {
    const context: RequestContext = {
      request: { method: 'GET', target, headers: {}, signal },
      info: parseRequestInfo('GET', target),
      ...{ signal, user: undefined, resource: undefined, auditId: 'id', warnings: [] },
      yaml: new YamlReader(clock),
    }
    const { body } = await dashboard(async () => answer('file'))(context, async () => answer('goes on'))
    assert.equal(String(body), want)
  })
}
