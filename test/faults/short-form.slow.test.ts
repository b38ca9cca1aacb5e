import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkStore } from './check-store.ts'
import type { FaultKind } from './fault-kind.ts'
import { kill } from './kinds/kill.ts'
import { leaderChange } from './kinds/leader-change.ts'
import { partition } from './kinds/partition.ts'
import { restore } from './kinds/restore.ts'
import { RestingObjects } from './resting-objects.ts'
import { runRound } from './run-round.ts'
import type { FaultStep, RoundPlan } from './schedule.ts'
import { openStage } from './stage/stage.ts'
import type { StoreKind } from './stage/store-home.ts'

/** One of each, in two lanes: `npm run faults` draws many more from a seed. */
const plans: Readonly<Record<StoreKind, readonly (readonly FaultKind[])[]>> = {
  sqlite: [[kill, partition], [restore]],
  etcd: [
    [partition, kill],
    [leaderChange, restore],
  ],
}

const stepOf = (kind: FaultKind, index: number): FaultStep => ({
  kind,
  choice: { server: index === 0 ? 'b' : 'c', node: 0, magnitude: 0.3 },
  restMs: 100,
  holdMs: 500,
})

for (const store of ['sqlite', 'etcd'] as const) {
  test(`faults on ${store}: a kill, a partition and a restore lose nothing, and no watch misses anything`, async (t) => {
    const stage = await openStage({ store, network: 'loopback' })
    try {
      await stage.untilWhole()
      const plan: RoundPlan = { round: 0, lanes: plans[store].map((kinds) => kinds.map(stepOf)) }
      const lines: string[] = []
      const report = await runRound({
        ...{ stage, plan, seed: 'short', signal: new AbortController().signal },
        resting: new RestingObjects(),
        log: (text) => void lines.push(text),
      })
      const { problems, undecided, ...figures } = report
      t.diagnostic(JSON.stringify(figures))
      const said = stage.processes.map(({ name, output }) => `--- ${name} said:\n${output}`)
      assert.deepEqual(problems, [], [...problems, ...lines, ...said].join('\n'))
      assert.deepEqual(undecided, [])
      assert.deepEqual(
        Object.keys(report.faults).sort(),
        plans[store]
          .flat()
          .map(({ name }) => name)
          .sort(),
      )
      assert.ok(report.acknowledged > 0 && report.events > 0)
      assert.deepEqual(await checkStore(stage), [])
    } finally {
      await stage.close()
    }
  })
}
