import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { StrataServer } from '@strata/server'
import type { Store } from '@strata/server/store'
import { createEtcdStore } from '@strata/server/store/etcd'
import { createSqliteStore } from '@strata/server/store/sqlite'
import { silentLog, type World } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { Simulation } from '@strata/world/sim'
import { withoutQuorum } from '../simulation/lying-store.ts'
import { type AlternationCounts, StaleRead } from '../support/alternation-lane.ts'
import { alternate } from '../support/alternations.ts'
import { startEtcd } from '../support/etcd.ts'
import { createFleetServer } from '../support/fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import { uneasyLatenessMs, withLateWatch } from '../support/late-watch.ts'

const alternations = isFullSize ? 100_000 : 1_000
/** Without the barrier the first read of all is mostly wrong already. */
const sabotagedAlternations = 1_000

const world: World = createNodeWorld({ log: silentLog })

const homes: Readonly<Record<string, (t: TestContext) => Promise<() => Promise<Store>>>> = {
  sqlite: async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'strata-fresh-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    return () => createSqliteStore({ path: join(directory, 'store.db'), ...world })
  },
  etcd: async (t) => {
    const etcd = await startEtcd()
    t.after(() => etcd.stop())
    return () => createEtcdStore({ endpoints: etcd.endpoints, ...world })
  },
}

/** Two servers, each with a connection of its own to one store, both with watches that tell late. */
async function run(
  open: () => Promise<Store>,
  { count, sabotage }: { count: number; sabotage?: (store: Store) => Store },
): Promise<AlternationCounts> {
  const { random } = new Simulation('fresh reads').process('chance')
  const never = new AbortController().signal
  const stores = [await open(), await open()] as const
  const [a, b] = stores.map((store, index): StrataServer => {
    const late = withLateWatch(store, uneasyLatenessMs(random))
    const seen = sabotage ? sabotage(late) : late
    return createFleetServer({ world, store: seen, instance: `s${index}` })
  })
  assert.ok(a && b)
  try {
    await Promise.all([a.start(never), b.start(never)])
    return await alternate({ servers: [a, b], random, count })
  } finally {
    await Promise.all([a.stop(5_000), b.stop(5_000)])
    for (const store of stores) await store.close()
  }
}

for (const [home, start] of Object.entries(homes)) {
  test(`fresh reads on ${home}: ${alternations} writes through one server, each read through the other, never stale`, async (t) => {
    const counts = await run(await start(t), { count: alternations })
    t.diagnostic(JSON.stringify(counts))
    assert.equal(counts.alternations, alternations)
    assert.ok(counts.behind > alternations / 4, `only ${counts.behind} reads met a cache that was behind`)
  })

  test(`fresh reads on ${home}: a store that does not know its newest revision is found out`, async (t) => {
    const open = await start(t)
    await assert.rejects(run(open, { count: sabotagedAlternations, sabotage: withoutQuorum }), StaleRead)
  })
}
