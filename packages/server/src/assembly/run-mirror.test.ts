import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpResponse, InvariantBroken, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type MirrorParts, runMirror } from './run-mirror.ts'

type Options = Parameters<NonNullable<MirrorParts['mirror']>>[0]

const namespace = '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":"u"}}'
const answer = (): Promise<HttpResponse> =>
  Promise.resolve({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: utf8.encode(namespace),
  })

test('a bug in the mirror is logged, and the mirror runs again', async () => {
  const lines: string[] = []
  const simulation = new Simulation('mirror', { onLine: (line) => lines.push(line) })
  const stop = new AbortController()
  const runs: Options[] = []
  const mirror = (options: Options): Promise<void> => {
    runs.push(options)
    if (runs.length === 1) return Promise.reject(new InvariantBroken('a record without a name'))
    stop.abort()
    return Promise.resolve()
  }
  const parts = { aggregator: answer, observe: () => {}, mirror }
  const world = simulation.process('a')
  await simulation.settle(runMirror({ handle: answer }, { token: 't' }, world, parts, stop.signal))
  assert.equal(runs.length, 2)
  assert.ok(lines.some((line) => line.includes('a record without a name')))
  // The aggregator has built-in groups itself, and its servers hold the StorageVersions of those.
  const isMirrored = (group: string): boolean =>
    runs[0]?.isMirrored({ group, resource: 'things' }) ?? assert.fail()
  assert.deepEqual(['', 'coordination.k8s.io', 'strata.dev', 'example.dev'].map(isMirrored), [
    false,
    false,
    false,
    true,
  ])
})
