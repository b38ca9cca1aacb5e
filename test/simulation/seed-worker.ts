import { parentPort } from 'node:worker_threads'
import { countHistory } from './coverage.ts'
import { migrationPrefixes } from './keys.ts'
import { runSeed } from './run-seed.ts'
import { sabotageNamed } from './sabotage.ts'
import { fixedShape, type SeedReport, type SeedTask } from './seed-pool.ts'

parentPort?.on('message', (task: SeedTask) => {
  void report(task).then((result) => parentPort?.postMessage(result))
})

async function report(task: SeedTask): Promise<SeedReport> {
  const { seed, sabotage } = task
  try {
    const { violations, history, traceHash } = await runSeed({
      seed,
      sabotage: sabotageNamed(sabotage),
      shape: fixedShape(task),
    })
    const { endMs, operations, keysDropped, commits } = history
    return {
      ...{ ...task, violations, simulatedMs: endMs, traceHash, counts: countHistory(history) },
      ...{ operations: operations.length, keysDropped: keysDropped.length },
      migrationPrefixes: migrationPrefixes.filter((prefix) =>
        commits.some(({ changes }) => changes.some(({ key }) => key.startsWith(prefix))),
      ),
    }
  } catch (error) {
    // The simulation itself has failed, which is as bad as a broken promise: the seed proves nothing.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const violations = [{ checker: 'simulation', atMs: 0, text }]
    const nothing = {
      simulatedMs: 0,
      operations: 0,
      keysDropped: 0,
      migrationPrefixes: [],
      traceHash: '',
      counts: {},
    }
    return { ...task, violations, ...nothing }
  }
}
