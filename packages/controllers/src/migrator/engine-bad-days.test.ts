import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, serviceUnavailable } from '@strata/api'
import { TransportError } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { run, summary } from './engine-for-test.ts'
import { FakeCluster } from './fake-cluster-for-test.ts'
import { resumeOfStatus, statusOfReport } from './progress/migration-status.ts'
import type { ProgressReport } from './progress/progress-reporter.ts'

const isWrite = (method: string): boolean => method === 'PATCH' || method === 'PUT'
const clean = (migrated: number) => [
  'succeeded',
  'observed clean',
  { migrated, alreadyCurrent: 0, gone: 0, quarantined: 0 },
]
const throttled = (retryAfterSeconds: number): ApiError =>
  new ApiError(429, 'TooManyRequests', 'too many requests', { retryAfterSeconds })

function filled(count: number): { cluster: FakeCluster; simulation: Simulation } {
  const cluster = new FakeCluster()
  cluster.fill(count)
  return { cluster, simulation: new Simulation('bad days') }
}

test('engine: M8: a storm of 429 slows it down and sets nothing aside', async () => {
  const { cluster, simulation } = filled(1_000)
  let asked = 0
  cluster.fault = ({ method }) => (isWrite(method) && ++asked % 3 === 0 ? throttled(1) : undefined)
  const { result, tookMs } = await run(cluster, { simulation })
  assert.deepEqual(summary(result), clean(1_000))
  assert.ok(result.progress.parallelism <= 4, String(result.progress.parallelism))
  // It waited as long as the server asked.
  assert.ok(tookMs > 60_000)
})

test('engine: X1: a server that is down for minutes is asked rarely, and costs no object', async () => {
  const { cluster, simulation } = filled(600)
  let fromMs = Number.POSITIVE_INFINITY
  let whileDown = 0
  cluster.fault = () => {
    const downMs = simulation.nowMs - fromMs
    if (cluster.countIn('v2') >= 100 && fromMs > simulation.nowMs) fromMs = simulation.nowMs
    if (downMs < 0 || downMs > 300_000) return undefined
    whileDown++
    return new TransportError('connection refused', 'no')
  }
  const { result } = await run(cluster, { simulation })
  assert.deepEqual(summary(result), clean(600))
  assert.ok(whileDown > 10 && whileDown < 300, `${whileDown} requests in five minutes`)
})

test('engine: X1: one that never comes back ends the run, which goes on later where it was (Q7)', async () => {
  const { cluster, simulation } = filled(2_000)
  cluster.fault = ({ method }) =>
    isWrite(method) && cluster.countIn('v2') >= 1_700 ? serviceUnavailable('no leader', 1) : undefined
  const { result } = await run(cluster, { simulation })
  assert.equal(result.outcome, 'failed')
  assert.match(result.because, /^nothing has succeeded for \d+ s: no leader$/)
  assert.equal(result.quarantine.total, 0)
  const { resume } = result
  assert.equal(resume.ledger.tally.migrated, 1_500)
  cluster.fault = () => undefined
  cluster.asked.length = 0
  const saved = resumeOfStatus(cluster.resource, JSON.parse(JSON.stringify(statusOfReport(result))))
  assert.deepEqual(saved, resume)
  const again = await run(cluster, { simulation, resume: saved })
  assert.equal(again.result.outcome, 'succeeded')
  assert.equal(cluster.countIn('v1'), 0)
  // The fourth page, and the pass that looks.
  assert.equal(cluster.count('PATCH'), 500 + 2_000)
  const { migrated, alreadyCurrent } = again.result.progress
  assert.equal(migrated + alreadyCurrent, 2_000)
})

const webhookDown = (): ApiError =>
  new ApiError(
    500,
    'InternalError',
    'Internal error occurred: failed calling webhook "w": connection refused',
  )

test('engine: a dry run names the objects whose webhook does not answer, and does not wait for it', async () => {
  const { cluster, simulation } = filled(20)
  cluster.fault = ({ method }) => (isWrite(method) ? webhookDown() : undefined)
  const { result, tookMs } = await run(cluster, { simulation, dryRun: true, stoodForMs: 0 })
  assert.equal(result.outcome, 'rehearsed')
  assert.deepEqual(
    [result.quarantine.total, result.quarantine.objects[0]?.reason],
    [20, 'WebhookUnavailable'],
  )
  assert.ok(tookMs < 60_000, String(tookMs))
})

test('engine: a dry run of many objects ends as soon as it is clear that the webhook is down', async () => {
  const { cluster, simulation } = filled(2_000)
  cluster.fault = ({ method }) => (isWrite(method) ? webhookDown() : undefined)
  const { result, tookMs } = await run(cluster, { simulation, dryRun: true, stoodForMs: 0 })
  assert.equal(result.outcome, 'failed')
  assert.match(result.because, /^50 objects were refused and none succeeded: .*failed calling webhook/)
  assert.ok(tookMs < 60_000, String(tookMs))
})

