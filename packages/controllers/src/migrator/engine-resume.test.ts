import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { run } from './engine-for-test.ts'
import { FakeCluster } from './fake-cluster-for-test.ts'

const count = 40

// Otherwise: paused in its second pass; a server of another release writes an object that the pass is already behind, and
// goes; the hash is what it was, the rest of the pass finds nothing, and "observed clean" is said with that object in v1.
test('engine: X4: what was written behind a verifying pass while it stood still is found', async () => {
  const cluster = new FakeCluster('hash')
  cluster.fill(count)
  const simulation = new Simulation('resume')
  const limits = { pageSize: 10, startParallelism: 1, maxParallelism: 1 }
  const isInSecondPass = (): boolean => cluster.count('PATCH') >= count + 25
  const paused = await run(cluster, {
    ...{ simulation, limits },
    control: () => (isInSecondPass() ? 'pause' : 'run'),
  })
  const { resume } = paused.result
  assert.deepEqual([paused.result.outcome, resume.finished.length], ['paused', 1])
  assert.ok(resume.ledger.continueToken !== undefined, 'it stands in the middle of the pass')
  cluster.put('o-00000', 'v1')
  const { result } = await run(cluster, { ...{ simulation, limits, resume } })
  assert.deepEqual([result.outcome, result.proof], ['succeeded', 'observed clean'])
  assert.equal(cluster.countIn('v1'), 0)
})
