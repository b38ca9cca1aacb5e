import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadline, silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { type EtcdCluster, startEtcd } from '../../../../../test/support/etcd.ts'
import { Observer } from '../contract/observer.ts'
import { OutcomeUnknown, StoreUnavailable } from '../errors.ts'
import { type Commit, type CommitOutcome, type Revision, readOne, type Store } from '../store.ts'
import { createEtcdStore, type EtcdStore } from './etcd-store.ts'

const WRITERS = 16
const COMMITS_BEFORE = 200
const COMMITS_AFTER = 400

const open = (cluster: EtcdCluster): Promise<EtcdStore> =>
  createEtcdStore({
    endpoints: cluster.endpoints,
    clock: nodeClock,
    random: createNodeRandom(),
    log: silentLog,
  })

test('etcd: the leader dies under load; nothing acknowledged is lost, and the watch has no gap', async (t) => {
  const cluster = await startEtcd({ size: 3 })
  t.after(() => cluster.stop())
  const stores = [await open(cluster), await open(cluster), await open(cluster)]
  t.after(() => Promise.all(stores.map((store) => store.close())))
  const [watching, reading] = stores
  assert.ok(watching && reading)
  const over = new AbortController()
  t.after(() => over.abort())
  const leader = await cluster.leader()

  const prefix = '/loss/'
  const after = await reading.currentRevision(over.signal)
  const observer = new Observer(prefix, after)
  const lastSeen = Promise.withResolvers<void>()
  const watch = (async () => {
    for await (const batch of watching.watch(prefix, after, over.signal)) {
      observer.take(batch)
      if (batch.changes.some(({ key }) => key === `${prefix}last`)) return lastSeen.resolve()
    }
  })()
  watch.catch(lastSeen.reject)

  const acknowledged = new Map<string, Revision>()
  let stop = false
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; !stop; round++) {
      const key = `${prefix}${writer}/${round}`
      const store = stores[writer % stores.length] ?? reading
      const revision = await createSurely(store, key, over.signal)
      acknowledged.set(key, revision)
      if (acknowledged.size === COMMITS_BEFORE) await leader.kill()
      if (acknowledged.size >= COMMITS_BEFORE + COMMITS_AFTER) stop = true
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  await createSurely(reading, `${prefix}last`, over.signal)
  await lastSeen.promise

  const { entries } = await reading.list({ prefix }, over.signal)
  const stored = new Map(entries.map(({ key, revision }) => [key, revision]))
  for (const [key, revision] of acknowledged) assert.equal(stored.get(key), revision, `${key} is lost`)
  const watched = new Map(observer.changes.map(({ key, revision }) => [key, revision]))
  assert.deepEqual(watched, new Map([...stored].sort(([, a], [, b]) => a - b)))
})

/** Creates a key as a careful caller does: blind retries only when nothing was written, else reads back. */
async function createSurely(store: Store, key: string, signal: AbortSignal): Promise<Revision> {
  const value = new TextEncoder().encode(key)
  const commit: Commit = { writes: [{ kind: 'put', key, value }], guards: [{ key, revision: 'absent' }] }
  for (let attempt = 0; attempt < 20; attempt++) {
    const limit = deadline(nodeClock, 1_500, signal)
    try {
      const outcome: CommitOutcome = await store.commit(commit, limit.signal)
      if (outcome.outcome === 'committed') return outcome.revision
      // Only we write this key: an earlier try of ours, of unknown outcome, took place after all.
      return outcome.broken[0].current?.revision ?? assert.fail('refused by nothing')
    } catch (error) {
      if (error instanceof StoreUnavailable) continue
      if (!(error instanceof OutcomeUnknown)) throw error
      const entry = await readOne(store, key, signal).catch(() => undefined)
      if (entry) return entry.revision
    } finally {
      limit.dispose()
    }
  }
  return assert.fail(`${key} could not be written`)
}
