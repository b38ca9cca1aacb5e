import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceUnavailable } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { run } from '../engine-for-test.ts'
import { FakeCluster } from '../fake-cluster-for-test.ts'
import type { ProgressReport } from '../progress/progress-reporter.ts'

const isWrite = (method: string): boolean => method === 'PATCH' || method === 'PUT'
const refusal = 'things are not served by this server: 3 objects are stored as v1, which it cannot decode'
const refusedWays: readonly (readonly [
  what: string,
  isRefused: (method: string, query: URLSearchParams) => boolean,
])[] = [
  ['writes', isWrite],
  ['lists', (method, query) => method === 'GET' && query.has('limit')],
]
for (const [what, isRefused] of refusedWays) {
  test(`engine: M8: ${what} are refused for minutes: the reason is reported within seconds, once, until it passes`, async () => {
    const cluster = new FakeCluster()
    const simulation = new Simulation(what)
    cluster.fill(3)
    cluster.fault = ({ method, query }) => {
      const answer = isRefused(method, query) && simulation.nowMs < 120_000
      return answer ? serviceUnavailable(refusal) : undefined
    }
    const reported: [atMs: number, waitingFor: string | undefined][] = []
    const onProgress = ({ waitingFor }: ProgressReport): void => {
      if (reported.length === 0 || reported.at(-1)?.[1] !== waitingFor)
        reported.push([simulation.nowMs, waitingFor])
    }
    const { result } = await run(cluster, { simulation, onProgress })
    assert.equal(result.outcome, 'succeeded')
    const said = reported.filter(([, text]) => text !== undefined)
    assert.deepEqual(
      said.map(([, text]) => text),
      [refusal],
    )
    assert.ok((said[0]?.[0] ?? Number.NaN) < 10_000, `after ${said[0]?.[0]} ms`)
    assert.equal(reported.at(-1)?.[1], undefined)
    assert.equal(result.waitingFor, undefined)
  })
}
