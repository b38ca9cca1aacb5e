import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { RevisionInFuture } from '../errors.ts'
import { startCompactor } from './compactor.ts'
import type { EtcdStore } from './etcd-store.ts'

test('compactor: goes on after etcd was restored to a revision before the one it remembers', async () => {
  const simulation = new Simulation('compactor')
  let [revision, version] = [100, 0]
  const compacted: number[] = []
  // Only what the compactor asks of etcd.
  const store = {
    client: {
      txn: async ({ compares: [compare] }: { compares: { equals: number }[] }) => {
        const succeeded = compare?.equals === version
        if (succeeded) version++
        return { succeeded, revision: ++revision, ranges: succeeded ? [] : [{ versions: [version] }] }
      },
    },
    compact: async (to: number) => {
      if (to > revision) throw new RevisionInFuture(to, revision)
      compacted.push(to)
    },
  } as unknown as EtcdStore
  const over = new AbortController()
  const { clock, log } = simulation.process('a')
  const ended = startCompactor({ store, clock, log, intervalMs: 1_000 }, over.signal)
  await simulation.run({ untilMs: simulation.nowMs + 1_500 })
  revision = 10
  await simulation.run({ untilMs: simulation.nowMs + 4_000 })
  over.abort()
  await simulation.settle(ended)
  assert.ok(compacted.length > 0, 'it compacts no more')
})
