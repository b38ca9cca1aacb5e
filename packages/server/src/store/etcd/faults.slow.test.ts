import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { deadline } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { type EtcdCluster, type EtcdNode, startEtcd } from '../../../../../test/support/etcd.ts'
import { freePorts } from '../../../../../test/support/free-ports.ts'
import { startTcpProxy, type TcpProxy } from '../../../../../test/support/tcp-proxy.ts'
import { until } from '../../../../../test/support/until.ts'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import { readOne, type Store } from '../store.ts'
import { forever, open, put } from './open-for-test.ts'

let cluster: EtcdCluster
before(async () => {
  cluster = await startEtcd({ size: 3 })
})
after(() => cluster.stop())

const url = (port: number): string => `http://127.0.0.1:${port}`
const first = (): string => cluster.endpoints[0] ?? assert.fail('there is no node')
const proxied = (): Promise<TcpProxy> => startTcpProxy(Number(new URL(first()).port))

test('etcd: an answer cut off after the request was forwarded leaves the outcome unknown', async (t) => {
  const proxy = await proxied()
  t.after(() => proxy.close())
  const store = await open([url(proxy.port)])
  t.after(() => store.close())
  proxy.pauseAnswers()
  const before = proxy.answeredBytes
  const committing = store.commit(put('/cut/after'), forever)
  committing.catch(() => {})
  const direct = await open([first()])
  t.after(() => direct.close())
  await until('the commit has taken place', () => readOne(direct, '/cut/after', forever))
  await until('etcd has answered', () => proxy.answeredBytes > before)
  proxy.cut()
  await assert.rejects(committing, OutcomeUnknown)
  proxy.resume()
  // The store has recovered, and shows the outcome.
  assert.ok(await readOne(store, '/cut/after', forever))
})

test('etcd: a read whose answer is cut off is asked again', async (t) => {
  const proxy = await proxied()
  t.after(() => proxy.close())
  const store = await open([url(proxy.port)])
  t.after(() => store.close())
  await store.commit(put('/cut/read'), forever)
  proxy.pauseAnswers()
  const before = proxy.answeredBytes
  const reading = readOne(store, '/cut/read', forever)
  await until('etcd has answered', () => proxy.answeredBytes > before)
  proxy.cut()
  proxy.resume()
  assert.ok(await reading)
})

test('etcd: without a listener nothing was written', async () => {
  const [port = 0] = await freePorts(1)
  const retry = { firstMs: 1, maxMs: 1, attempts: 2 }
  await assert.rejects(open([url(port)], { retry }), (error) => {
    return error instanceof StoreUnavailable && error.message.includes(url(port))
  })
})

test('etcd: an endpoint that is down is passed over', async (t) => {
  const [port = 0] = await freePorts(1)
  const store = await open([url(port), first()])
  t.after(() => store.close())
  assert.equal((await store.commit(put('/passed-over'), forever)).outcome, 'committed')
})

test('etcd: a commit that was never sent, because its time was up, was certainly not written', async (t) => {
  const proxy = await proxied()
  t.after(() => proxy.close())
  const store = await open([url(proxy.port)])
  t.after(() => store.close())
  // The read finds the connection gone; the next one is accepted, but gets no sign of life.
  proxy.pauseAnswers()
  proxy.cut()
  const limit = deadline(nodeClock, 200)
  t.after(() => limit.dispose())
  await assert.rejects(readOne(store, '/never-sent', limit.signal), StoreUnavailable)
  const again = deadline(nodeClock, 200)
  t.after(() => again.dispose())
  await assert.rejects(store.commit(put('/never-sent'), again.signal), StoreUnavailable)
  proxy.resume()
  assert.equal(await readOne(store, '/never-sent', forever), undefined)
})

/**
 * A store whose commit was under way at a member that is frozen now. On a busy machine a member may be silent for so long that the
 * store has gone to another one before: then its commit succeeds, which shows nothing, and a new store is tried.
 */
async function untilCutOff(t: TestContext, frozen: EtcdNode, others: readonly EtcdNode[]): Promise<Store> {
  t.after(() => frozen.thaw())
  for (let tries = 0; tries < 5; tries++) {
    const timing = { silenceMs: 300, answerMs: 500 }
    const store = await open([frozen.endpoint, ...others.map(({ endpoint }) => endpoint)], { timing })
    t.after(() => store.close())
    await store.commit(put('/frozen', 'before'), forever)
    frozen.freeze()
    const limit = deadline(nodeClock, 300)
    t.after(() => limit.dispose())
    const end = await store.commit(put('/frozen', 'after'), limit.signal).catch((error: unknown) => error)
    if (end instanceof OutcomeUnknown) return store
    assert.ok(!(end instanceof Error), String(end))
    frozen.thaw()
  }
  return assert.fail('each commit went to another member')
}

test('etcd: a frozen member ends a commit as unknown at its deadline, and reads go elsewhere', async (t) => {
  const [frozen, ...others] = cluster.nodes
  assert.ok(frozen)
  const store = await untilCutOff(t, frozen, others)
  // No deadline: the keepalive alone has to notice.
  assert.ok(await readOne(store, '/frozen', forever))
  assert.equal((await store.commit(put('/frozen', 'later'), forever)).outcome, 'committed')
})
