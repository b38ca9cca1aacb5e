import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Progress } from '../migrator/index.ts'
import { MigrationMetrics } from './migration-metrics.ts'

const nodes = { group: '', resource: 'nodes' }
const at = (settled: number, more: Partial<Progress> = {}): Progress => ({
  ...{ pass: 1, total: 100, settled, migrated: settled, alreadyCurrent: 0, overtaken: 0, gone: 0 },
  ...{ quarantined: 0, ratePerSecond: 40, parallelism: 4, ...more },
})

/** Name and labels to value. */
function read(metrics: MigrationMetrics): ReadonlyMap<string, string> {
  const lines = metrics
    .text()
    .split('\n')
    .filter((each) => each !== '' && !each.startsWith('#'))
  return new Map(
    lines.map((each) => [each.slice(0, each.lastIndexOf(' ')), each.slice(each.lastIndexOf(' ') + 1)]),
  )
}

test("metrics: K11: upstream's names and labels, with what is left, which upstream never tells (X11)", () => {
  const metrics = new MigrationMetrics()
  const upstream = (name: string, more = '') =>
    read(metrics).get(`storage_migrator_core_migrator_${name}{resource="/v1, Resource=nodes"${more}}`)
  metrics.begin(nodes, '/v1, Resource=nodes')
  metrics.progress(nodes, at(30))
  assert.deepEqual([upstream('migrated_objects'), upstream('remaining_objects')], ['30', '70'])
  const ours = (name: string) => read(metrics).get(`strata_migration_${name}{group="",resource="nodes"}`)
  assert.deepEqual([ours('running'), ours('objects_per_second')], ['1', '40'])
  metrics.progress(nodes, at(100, { migrated: 60, alreadyCurrent: 38, gone: 1, quarantined: 1 }))
  assert.deepEqual([upstream('migrated_objects'), upstream('remaining_objects')], ['98', '0'])
  metrics.end(nodes, 'Failed')
  assert.deepEqual(
    [upstream('migrations', ',status="Failed"'), upstream('migrations', ',status="Succeeded"')],
    ['1', '0'],
  )
  assert.deepEqual(
    [ours('running'), ours('quarantined_objects'), upstream('remaining_objects')],
    ['0', '1', '1'],
  )
})

test('metrics: a counter never goes back, whatever a run begins anew', () => {
  const metrics = new MigrationMetrics()
  const migrated = () => read(metrics).get('storage_migrator_core_migrator_migrated_objects{resource="n"}')
  metrics.begin(nodes, 'n')
  metrics.progress(nodes, at(30))
  metrics.progress(nodes, at(10))
  assert.equal(migrated(), '30')
  metrics.progress(nodes, at(15))
  assert.equal(migrated(), '35')
  metrics.begin(nodes, 'n')
  metrics.progress(nodes, at(5))
  assert.equal(migrated(), '40')
})

test('metrics: a run that goes on counts what it does, and not once more what was done before', () => {
  const metrics = new MigrationMetrics()
  const migrated = () => read(metrics).get('storage_migrator_core_migrator_migrated_objects{resource="n"}')
  metrics.begin(nodes, 'n')
  metrics.progress(nodes, at(60))
  metrics.begin(nodes, 'n')
  metrics.resume(nodes, at(60))
  metrics.progress(nodes, at(65))
  assert.equal(migrated(), '65')
})
