import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, methodNotAllowed } from '@strata/api'
import { TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { run, summary } from './engine-for-test.ts'
import { FakeCluster, type Fault } from './fake-cluster-for-test.ts'

// Rewrites without an answer: a pass in which one may have happened is not clean.

const one = 'o-00001'
const isWrite = (method: string): boolean => method === 'PATCH' || method === 'PUT'
const isFirstPage: (asked: Parameters<Fault>[0]) => boolean = ({ method, path, query }) =>
  method === 'GET' && path.endsWith('/things') && query.has('limit') && !query.has('continue')

/** A cluster of which one server lags: between two passes it writes one object as it was written before. */
function lagging(
  passes: number,
  count = 20,
): { cluster: FakeCluster; simulation: Simulation; pass: () => number } {
  const cluster = new FakeCluster()
  cluster.fill(count)
  let pass = 0
  cluster.fault = (asked) => {
    if (isFirstPage(asked) && ++pass > 1 && pass <= passes) cluster.put(one, 'v1')
    return undefined
  }
  return { cluster, simulation: new Simulation('unheard'), pass: () => pass }
}

const cut = new TransportError('connection reset', 'unknown')
const losses: readonly (readonly [name: string, lost: Error, hasPatch: boolean])[] = [
  ['the connection is cut', cut, true],
  ['a proxy gives up', new ApiError(504, 'Timeout', 'gateway timeout'), true],
  ['the store was too slow for the server', new ApiError(500, 'InternalError', 'request timed out'), true],
  ['the connection is cut, and whole objects are sent', cut, false],
]
for (const [name, lost, hasPatch] of losses) {
  test(`engine: the answer to a write of the second pass is lost (${name}): that pass was not clean, the third is`, async () => {
    const { cluster, simulation, pass } = lagging(2)
    const { fault } = cluster
    if (!hasPatch) cluster.fault = (asked) => (asked.method === 'PATCH' ? methodNotAllowed() : fault(asked))
    let losses = 0
    cluster.after = ({ method, path }) =>
      isWrite(method) && path.endsWith(one) && pass() === 2 && losses++ === 0 ? lost : undefined
    const { result } = await run(cluster, { simulation })
    assert.deepEqual([result.outcome, result.proof, result.progress.pass], ['succeeded', 'observed clean', 3])
    assert.equal(cluster.countIn('v1'), 0)
  })
}

test('engine: the answer is lost in each pass: everything is rewritten, and nothing is called clean', async () => {
  const { cluster, simulation, pass } = lagging(9)
  let lostIn = 0
  cluster.after = ({ method, path }) => {
    if (!isWrite(method) || !path.endsWith(one) || lostIn === pass()) return undefined
    lostIn = pass()
    return cut
  }
  const { result } = await run(cluster, { simulation })
  assert.deepEqual([result.outcome, result.proof, result.progress.pass], ['succeeded', 'unknown', 4])
  assert.match(
    result.because,
    /^everything was rewritten, but the encoding in which the last pass found 1 object is unknown/,
  )
  assert.equal(result.progress.migrated, 20)
})

test('engine: a write that never reached anybody is no doubt', async () => {
  const { cluster, simulation, pass } = lagging(1)
  let cuts = 0
  const { fault } = cluster
  cluster.fault = async (asked) =>
    (await fault(asked)) ??
    (isWrite(asked.method) && pass() === 2 && cuts++ < 5 ? new TransportError('refused', 'no') : undefined)
  const { result } = await run(cluster, { simulation })
  assert.deepEqual([result.proof, result.progress.pass], ['observed clean', 2])
})

test('engine: answers that are lost make nothing current that we have rewritten', async () => {
  const cluster = new FakeCluster()
  cluster.fill(100)
  let asked = 0
  cluster.after = ({ method }) => (isWrite(method) && ++asked % 3 === 0 && asked < 100 ? cut : undefined)
  const { result } = await run(cluster, { simulation: new Simulation('lost') })
  const counts = { migrated: 100, alreadyCurrent: 0, gone: 0, quarantined: 0 }
  assert.deepEqual(summary(result), ['succeeded', 'observed clean', counts])
})

test('engine: a server that lags writes one object before each of our writes: nothing is called clean', async () => {
  const cluster = new FakeCluster()
  cluster.fill(20)
  cluster.fault = ({ method, path }) => {
    if (isWrite(method) && path.endsWith(one)) cluster.put(one, 'v1')
    return undefined
  }
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, result.proof, result.progress.pass], ['succeeded', 'unknown', 4])
})

/** In the second pass, when its second page is asked for: from the start again. */
function expiring(cluster: FakeCluster, pass: () => number, expire: () => boolean): void {
  const { fault } = cluster
  let isExpired = false
  cluster.fault = async (asked) => {
    await fault(asked)
    if (isExpired || pass() !== 2 || !asked.query.has('continue') || !expire()) return undefined
    isExpired = true
    return new ApiError(410, 'Expired', 'too old')
  }
}

const late: readonly (readonly [name: string, lost: Error | undefined])[] = [
  ['is on its way', undefined],
  ['is lost', cut],
]
for (const [name, lost] of late) {
  test(`engine: the listing of the second pass begins anew while the answer to a write ${name}: it was not clean`, async () => {
    const { cluster, simulation, pass } = lagging(2, 200)
    let isWritten = false
    let isMet = false
    cluster.after = async ({ method, path }) => {
      if (!isWrite(method) || !path.endsWith(one) || pass() < 2) return undefined
      if (isWritten) {
        isMet = true
        return undefined
      }
      isWritten = true
      if (lost) return lost
      await new Promise<void>((done) => void simulation.schedule(5_000, 'slow', done))
      return undefined
    }
    expiring(cluster, pass, () => isWritten)
    // Meanwhile the lost request is not repeated.
    const limits = { pageSize: 50, startParallelism: 64, maxParallelism: 64 }
    const { result } = await run(cluster, { simulation, limits })
    assert.ok(isWritten && isMet)
    assert.notEqual(result.progress.pass, 2, 'the pass that rewrote one was called clean')
    assert.deepEqual(
      [result.outcome, result.proof, cluster.countIn('v1')],
      ['succeeded', 'observed clean', 0],
    )
  })
}

// A storm in which every other request is asked to come later: who has to be both refused and read in one go would hardly
// get through.
test('engine: an object that could not be read after a conflict is read first when it is tried again, and is not set aside for a throttle', async () => {
  const cluster = new FakeCluster()
  cluster.fill(20)
  let writes = 0
  let reads = 0
  cluster.fault = ({ method, path }) => {
    if (!path.endsWith(`/${one}`)) return undefined
    if (isWrite(method)) {
      if (writes++ === 0) cluster.put(one, 'v1')
      return undefined
    }
    return reads++ < 12 ? new ApiError(429, 'TooManyRequests', 'come later') : undefined
  }
  const { result } = await run(cluster, { simulation: new Simulation('throttled look') })
  assert.deepEqual([result.outcome, result.progress.quarantined], ['succeeded', 0])
  assert.equal(cluster.countIn('v1'), 0)
  // The one that was refused, the one after it was read, and the one of the second pass.
  assert.equal(writes, 3)
})
