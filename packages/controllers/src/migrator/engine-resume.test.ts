import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeout } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { run, summary } from './engine-for-test.ts'
import { FakeCluster, type Published } from './fake-cluster-for-test.ts'
import type { Control } from './progress/halt.ts'
import { resumeOfStatus, statusOfReport } from './progress/migration-status.ts'
import type { Progress } from './progress/progress.ts'

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

// Otherwise: killed in the first pass; all servers go to another release and come back, the last of them a moment ago, with
// writes of the old version still on their way; the hash is what it was, and the run goes on at once.
const waits: readonly (readonly [published: Published, isAgain: boolean, why: string])[] = [
  ['hash', true, 'a hash may have come back'],
  ['definition', false, 'its generation has not moved'],
  ['storageversion', false, 'its resourceVersion has not moved'],
]
for (const [published, isAgain, why] of waits) {
  test(`engine: rule 14: by ${published}, a run that is gone on with ${isAgain ? 'waits again' : 'need not wait again'}: ${why}`, async () => {
    const cluster = new FakeCluster(published)
    cluster.fill(count)
    const simulation = new Simulation('held again')
    const limits = { pageSize: 10, startParallelism: 1, maxParallelism: 1 }
    const control: Control = () => (cluster.count('PATCH') >= 15 ? 'pause' : 'run')
    const first = await run(cluster, { simulation, limits, control, stoodForMs: 0 })
    assert.deepEqual([first.result.outcome, first.tookMs >= 70_000], ['paused', true])
    const { resume } = first.result
    assert.ok(resume.ledger.continueToken !== undefined)
    const { result, tookMs } = await run(cluster, { simulation, limits, resume, stoodForMs: 0 })
    assert.deepEqual([result.outcome, tookMs >= 70_000], ['succeeded', isAgain])
  })
}

const counts = ({ settled, migrated, alreadyCurrent, percent = 0 }: Progress): readonly number[] => [
  ...[settled, migrated, alreadyCurrent, percent],
]

// One object that is tried again later keeps the place to go on from in the first page, with eight pages done behind it.
test('engine: gone on with, it tells of no less than before, stopped twice, and in the end of what was done', async () => {
  const cluster = new FakeCluster()
  for (let index = 0; index < 60; index++) cluster.fill(1, index % 3 === 0 ? 'v2' : 'v1', index)
  const simulation = new Simulation('no less')
  const limits = { pageSize: 10, startParallelism: 1, maxParallelism: 1, tries: 1_000 }
  cluster.fault = ({ method, path }) =>
    method === 'PATCH' && path.includes('o-00001') ? timeout('later') : undefined
  const stopAfter = async (patches: number, resume?: Parameters<typeof run>[1]) => {
    const endAt = cluster.count('PATCH') + patches
    const control: Control = () => (cluster.count('PATCH') >= endAt ? 'pause' : 'run')
    const { result } = await run(cluster, { simulation, limits, control, ...resume })
    assert.equal(result.outcome, 'paused')
    return result
  }
  const resumeFrom = (result: Awaited<ReturnType<typeof stopAfter>>) => {
    const resume = resumeOfStatus(cluster.resource, JSON.parse(JSON.stringify(statusOfReport(result))))
    assert.deepEqual([resume, resume?.ledger.continueToken], [result.resume, undefined])
    return { resume }
  }
  const first = await stopAfter(45)
  const second = await stopAfter(15, resumeFrom(first))
  assert.deepEqual(counts(second.progress), counts(first.progress), 'all of it was looked at again')
  const { clock } = simulation.process('server')
  cluster.fault = ({ method }) =>
    method === 'PATCH' ? new Promise((done) => clock.after(5, () => done(undefined))) : undefined
  const seen: Progress[] = [second.progress]
  const { result } = await run(cluster, {
    ...{ simulation, limits: { ...limits, progressEveryMs: 1 }, ...resumeFrom(second) },
    onProgress: ({ progress }) => seen.push(progress),
  })
  const firstPass = seen.filter(({ pass }) => pass === 1).map(counts)
  assert.ok(firstPass.length > 2)
  firstPass.reduce((before, after) => {
    assert.ok(
      before.every((each, index) => each <= (after[index] ?? 0)),
      `${before} became ${after}`,
    )
    return after
  })
  const done = { migrated: 40, alreadyCurrent: 20, gone: 0, quarantined: 0 }
  assert.deepEqual(summary(result), ['succeeded', 'observed clean', done])
})
