import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLog, type LogFields, silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { type EtcdCluster, startEtcd } from '../../../../../test/support/etcd.ts'
import { until } from '../../../../../test/support/until.ts'
import { RevisionCompacted } from '../errors.ts'
import { readOne } from '../store.ts'
import { startCompactor, takeTurn } from './compactor.ts'
import type { CompactionMemory } from './decide-compaction.ts'
import { createEtcdStore, type EtcdStore } from './etcd-store.ts'

const forever = new AbortController().signal
let cluster: EtcdCluster
let a: EtcdStore
let b: EtcdStore
before(async () => {
  cluster = await startEtcd()
  const open = (): Promise<EtcdStore> =>
    createEtcdStore({
      endpoints: cluster.endpoints,
      clock: nodeClock,
      random: createNodeRandom(),
      log: silentLog,
    })
  ;[a, b] = [await open(), await open()]
})
after(async () => {
  await Promise.all([a.close(), b.close()])
  await cluster.stop()
})

const put = async (value: string): Promise<number> => {
  const write = { kind: 'put' as const, key: '/object', value: new TextEncoder().encode(value) }
  return (await a.commit({ writes: [write], guards: [] }, forever)).revision
}
const isReadable = (revision: number): Promise<boolean> =>
  a.list({ prefix: '/object', revision }, forever).then(
    () => true,
    (error) => {
      assert.ok(error instanceof RevisionCompacted)
      return false
    },
  )

test('of two compactors one acts per interval, and history of one interval stays', async () => {
  const log = silentLog
  const old = await put('old')
  let mine: CompactionMemory = { logicalTime: 0, revision: 0 }
  let theirs = mine
  mine = await takeTurn(a, mine, log, forever)
  theirs = await takeTurn(b, theirs, log, forever)
  assert.deepEqual([mine.logicalTime, theirs.logicalTime], [1, 1])
  assert.ok(await isReadable(old), 'the first turns compact nothing')

  const newer = await put('newer')
  const seenByMine = mine.revision
  mine = await takeTurn(a, mine, log, forever)
  theirs = await takeTurn(b, theirs, log, forever)
  assert.deepEqual([mine.logicalTime, theirs.logicalTime], [2, 2])
  const entry = await readOne(a, 'compact_rev_key', forever)
  assert.equal(new TextDecoder().decode(entry?.value), `${seenByMine}`)
  assert.equal(await isReadable(old), false)
  assert.ok(await isReadable(newer))

  // One of them is gone for good; the other carries on alone.
  theirs = await takeTurn(b, theirs, log, forever)
  assert.equal(theirs.logicalTime, 3)
  assert.ok((await readOne(b, 'compact_rev_key', forever))?.revision)
  assert.ok(await isReadable(theirs.revision))
})

test('the compactor runs by the clock until it is stopped, and not at all with interval 0', async () => {
  const stop = new AbortController()
  const compacted: LogFields[] = []
  const log = createLog((_, message, fields) => {
    if (message === 'compacted etcd') compacted.push(fields)
  })
  await startCompactor({ store: a, clock: nodeClock, log, intervalMs: 0 }, stop.signal)
  const running = startCompactor({ store: a, clock: nodeClock, log, intervalMs: 10 }, stop.signal)
  await until('it has compacted twice', () => compacted.length >= 2)
  stop.abort()
  await running
})
