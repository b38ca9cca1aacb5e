import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { StrataServer } from '@strata/server'
import { createEtcdStore, type EtcdStore } from '@strata/server/store/etcd'
import { silentLog, type World } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { type EtcdNode, startEtcd } from '../support/etcd.ts'
import { fewKinds } from '../support/few-kinds.ts'
import { type Answer, call, createFleetServer } from '../support/fleet.ts'
import { openWatch } from '../support/open-watch.ts'
import { until } from '../support/until.ts'

// Rule 19 on a real etcd: its data is put back to what it was, under running servers.

const world: World = createNodeWorld({ log: silentLog })
const never = new AbortController().signal
const incarnationKey = '/registry/strata.dev/ticks/incarnation'
const maps = '/api/v1/namespaces/default/configmaps'

interface Backup {
  /** Stops etcd, keeps a copy of its data, and starts it again. */
  make(): Promise<void>
  /** Puts the copy back, and starts etcd again. */
  restore(): Promise<void>
}

async function backupOf(t: TestContext, node: EtcdNode): Promise<Backup> {
  const copy = await mkdtemp(join(tmpdir(), 'strata-backup-'))
  t.after(() => rm(copy, { recursive: true, force: true }))
  return {
    make: async () => {
      await node.kill()
      await cp(node.directory, copy, { recursive: true })
      await node.restart()
    },
    restore: async () => {
      await node.kill()
      await rm(node.directory, { recursive: true })
      await cp(copy, node.directory, { recursive: true })
      await node.restart()
    },
  }
}

async function startServers(t: TestContext, endpoints: readonly string[], names: readonly string[]) {
  const stores: EtcdStore[] = []
  const servers: StrataServer[] = []
  t.after(async () => {
    await Promise.all(servers.map((server) => server.stop(2_000)))
    await Promise.all(stores.map((store) => store.close()))
  })
  for (const instance of names) {
    const store = await createEtcdStore({ endpoints, ...world })
    stores.push(store)
    const server = createFleetServer({
      ...{ world, store, instance, builtInResources: fewKinds },
      renewIntervalSeconds: 1,
    })
    servers.push(server)
  }
  await Promise.all(servers.map((server) => server.start(never)))
  return servers
}

const ask = (server: StrataServer, method: string, target: string, body?: unknown): Promise<Answer> =>
  call(server.handle, method, target, body)

const create = (server: StrataServer, name: string) =>
  ask(server, 'POST', maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

/** As a server would that was away, and noticed the restore last. */
async function renewIncarnation(endpoints: readonly string[]): Promise<void> {
  const store = await createEtcdStore({ endpoints, ...world })
  const value = Buffer.from('renewed by a server that was away')
  await store.commit({ writes: [{ kind: 'put', key: incarnationKey, value }], guards: [] }, never)
  await store.close()
}

async function replacements(server: StrataServer): Promise<number> {
  const { body } = await ask(server, 'GET', '/metrics')
  return Number(/^strata_store_replacements_total (\d+)$/m.exec(body)?.[1])
}

test('restored etcd: servers notice, watches get 410, nothing lost is served, and writes go on', async (t) => {
  const etcd = await startEtcd()
  t.after(() => etcd.stop())
  const [node] = etcd.nodes
  assert.ok(node)
  const servers = await startServers(t, etcd.endpoints, ['a', 'b', 'c'])
  const [a, b, c] = servers
  assert.ok(a && b && c)
  const backup = await backupOf(t, node)
  assert.equal((await create(a, 'kept')).status, 201)
  await backup.make()
  await until('etcd can be written again', async () => (await create(a, 'probe')).status === 201)
  for (let index = 0; index < 30; index++) {
    const server: StrataServer = servers[index % servers.length] ?? a
    assert.equal((await create(server, `lost-${index}`)).status, 201)
  }
  const { body: before } = await ask(b, 'GET', maps)
  const watch = await openWatch(b, `${maps}?watch=true&resourceVersion=${before.metadata.resourceVersion}`)
  await backup.restore()

  // From the first answer on that does not show it, no server shows what was lost.
  for (const server of servers) {
    await until('what was lost is not there', async () => {
      const { status } = await ask(server, 'GET', `${maps}/lost-7`)
      assert.notEqual(status, 200, 'what was lost is served')
      return status === 404
    })
  }
  await until('the watch gets 410', () =>
    watch.events.some(({ type, object }) => type === 'ERROR' && object.code === 410),
  )
  assert.ok(watch.events.every(({ type }) => type !== 'DELETED'))
  for (const [index, server] of servers.entries()) {
    await until('writes go on', async () => (await create(server, `again-${index}`)).status === 201)
    await until('it is ready', () => server.ready)
  }
  for (const server of servers) {
    const { body } = await ask(server, 'GET', maps)
    const names = body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort()
    assert.deepEqual(names, ['again-0', 'again-1', 'again-2', 'kept'])
    assert.ok(Number(body.metadata.resourceVersion) > Number(before.metadata.resourceVersion))
  }
  // A client that resumes where it was in the lost timeline gets 410 too.
  const resumed = await openWatch(a, `${maps}?watch=true&resourceVersion=${before.metadata.resourceVersion}`)
  await until('it gets 410', () =>
    resumed.events.some(({ type, object }) => type === 'ERROR' && object.code === 410),
  )
  // One restore: each server has begun anew once, however often they have looked since.
  for (let round = 0; round < 20; round++) {
    for (const server of servers) assert.equal((await ask(server, 'GET', maps)).status, 200)
  }
  assert.deepEqual(await Promise.all(servers.map(replacements)), [1, 1, 1])
  await renewIncarnation(etcd.endpoints)
  for (const server of servers) {
    await until('it lists', async () => (await ask(server, 'GET', maps)).status === 200)
    await until('it is ready', () => server.ready)
  }
  for (let round = 0; round < 20; round++) {
    for (const server of servers) await ask(server, 'GET', maps)
  }
  assert.deepEqual(await Promise.all(servers.map(replacements)), [2, 2, 2])
  const { body: records } = await ask(a, 'GET', '/apis/strata.dev/v1alpha1/storageagreements')
  for (const { metadata, status } of records.items) {
    assert.equal(status.recordingGap?.reason, 'StoreRestored', metadata.name)
    // Not in a lost epoch: none is later than the revision of its commit.
    const lost = Number(before.metadata.resourceVersion)
    assert.ok(status.epoch > lost, `${metadata.name} is in epoch ${status.epoch}`)
  }
})
