import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, conflict, forbidden, methodNotAllowed, notFound, timeout } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { run, summary } from './engine-for-test.ts'
import { FakeCluster, type Fault } from './fake-cluster-for-test.ts'
import { RequestBudget } from './pass/request-budget.ts'

const is = (path: string, name: string): boolean => path.includes(`/${name}`)
const isWrite = (method: string): boolean => method === 'PATCH' || method === 'PUT'
const one = 'o-00042'

test('engine: everything is rewritten, a second pass finds nothing, and that is called observed', async () => {
  const cluster = new FakeCluster()
  cluster.fill(1_200)
  cluster.fill(30, 'v2', 1_200)
  const { result, tookMs } = await run(cluster, { stoodForMs: 0 })
  const counts = { migrated: 1_200, alreadyCurrent: 30, gone: 0, quarantined: 0 }
  assert.deepEqual(summary(result), ['succeeded', 'observed clean', counts])
  assert.deepEqual([result.progress.total, result.progress.percent], [1_230, 100])
  assert.equal(cluster.countIn('v1'), 0)
  assert.equal(cluster.count('PATCH'), 2 * 1_230)
  // Rule 14: not before a minute after the switch, and what is on its way then.
  assert.ok(tookMs >= 70_000)
})

test('engine: M1, K10, K11, X9: the patch says nothing but what state it is about, and where the object is', async () => {
  const cluster = new FakeCluster('definition', { namespaced: false })
  cluster.fill(100)
  const bodies: unknown[] = []
  cluster.fault = ({ method, body }) => {
    if (method === 'PATCH') bodies.push(body)
    return undefined
  }
  const { result } = await run(cluster)
  assert.equal(result.progress.migrated, 100)
  assert.deepEqual(bodies[0], { metadata: { resourceVersion: '101' } })
  const [first] = cluster.asked.filter((each) => each.startsWith('PATCH'))
  assert.equal(first, 'PATCH /apis/example.dev/v2/nodes/o-00000?fieldManager=strata-migrator')
  const [list] = cluster.asked.filter((each) => each.includes('nodes?'))
  assert.equal(list, 'GET /apis/example.dev/v2/nodes?limit=500')
  // Never anything that creates or deletes (J0).
  assert.deepEqual([cluster.count('POST'), cluster.count('DELETE')], [0, 0])
})

test('engine: K9: one that may not be written is the only one set aside; timeouts pass, what is gone is gone', async () => {
  const cluster = new FakeCluster()
  cluster.fill(100)
  let timeouts = 0
  cluster.fault = ({ method, path }) => {
    if (isWrite(method) && is(path, one)) return methodNotAllowed()
    if (isWrite(method) && is(path, 'o-00043') && timeouts++ < 2) return timeout('later')
    if (isWrite(method) && is(path, 'o-00044')) cluster.remove('o-00044')
    return undefined
  }
  const { result } = await run(cluster)
  assert.equal(cluster.countIn('v2'), 98)
  assert.equal(result.outcome, 'incomplete')
  assert.deepEqual(
    result.quarantine.objects.map(({ name, reason }) => [name, reason]),
    [[one, 'Unsupported']],
  )
  assert.deepEqual([result.progress.migrated, result.progress.gone], [98, 1])
})

const webhookDown = new ApiError(
  500,
  'InternalError',
  'Internal error occurred: failed calling webhook "a.example.dev": connection refused',
)
const denied = new ApiError(403, 'Forbidden', 'admission webhook "a.example.dev" denied the request: no')
const invalid = new ApiError(
  422,
  'Invalid',
  'things.example.dev "o-00042" is invalid: spec.x: Required value',
)
const inNamespaceGone = notFound({ group: '', resource: 'namespaces' }, 'default')

const setAside: readonly (readonly [name: string, error: ApiError, reason: string, tries: number])[] = [
  ['M6: one that a webhook denies', denied, 'Denied', 1],
  ['one whose webhook is down', webhookDown, 'WebhookUnavailable', 8],
  ['one that is invalid by the rules of today', invalid, 'Invalid', 2],
  ['Q8: one that is left of a namespace that is gone', inNamespaceGone, 'NamespaceGone', 8],
  ['one that has become too large', new ApiError(413, 'RequestEntityTooLarge', 'too large'), 'TooLarge', 1],
]
for (const [name, error, reason, tries] of setAside) {
  test(`engine: ${name} is set aside with its reason, and all others are rewritten (Q10, X1)`, async () => {
    const cluster = new FakeCluster()
    cluster.fill(300)
    cluster.fault = ({ method, path }) => (isWrite(method) && is(path, one) ? error : undefined)
    const { result } = await run(cluster)
    assert.deepEqual([result.outcome, result.proof], ['incomplete', 'unknown'])
    const { message } = error
    assert.deepEqual(result.quarantine, {
      total: 1,
      objects: [{ namespace: 'default', name: one, reason, message }],
    })
    assert.deepEqual([cluster.countIn('v2'), cluster.countIn('v1')], [299, 1])
    // In each of two passes; those that fail while nothing else can be seen to succeed are not counted.
    const written = cluster.asked.filter((each) => /^(PATCH|PUT)/.test(each) && is(each, one)).length
    assert.ok(written >= 2 * tries && written <= 3 * tries, String(written))
  })
}

