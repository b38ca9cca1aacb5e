import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@strata/client'
import { Simulation } from '@strata/world/sim'
import type { ApiServers } from '../../connection/api-servers/api-servers.ts'
import type { CliContext } from '../../context.ts'
import type { Cluster } from '../resources/cluster.ts'
import { observeServers } from './observe-elsewhere.ts'

const loadedText =
  'apiserver_encryption_config_controller_last_config_info{apiserver_id_hash="sha256:a",hash="sha256:h"} 1'

const rows: readonly [
  kind: ApiServers['kind'],
  metrics: readonly string[],
  withoutMetric: readonly string[],
  loaded: number,
][] = [
  ['servers', [loadedText], [], 1],
  ['servers', [loadedText, 'up 1'], ['the API server s1'], 1],
  ['samples', ['up 1', 'up 1'], ['each API server that has none'], 0],
]
for (const [kind, metrics, withoutMetric, loaded] of rows) {
  test(`the files of servers: ${kind}, without the metric: ${withoutMetric.join(', ') || 'none'}`, async () => {
    const list = async () => ({ items: [{ metadata: { name: 'apiserver-a' } }] })
    const servers = metrics.map((text, i) => ({ name: `s${i}`, client: { metrics: async () => text } }))
    const cluster = {
      client: { resource: () => ({ list }) } as unknown as Client,
      servers: async () => ({ kind, servers, unasked: [] }),
    } as unknown as Cluster
    const simulation = new Simulation('servers')
    const context = { world: simulation.process('cli'), signal: new AbortController().signal }
    const seen = await simulation.settle(observeServers(cluster, context as unknown as CliContext))
    assert.deepEqual([seen.withoutMetric, seen.loaded.length], [withoutMetric, loaded])
    assert.equal(seen.blind.length, withoutMetric.length)
  })
}
