import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { MigrationMetrics, TriggerMetrics } from '@strata/controllers'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { call, createFleetServer } from '../support/fleet.ts'

/** `name` and type of each metric family, in the order of their names. */
const sorted = (families: Iterable<readonly [name: string, type: string]>): readonly string[] =>
  [...families].map(([name, type]) => `${name}: ${type}`).sort()

/** From the text that Prometheus reads. A family without series has its head all the same. */
const served = (text: string): readonly string[] =>
  sorted(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const),
  )

/** From the rows of one section of the page: `| name | type: labels | … |`. */
async function documented(section: RegExp): Promise<readonly string[]> {
  const page = await readFile(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8')
  const rows = page
    .split(/^## /m)
    .filter((text) => section.test(text))
    .join('\n')
  return sorted(
    [...rows.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram)/gm)].map(
      ([, name = '', type = '']) => [name, type] as const,
    ),
  )
}

test('docs/metrics.md lists every metric of a server, with its type, and no other', async () => {
  const simulation = new Simulation('documented-metrics')
  const server = createFleetServer({
    world: simulation.process('a'),
    store: createMemoryStore(new MemoryData()),
    instance: 'a',
    release: 'x+1',
  })
  await simulation.settle(server.start(new AbortController().signal))
  const { body } = await simulation.settle(call(server.handle, 'GET', '/metrics'))
  assert.deepEqual(await documented(/^(?:Agreement|The store|Upstream's names)\n/), served(String(body)))
})

test('docs/metrics.md lists every metric of the controllers, with its type, and no other', async () => {
  const text = new MigrationMetrics().text() + new TriggerMetrics().text()
  assert.deepEqual(await documented(/^Migrations\n/), served(text))
})
