import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, InvariantBroken, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { runCollectors } from './run-collectors.ts'

// Otherwise: an unhandled rejection ends the API server, then the next one that leads, and so all of them.
test('a bug in a collector is logged, and the collectors run again', async () => {
  const lines: string[] = []
  const simulation = new Simulation('collectors', { onLine: (line) => lines.push(line) })
  const world = simulation.process('a')
  const stop = new AbortController()
  let terms = 0
  const collect = (): Promise<void> => {
    terms += 1
    if (terms === 1) return Promise.reject(new InvariantBroken('a Lease without a name'))
    stop.abort()
    return Promise.resolve()
  }
  const handle = (): Promise<HttpResponse> =>
    Promise.resolve({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: utf8.encode('{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system"}}'),
    })
  const loopback = { token: 't', tokens: () => undefined }
  await simulation.settle(runCollectors({ handle }, loopback, world, stop.signal, collect))
  assert.equal(terms, 2)
  assert.ok(lines.some((line) => line.includes('a Lease without a name')))
})
