import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { silentLog } from '@strata/world'
import { type EtcdCluster, startEtcd } from '../../../../../test/support/etcd.ts'
import { until } from '../../../../../test/support/until.ts'
import { OutcomeUnknown, StoreReplaced, StoreUnavailable } from '../errors.ts'
import { readOne } from '../store.ts'
import { takeTurn } from './compactor.ts'
import { forever, open, put } from './open-for-test.ts'

async function start(t: TestContext): Promise<EtcdCluster> {
  const cluster = await startEtcd()
  t.after(() => cluster.stop())
  return cluster
}

const portOf = ({ endpoints: [url = ''] }: EtcdCluster): number => Number(new URL(url).port)

/** One address behind which there is one etcd, and later another. */
async function relay(t: TestContext, first: EtcdCluster) {
  let target: number | undefined = portOf(first)
  const sockets = new Set<{ destroy(): unknown }>()
  const server = createServer((socket) => {
    if (target === undefined) {
      socket.destroy()
      return
    }
    const other = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const cut = (): void => {
    for (const socket of [...sockets]) socket.destroy()
  }
  t.after(() => {
    cut()
    server.close()
  })
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    leadTo: (cluster: EtcdCluster): void => {
      target = portOf(cluster)
      cut()
    },
    block: (): void => {
      target = undefined
      cut()
    },
  }
}

test('etcd: another cluster behind the only endpoint is reported, once', async (t) => {
  const [one, other] = [await start(t), await start(t)]
  const way = await relay(t, one)
  const store = await open([way.endpoint])
  t.after(() => store.close())
  await store.commit(put('/key'), forever)
  way.leadTo(other)
  await assert.rejects(store.read(['/key'], forever), StoreReplaced)
  assert.equal(await readOne(store, '/key', forever), undefined)
})

test('etcd: readers learn of another cluster, also if the compactor connects to it first', async (t) => {
  const [one, other] = [await start(t), await start(t)]
  const way = await relay(t, one)
  const store = await open([way.endpoint])
  t.after(() => store.close())
  await store.commit(put('/key'), forever)
  way.leadTo(other)
  const turn = (): Promise<unknown> => takeTurn(store, { logicalTime: 0, revision: 0 }, silentLog, forever)
  await until('the compactor meets the other cluster', () =>
    turn().then(
      () => false,
      (error: unknown) => error instanceof StoreReplaced,
    ),
  )
  await turn()
  await assert.rejects(store.read(['/key'], forever), StoreReplaced)
  assert.equal(await readOne(store, '/key', forever), undefined)
})

test('etcd: an endpoint of another cluster is not used, also while the right one is down', async (t) => {
  const [one, other] = [await start(t), await start(t)]
  const store = await open([...one.endpoints, ...other.endpoints])
  t.after(() => store.close())
  const { revision } = await store.commit(put('/key'), forever)
  assert.ok(revision > 1)
  await one.nodes[0]?.kill()
  await assert.rejects(store.commit(put('/late'), forever), (error) => {
    // Unknown, if the end of the connection has not been noticed before it was sent.
    return error instanceof StoreUnavailable || error instanceof OutcomeUnknown
  })
  const direct = await open(other.endpoints)
  t.after(() => direct.close())
  assert.equal(await readOne(direct, '/late', forever), undefined)
})

for (const kind of ['put', 'delete'] as const) {
  test(`etcd: a watch that resumes in another history than it has seen says so, after a ${kind}`, async (t) => {
    const cluster = await start(t)
    const [node] = cluster.nodes
    assert.ok(node)
    const way = await relay(t, cluster)
    const store = await open([way.endpoint])
    t.after(() => store.close())
    const copy = await mkdtemp(join(tmpdir(), 'strata-backup-'))
    t.after(() => rm(copy, { recursive: true, force: true }))
    await store.commit(put('/watched/1'), forever)
    await node.kill()
    await cp(node.directory, copy, { recursive: true })
    await node.restart()
    const watch = store.watch('/watched/', 1, forever)[Symbol.asyncIterator]()
    await watch.next()
    await store.commit(put('/watched/2', 'of the timeline that is over'), forever)
    await watch.next()
    if (kind === 'delete') {
      await store.commit({ writes: [{ kind, key: '/watched/2' }], guards: [] }, forever)
      await watch.next()
    }
    const next = watch.next()
    next.catch(() => {})
    // It comes back when the restored etcd has passed the revision that it has seen.
    way.block()
    await node.kill()
    await rm(node.directory, { recursive: true })
    await cp(copy, node.directory, { recursive: true })
    await node.restart()
    const direct = await open(cluster.endpoints)
    t.after(() => direct.close())
    for (let index = 0; index < 5; index++) await direct.commit(put('/other'), forever)
    way.leadTo(cluster)
    await direct.commit(put('/watched/new'), forever)
    await assert.rejects(next, StoreReplaced)
  })
}