test('engine: a migration waits for the webhook', async () => {
  const { cluster, simulation } = filled(20)
  cluster.fault = ({ method }) => (isWrite(method) && simulation.nowMs < 300_000 ? webhookDown() : undefined)
  const { result } = await run(cluster, { simulation })
  assert.deepEqual(summary(result), clean(20))
})

test('engine: the network is cut in the middle of things, again and again', async () => {
  const { cluster, simulation } = filled(800)
  let asked = 0
  cluster.fault = () => (++asked % 7 === 0 ? new TransportError('connection reset', 'unknown') : undefined)
  const { result } = await run(cluster, { simulation })
  assert.deepEqual(summary(result), clean(800))
})

test('engine: 410 in the middle: the rest is taken as it is now', async () => {
  const { cluster, simulation } = filled(2_000)
  let lists = 0
  cluster.fault = ({ path, query }) => {
    if (path.endsWith('/things') && query.has('limit') && ++lists === 3) cluster.compactedBefore = 2_101
    return undefined
  }
  const { result } = await run(cluster, { simulation })
  assert.deepEqual(summary(result), clean(2_000))
  const firstPass = cluster.asked.filter((each) => each.includes('things?limit')).slice(0, 6)
  // Four pages, one of them asked for twice; then the next pass.
  assert.deepEqual(
    firstPass.map((each) => each.includes('continue')),
    [false, true, true, true, true, false],
  )
})

test('engine: 410 without a token: from the start, and no object is counted twice', async () => {
  const { cluster, simulation } = filled(2_000)
  let lists = 0
  cluster.fault = ({ path, query }) => {
    const isThird = path.endsWith('/things') && query.has('limit') && ++lists === 3
    return isThird ? new ApiError(410, 'Expired', 'too old') : undefined
  }
  const { result } = await run(cluster, { simulation })
  const { migrated, settled, total } = result.progress
  assert.deepEqual([result.outcome, migrated, settled, total], ['succeeded', 2_000, 2_000, 2_000])
})

test('engine: a server that never finishes a listing ends it', async () => {
  const { cluster, simulation } = filled(2_000)
  cluster.fault = ({ query }) => (query.has('continue') ? new ApiError(410, 'Expired', 'too old') : undefined)
  const { result } = await run(cluster, { simulation })
  assert.deepEqual([result.outcome, result.because], ['failed', 'the listing expired too often: too old'])
})

test('engine: pages that are too much for the server become smaller', async () => {
  const { cluster, simulation } = filled(1_000)
  cluster.fault = ({ query }) =>
    Number(query.get('limit')) > 200 ? new ApiError(504, 'Timeout', 'request did not complete') : undefined
  const { result } = await run(cluster, { simulation })
  assert.deepEqual(summary(result), clean(1_000))
})

test('engine: objects that are deleted meanwhile are gone, objects that are made meanwhile are current', async () => {
  const { cluster, simulation } = filled(1_500)
  let asked = 0
  cluster.fault = ({ method }) => {
    if (!isWrite(method)) return undefined
    asked++
    if (asked % 10 === 0) cluster.remove(`o-${String(1_499 - asked / 10).padStart(5, '0')}`)
    if (asked % 15 === 0) cluster.put(`made-${asked}`)
    return undefined
  }
  const { result } = await run(cluster, { simulation })
  assert.deepEqual([result.outcome, result.proof, cluster.countIn('v1')], ['succeeded', 'observed clean', 0])
})

const moves: readonly (readonly [name: string, move: (cluster: FakeCluster) => void, because: RegExp])[] = [
  ['the definition is changed', (c) => c.generation++, /generation 2 became 3/],
  [
    'the storage version goes there and back (A, B, A)',
    (c) => {
      c.generation += 2
    },
    /generation 2 became 4/,
  ],
  [
    'the storage version is another one',
    (c) => {
      c.encoding = 'v1'
      c.generation++
    },
    /example.dev\/v2 became example.dev\/v1/,
  ],
]
for (const [name, move, because] of moves) {
  for (const at of [400, 1_000]) {
    test(`engine: ${name} after ${at} of 1,000: aborted, whatever was done (X4, X5)`, async () => {
      const { cluster, simulation } = filled(1_000)
      let moved = false
      cluster.fault = ({ method }) => {
        if (isWrite(method) && !moved && cluster.countIn('v2') >= at) {
          moved = true
          move(cluster)
        }
        return undefined
      }
      const { result } = await run(cluster, { simulation })
      assert.ok(moved)
      assert.deepEqual([result.outcome, result.proof], ['aborted', 'unknown'])
      assert.match(result.because, because)
    })
  }
}

