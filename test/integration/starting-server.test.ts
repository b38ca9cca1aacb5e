import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore, MemoryData, type Store } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { type Answer, call, createFleetServer } from '../support/fleet.ts'

const never = new AbortController().signal
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const bindings = `${rbac}/clusterrolebindings`
const secrets = '/api/v1/namespaces/default/secrets'
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const eve = { 'impersonate-user': 'eve' }
const review = {
  spec: { user: 'eve', resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'default' } },
}

/** The same store, whose watches say nothing until they are let go. */
function withHeldWatch(store: Store): { readonly store: Store; readonly letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* watch(...parameters: Parameters<Store['watch']>) {
    await promise
    yield* store.watch(...parameters)
  }
  return { store: { ...store, watch }, letGo: resolve }
}

/**
 * Eve may do everything, until her binding is deleted; then a secret is made. Another server starts in the past, in
 * which she is bound, and its watch does not tell yet what has happened since.
 */
async function startInThePast(seed: string) {
  const simulation = new Simulation(seed)
  const data = new MemoryData()
  const server = (instance: string, store: Store) =>
    createFleetServer({ world: simulation.process(instance), store, instance })
  const a = server('a', createMemoryStore(data))
  await simulation.settle(a.start(never))
  const admin = async (method: string, target: string, body?: unknown): Promise<Answer> => {
    const answer = await simulation.settle(call(a.handle, method, target, body))
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer
  }
  const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
  await admin('POST', `${rbac}/clusterroles`, { metadata: { name: 'all' }, rules })
  const bound = await admin('POST', bindings, {
    metadata: { name: 'eve' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'all' },
    subjects: [{ kind: 'User', name: 'eve' }],
  })
  await createMemoryStore(data).compact(Number(bound.body.metadata.resourceVersion), never)
  await admin('DELETE', `${bindings}/eve`)
  await admin('POST', secrets, { metadata: { name: 'new' } })

  const held = withHeldWatch(createMemoryStore(data))
  const b = server('b', held.store)
  const started = b.start(never)
  await simulation.run({ untilMs: simulation.nowMs + 100 })
  return { simulation, b, started, letGo: held.letGo }
}

type Asked = [name: string, method: string, target: string, body: unknown, headers: Record<string, string>]
const questions: readonly Asked[] = [
  ['whether she may', 'POST', reviews, review, {}],
  ['to write what no agreement guards', 'POST', leases, { metadata: { name: 'hers' } }, eve],
  ['for what was made since', 'GET', `${secrets}/new`, undefined, eve],
  ['for any state of it', 'GET', `${secrets}?resourceVersion=0`, undefined, eve],
  ['to watch', 'GET', `${secrets}?watch=true&resourceVersion=0&timeoutSeconds=1`, undefined, eve],
  ['for metrics', 'GET', '/metrics', undefined, eve],
]
for (const [name, method, target, body, headers] of questions) {
  test(`starting: rights of the past are no rights: ${name}`, async () => {
    const { simulation, b, started, letGo } = await startInThePast(name)
    const asking = call(b.handle, method, target, body, headers)
    let answered = false
    void asking.then(() => {
      answered = true
    })
    await simulation.run({ untilMs: simulation.nowMs + 10_000 })
    assert.equal(answered, false)
    letGo()
    const answer = await simulation.settle(asking)
    if (target === reviews) assert.equal(answer.body.status.allowed, false)
    else assert.equal(answer.status, 403, JSON.stringify(answer.body))
    await simulation.settle(started)
  })

  test(`starting: a request that has waited too long gets 503 with Retry-After: ${name}`, async () => {
    const { simulation, b } = await startInThePast(name)
    const answer = await simulation.settle(call(b.handle, method, target, body, headers))
    assert.equal(answer.status, 503)
    assert.equal(answer.headers['retry-after'], '1')
    const { kind, reason, code, details } = answer.body
    assert.deepEqual(
      { kind, reason, code, details },
      { kind: 'Status', reason: 'ServiceUnavailable', code: 503, details: { retryAfterSeconds: 1 } },
    )
  })
}

test('starting: a request with a shorter timeout gets it sooner', async () => {
  const { simulation, b } = await startInThePast('timeout')
  const began = simulation.nowMs
  const answer = await simulation.settle(call(b.handle, 'GET', `${secrets}?timeout=2s`))
  assert.deepEqual([answer.status, simulation.nowMs - began], [503, 2_000])
})

test('starting: health checks answer all the while', async () => {
  const { simulation, b, started, letGo } = await startInThePast('health')
  const began = simulation.nowMs
  for (const path of ['/livez/ping', '/readyz', '/healthz']) {
    const { status } = await simulation.settle(call(b.handle, 'GET', path))
    assert.equal(status, path === '/livez/ping' ? 200 : 500, path)
  }
  assert.ok(simulation.nowMs - began < 1_000)
  letGo()
  await simulation.settle(started)
  assert.equal((await simulation.settle(call(b.handle, 'GET', '/readyz'))).status, 200)
})
