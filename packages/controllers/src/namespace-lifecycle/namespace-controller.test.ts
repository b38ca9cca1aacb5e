import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namespaces } from '@strata/api'
import { createClient } from '@strata/client'
import { createLog, type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createNamespaceLifecycle } from './namespace-controller.ts'

const { signal } = new AbortController()

test('namespace: what keeps it is logged when it changes, not with every look', async () => {
  let kept: Record<string, unknown> = {
    metadata: { name: 'gone', deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { finalizers: ['kubernetes'] },
  }
  let stale = ['shop.dev']
  const groups = () =>
    stale.map((name) => ({ metadata: { name }, versions: [{ version: 'v1', freshness: 'Stale' }] }))
  const transport = async ({ method, target, body }: HttpRequest): Promise<HttpResponse> => {
    const isDiscovery = target === '/api' || target === '/apis'
    if (method === 'PUT' && body instanceof Uint8Array) kept = JSON.parse(utf8.decode(body))
    const json = isDiscovery
      ? { kind: 'APIGroupDiscoveryList', items: target === '/apis' ? groups() : [] }
      : kept
    return { status: 200, headers: {}, body: utf8.encode(JSON.stringify(json)) }
  }
  const client = createClient({ transport })
  const lines: string[] = []
  const { clock } = new Simulation('namespace log').process('controllers')
  const { reconcile } = createNamespaceLifecycle({
    ...{ client, namespaces: client.resource(namespaces, 'v1'), clock },
    log: createLog((level, _, { do: what, because }) => lines.push(`${level} ${what}: ${because}`)),
  })
  const looked = async (): Promise<string[]> => {
    await reconcile('gone', signal)
    return lines.splice(0)
  }
  const why = (name: string): string => `wait: ${name}/v1: stale GroupVersion discovery`
  assert.deepEqual(await looked(), [`info ${why('shop.dev')}`])
  assert.deepEqual(await looked(), [`debug ${why('shop.dev')}`])
  assert.deepEqual(await looked(), [`debug ${why('shop.dev')}`])
  stale = ['depot.dev']
  assert.deepEqual(await looked(), [`info ${why('depot.dev')}`])
  assert.deepEqual(await looked(), [`debug ${why('depot.dev')}`])
  stale = []
  assert.deepEqual(await looked(), ['info finish: it is empty'])
})