test('engine: a definition that is deleted during the run ends it', async () => {
  const { cluster, simulation } = filled(1_000)
  cluster.fault = ({ path }) =>
    path.includes('customresourcedefinitions') && cluster.countIn('v2') > 300
      ? new ApiError(404, 'NotFound', 'not found')
      : undefined
  const { result } = await run(cluster, { simulation })
  assert.equal(result.outcome, 'aborted')
})

test('engine: X4: what cannot be confirmed in the end is no success', async () => {
  const { cluster, simulation } = filled(100)
  let isLast = false
  cluster.fault = ({ path }) =>
    path.includes('customresourcedefinitions') && isLast ? serviceUnavailable('no') : undefined
  const onProgress = ({ progress }: ProgressReport): void => {
    isLast = progress.pass === 2 && progress.settled === 100
  }
  const { result } = await run(cluster, { simulation, onProgress })
  assert.equal(result.outcome, 'failed')
  assert.match(result.because, /could not be confirmed/)
})

const stops: readonly (readonly [wish: 'pause' | 'cancel', outcome: string])[] = [
  ['pause', 'paused'],
  ['cancel', 'cancelled'],
]
for (const [wish, outcome] of stops) {
  test(`engine: Q11, X2: ${wish} is heard between two objects, and the rest can be done later`, async () => {
    const { cluster, simulation } = filled(2_000)
    const control = (): 'run' | 'pause' | 'cancel' => (cluster.countIn('v2') >= 700 ? wish : 'run')
    const { result } = await run(cluster, { simulation, control })
    assert.equal(result.outcome, outcome)
    assert.ok(cluster.countIn('v2') < 700 + 64, String(cluster.countIn('v2')))
    const again = await run(cluster, { simulation, resume: result.resume })
    assert.deepEqual([again.result.outcome, cluster.countIn('v1')], ['succeeded', 0])
  })
}

test('engine: X10: an aborted signal ends every wait at once', async () => {
  const { cluster, simulation } = filled(100)
  const stop = new AbortController()
  cluster.fault = ({ method }) => {
    if (!isWrite(method)) return undefined
    simulation.schedule(500, 'stop', () => stop.abort())
    return throttled(3_600)
  }
  const { result, tookMs } = await run(cluster, { simulation, signal: stop.signal })
  assert.equal(result.outcome, 'cancelled')
  assert.ok(tookMs < 5_000, String(tookMs))
})

test('engine: killed at any report, it goes on from there and counts no object twice', async () => {
  const { cluster, simulation } = filled(3_000)
  // Ten milliseconds for each write: a second is a few pages.
  cluster.fault = async ({ method }) => {
    if (isWrite(method)) await new Promise<void>((done) => void simulation.schedule(10, 'server', done))
    return undefined
  }
  const reports: ProgressReport[] = []
  const options = { simulation, limits: { maxParallelism: 8 } }
  await run(cluster, { ...options, onProgress: (report) => reports.push(report) })
  assert.ok(reports.length > 5, String(reports.length))
  for (const { resume } of reports.filter((_, index) => index % 2 === 0)) {
    const { result } = await run(cluster, { ...options, resume })
    assert.deepEqual([result.outcome, result.progress.total], ['succeeded', 3_000])
    const { migrated, alreadyCurrent } = result.progress
    assert.ok(migrated + alreadyCurrent === 3_000, JSON.stringify(result.progress))
  }
})

test('engine: M11: progress while it runs: how many of how many, and failures, before the end', async () => {
  const { cluster, simulation } = filled(2)
  cluster.fault = ({ method, path }) =>
    isWrite(method) && path.endsWith('1') && simulation.nowMs < 20_000 ? throttled(5) : undefined
  const reported: string[] = []
  const onProgress = ({ progress: { pass, settled, total, percent }, waitingFor }: ProgressReport): void => {
    reported.push(
      `pass ${pass}: ${settled}/${total}, ${percent}%${waitingFor === undefined ? '' : ', waiting'}`,
    )
  }
  const { result } = await run(cluster, { simulation, onProgress })
  assert.equal(result.outcome, 'succeeded')
  assert.deepEqual(reported, [
    ...['pass 1: 1/2, 50%', 'pass 1: 1/2, 50%, waiting'],
    ...['pass 1: 2/2, 100%', 'pass 2: 2/2, 100%'],
  ])
})

test('engine: a list that names what cannot be decoded ends it at once, with the names', async () => {
  const { cluster, simulation } = filled(20)
  const refusal = new ApiError(
    500,
    'StorageReadError',
    '1 of 20 objects of things cannot be decoded: "default/o-3"',
  )
  cluster.fault = ({ method, query }) => (method === 'GET' && query.has('limit') ? refusal : undefined)
  const { result, tookMs } = await run(cluster, { simulation })
  assert.deepEqual([result.outcome, result.proof], ['failed', 'unknown'])
  assert.match(result.because, /"default\/o-3"/)
  assert.ok(tookMs < 10_000, `${tookMs} ms`)
})
