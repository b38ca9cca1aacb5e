import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { type EtcdCluster, startEtcd } from '../../../../../test/support/etcd.ts'
import { startTcpProxy, type TcpProxy } from '../../../../../test/support/tcp-proxy.ts'
import { until } from '../../../../../test/support/until.ts'
import { Observer, observeUntil } from '../contract/observer.ts'
import { RevisionCompacted } from '../errors.ts'
import type { Write } from '../store.ts'
import { decodeWatch } from './etcd-messages.ts'
import type { EtcdStore } from './etcd-store.ts'
import { forever, open, put } from './open-for-test.ts'

let cluster: EtcdCluster
let direct: EtcdStore
before(async () => {
  cluster = await startEtcd()
  direct = await open(cluster.endpoints)
})
after(async () => {
  await direct.close()
  await cluster.stop()
})

async function openThroughProxy(t: TestContext): Promise<{ proxy: TcpProxy; store: EtcdStore }> {
  const proxy = await startTcpProxy(Number(new URL(cluster.endpoints[0] ?? '').port))
  const store = await open([`http://127.0.0.1:${proxy.port}`])
  t.after(() => Promise.all([store.close(), proxy.close()]))
  return { proxy, store }
}

test('etcd: a watch cut off resumes where it was, without gap or repeat', async (t) => {
  const { proxy, store } = await openThroughProxy(t)
  const prefix = '/resume/'
  const from = await direct.currentRevision(forever)
  const want = Array.from({ length: 50 }, (_, index) => `${prefix}${index}`)
  let seen = 0
  // Without permission to repeat (`breaks`): more than the store interface promises, but what the comment in etcd-watch.ts does.
  const watch = observeUntil({ store, prefix, after: from, signal: forever }, ({ changes }) => {
    seen = changes.length
    return seen === want.length
  })
  for (const [index, key] of want.entries()) {
    await direct.commit(put(key), forever)
    // By turns when all has been delivered, and with changes on the way.
    if (index % 20 === 5) await until('the watch has kept up', () => seen > index)
    if (index % 10 === 5) proxy.cut()
  }
  assert.deepEqual(
    (await watch).changes.map(({ key }) => key),
    want,
  )
})

test('etcd: a watch that was cut off for longer than history lasts says so', async (t) => {
  const { proxy, store } = await openThroughProxy(t)
  const prefix = '/too-long/'
  const from = await direct.currentRevision(forever)
  const heard = Promise.withResolvers<void>()
  const watch = observeUntil({ store, prefix, after: from, signal: forever }, () => {
    heard.resolve()
    return false
  })
  watch.catch(() => {})
  await direct.commit(put(`${prefix}1`), forever)
  await heard.promise
  proxy.pauseAnswers()
  await direct.commit(put(`${prefix}2`), forever)
  const { revision } = await direct.commit(put(`${prefix}2`), forever)
  proxy.cut()
  await direct.compact(revision, forever)
  proxy.resume()
  await assert.rejects(watch, (error) => {
    return error instanceof RevisionCompacted && error.compactedRevision === revision
  })
})

test('etcd: a deletion that compaction has forgotten is not passed over in silence', async () => {
  const key = '/forgotten/x'
  await direct.commit(put(key), forever)
  const before = await direct.currentRevision(forever)
  const gone = await direct.commit({ writes: [{ kind: 'delete', key }], guards: [] }, forever)
  await direct.compact(gone.revision, forever)
  // etcd itself accepts this watch, because its first revision is the compacted one.
  const watch = observeUntil({ store: direct, prefix: key, after: before, signal: forever }, () => true)
  await assert.rejects(watch, RevisionCompacted)
})

test('etcd: a slow reader holds back its own watch only', async (t) => {
  const { proxy, store } = await openThroughProxy(t)
  const prefix = '/slow/'
  const from = await direct.currentRevision(forever)
  const reader = store.watch(prefix, from, forever)[Symbol.asyncIterator]()
  const first = reader.next()
  const count = 24
  const large = 'x'.repeat(500_000)
  for (let index = 0; index < count; index++) await direct.commit(put(`${prefix}${index}`, large), forever)
  await until('the watch is in full flow', () => proxy.answeredBytes > 1_000_000)
  // On the same connection as the watch that is not read.
  for (let round = 0; round < 50; round++) await store.currentRevision(forever)
  assert.ok(
    proxy.answeredBytes < 5_000_000,
    `${proxy.answeredBytes} bytes were taken for a reader that sleeps`,
  )

  const observer = new Observer(prefix, from)
  for (let next = await first; !next.done; next = await reader.next()) {
    observer.take(next.value)
    if (observer.changes.length === count) break
  }
  await reader.return?.()
  assert.deepEqual(
    observer.changes.map(({ key }) => key),
    Array.from({ length: count }, (_, index) => `${prefix}${index}`),
  )
})

test('etcd: changes of one revision travel together also when etcd sends them in parts', async () => {
  const prefix = '/parts/'
  const from = await direct.currentRevision(forever)
  const [commits, keys] = [4, 7]
  const value = new Uint8Array(180_000)
  for (let round = 0; round < commits; round++) {
    const writes = Array.from(
      { length: keys },
      (_, index): Write => ({ kind: 'put', key: `${prefix}${index}`, value }),
    )
    await direct.commit({ writes, guards: [] }, forever)
  }
  const sent = await observeParts(prefix, from + 1, commits * keys)
  assert.ok(sent.parts > 0, 'etcd sent no parts, so this test proves nothing')
  assert.ok(sent.split, 'no revision was split, so this test proves nothing')
  // The observer refuses a revision that comes after its batch was complete.
  const seen = await observeUntil({ store: direct, prefix, after: from, signal: forever }, ({ changes }) => {
    return changes.length === commits * keys
  })
  for (const { changes } of seen.batches) {
    for (const group of Map.groupBy(changes, ({ revision }) => revision).values())
      assert.equal(group.length, keys)
  }
})

/** The responses of etcd: how many parts, and whether one of them ends within a revision. */
async function observeParts(prefix: string, startRevision: number, events: number) {
  const stream = await direct.client.watch(
    { key: prefix, rangeEnd: `${prefix}\u{10ffff}`, startRevision },
    forever,
  )
  let [seen, parts, last, split] = [0, 0, 0, false]
  while (seen < events) {
    const message = await stream.next()
    assert.ok(message)
    const response = decodeWatch(message)
    seen += response.events.length
    if (response.fragment) parts++
    if (response.events[0]?.entry.revision === last) split = true
    last = response.events.at(-1)?.entry.revision ?? last
  }
  stream.close()
  return { parts, split }
}