test('engine: what is invalid may be let through by those who write status', async () => {
  const cluster = new FakeCluster()
  cluster.fill(10)
  cluster.fault = ({ method, path }) =>
    method === 'PATCH' && !path.endsWith('/status') ? invalid : undefined
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, cluster.countIn('v1')], ['succeeded', 0])
})

test('engine: what is invalid is set aside if its kind has no status, and is not taken for gone', async () => {
  const cluster = new FakeCluster()
  cluster.fill(60)
  // As upstream: the answer is the one for an object that is gone.
  cluster.fault = ({ method, path }) => {
    if (method !== 'PATCH' || !is(path, one)) return undefined
    return path.endsWith('/status') ? notFound({ group: 'example.dev', resource: 'things' }, one) : invalid
  }
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, result.proof, cluster.countIn('v1')], ['incomplete', 'unknown', 1])
  assert.equal(result.quarantine.objects[0]?.reason, 'Invalid')
})

const instead: readonly (readonly [name: string, error: ApiError])[] = [
  ['a server that has no patch', methodNotAllowed()],
  ['a server that knows no merge patch', new ApiError(415, 'UnsupportedMediaType', 'no')],
  [
    'a caller that may only update',
    forbidden({ group: 'example.dev', resource: 'things' }, one, 'User "m" cannot patch resource "things"'),
  ],
]
for (const [name, error] of instead) {
  test(`engine: ${name} gets whole objects, word for word`, async () => {
    const cluster = new FakeCluster()
    cluster.fill(60)
    const bodies: unknown[] = []
    cluster.fault = ({ method, body }) => {
      if (method === 'PUT') bodies.push(body)
      return method === 'PATCH' ? error : undefined
    }
    const { result } = await run(cluster)
    assert.deepEqual(summary(result).slice(0, 2), ['succeeded', 'observed clean'])
    assert.equal(cluster.count('PUT'), 120)
    assert.deepEqual(bodies[0], {
      metadata: { namespace: 'default', name: 'o-00000', resourceVersion: '101' },
    })
    // The verb that worked for one object is tried first on the others.
    if (error.code !== 403) assert.ok(cluster.count('PATCH') < 20, String(cluster.count('PATCH')))
  })
}

test('engine: a user who may not write gets the error after a few objects, not after all', async () => {
  const cluster = new FakeCluster()
  cluster.fill(2_000)
  cluster.fault = ({ method }) =>
    isWrite(method) ? forbidden(cluster.resource, one, 'User "m" cannot patch resource "things"') : undefined
  const { result } = await run(cluster)
  assert.equal(result.outcome, 'failed')
  assert.match(result.because, /50 objects were refused and none succeeded: .* cannot patch resource/)
  assert.ok(cluster.count('PATCH') < 300)
})

test('engine: M7: a conflict is no proof without a fence: it is read again and rewritten (Q6)', async () => {
  const cluster = new FakeCluster()
  cluster.fill(10)
  let writes = 0
  cluster.fault = ({ method, path }) => {
    // A client writes it in between, through a server that does not know the new version yet.
    if (method === 'PATCH' && is(path, 'o-00003') && writes++ === 0) cluster.put('o-00003', 'v1')
    return undefined
  }
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, cluster.countIn('v1'), result.progress.migrated], ['succeeded', 0, 10])
  // In the first pass already: the second one found nothing.
  assert.equal(result.progress.pass, 2)
})

test('engine: an object that others write all the time is rewritten in whatever state it is in, and nothing is claimed of it', async () => {
  const cluster = new FakeCluster()
  cluster.fill(10)
  const put = (): void => cluster.put('o-00003', cluster.encoding)
  cluster.fault = ({ method, path }) => {
    if (method === 'PATCH' && is(path, 'o-00003')) put()
    return undefined
  }
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, result.proof, cluster.countIn('v1')], ['succeeded', 'unknown', 0])
  assert.match(
    result.because,
    /^everything was rewritten, but the encoding in which the last pass found 1 object is unknown/,
  )
  assert.equal(result.progress.migrated, 10)
})

test('engine: a conflict about something else, a quota for example, is not taken for a newer state', async () => {
  const cluster = new FakeCluster()
  cluster.fill(10)
  let conflicts = 0
  const quota = conflict({ group: '', resource: 'resourcequotas' }, 'q', 'the object has been modified')
  cluster.fault = ({ method, path }) =>
    method === 'PATCH' && is(path, 'o-00003') && conflicts++ < 3 ? quota : undefined
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, cluster.countIn('v1')], ['succeeded', 0])
})

test('engine: two at once rewrite each object once, and both come to the same end', async () => {
  const cluster = new FakeCluster()
  cluster.fill(400)
  const [a, b] = await Promise.all([run(cluster), run(cluster)])
  assert.deepEqual([a.result.outcome, b.result.outcome], ['succeeded', 'succeeded'])
  assert.equal(a.result.progress.migrated + b.result.progress.migrated, 400)
  assert.equal(cluster.countIn('v1'), 0)
})

test('engine: while a server writes in another encoding, nothing is called clean', async () => {
  const cluster = new FakeCluster()
  cluster.fill(20)
  cluster.fault = ({ method, path, query }) => {
    // After each pass, before the next: an unknown server writes.
    if (method === 'GET' && path.endsWith('/things') && query.has('limit')) cluster.put('o-00001', 'v1')
    return undefined
  }
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, result.proof, result.progress.pass], ['incomplete', 'unknown', 4])
})

test('engine: a resource about which nothing is published is rewritten if it was named, and nothing is claimed', async () => {
  const cluster = new FakeCluster('nothing')
  cluster.fill(20)
  const { result } = await run(cluster)
  assert.deepEqual([result.outcome, result.proof, cluster.countIn('v1')], ['succeeded', 'unknown', 0])
})

test('engine: a resource that is not served is no success', async () => {
  const cluster = new FakeCluster()
  const target = {
    resource: { group: 'example.dev', resource: 'others' },
    how: 'unpublished',
    fenced: false,
  } as const
  const { result } = await run(cluster, { target, observe: async () => ({ agreed: true, target }) })
  assert.deepEqual([result.outcome, result.because], ['failed', 'others.example.dev is not served'])
})

test('engine: a rehearsal writes nothing, says who would be refused, and does not guess at the rest', async () => {
  const cluster = new FakeCluster()
  cluster.fill(300)
  const fault: Fault = ({ method, path, query }) => {
    if (method === 'PATCH') assert.equal(query.get('dryRun'), 'All')
    if (!isWrite(method)) return undefined
    // Stands for a server that does as it is asked: nothing is stored.
    return is(path, one) ? denied : new ApiError(200, '', '')
  }
  cluster.fault = fault
  const { result } = await run(cluster, { dryRun: true, stoodForMs: 0 })
  assert.equal(result.outcome, 'rehearsed')
  assert.deepEqual([result.progress.migrated, result.progress.alreadyCurrent], [0, 0])
  assert.deepEqual(
    result.quarantine.objects.map(({ name }) => name),
    [one],
  )
  assert.equal(cluster.countIn('v1'), 300)
})

test('engine: a bug is thrown, and not taken for a failing world', async () => {
  const cluster = new FakeCluster()
  cluster.fill(10)
  cluster.fault = ({ method }) => (method === 'PATCH' ? new TypeError('a bug') : undefined)
  await assert.rejects(run(cluster), /a bug/)
})

test('engine: some objects only, once: nothing follows about the others', async () => {
  const cluster = new FakeCluster('definition')
  cluster.fill(6)
  const { result } = await run(cluster, { part: { fieldSelector: 'metadata.name=o-00002' } })
  assert.deepEqual([result.outcome, result.proof, result.progress.pass], ['succeeded', 'unknown', 1])
  assert.match(result.because, /the others were not visited/)
  const lists = cluster.asked.filter((each) => each.includes('/things?'))
  assert.equal(lists.length, 1)
  assert.match(lists[0] ?? '', /fieldSelector=metadata\.name%3Do-00002/)
})

for (const [what, because] of [
  ['nothing', undefined],
  ['a reason', 'fields would be lost'],
] as const) {
  test(`engine: a caller is asked after the wait and before the first write, and answers ${what}`, async () => {
    const cluster = new FakeCluster()
    cluster.fill(20)
    let writesBefore = -1
    const { result, tookMs } = await run(cluster, {
      ...{ stoodForMs: 0, simulation: new Simulation('asked') },
      beforeWrites: async () => {
        writesBefore = cluster.count('PATCH')
        return because && { kind: 'aborted', because }
      },
    })
    assert.ok(tookMs >= 60_000, `${tookMs} ms`)
    assert.equal(writesBefore, 0)
    assert.equal(cluster.countIn('v1'), because ? 20 : 0)
    assert.deepEqual(result.outcome, because ? 'aborted' : 'succeeded')
    if (because) assert.equal(result.because, because)
  })
}

test('engine: so many requests per second, and no more', async () => {
  const cluster = new FakeCluster('definition')
  cluster.fill(100)
  const simulation = new Simulation('a slow one')
  const budget = new RequestBudget(simulation.process('budget').clock, { concurrency: 8, perSecond: 10 })
  const { result, tookMs } = await run(cluster, { simulation, budget })
  assert.equal(result.proof, 'observed clean')
  assert.ok(tookMs > 19_000 && tookMs < 30_000, `two passes over 100 objects took ${tookMs} ms`)
})
