import { parentPort } from 'node:worker_threads'
import { sabotageNamed } from '../sabotage.ts'
import { chainNamed } from './chain.ts'
import type { ChainTask } from './chain-pool.ts'
import { type ChainReport, runChain } from './run-chain.ts'

parentPort?.on('message', (task: ChainTask) => {
  void report(task).then((result) => parentPort?.postMessage(result))
})

async function report({ chain: name, mostCuts, sabotage }: ChainTask): Promise<ChainReport> {
  try {
    const chain = chainNamed(name)
    if (!chain) throw new Error(`there is no chain ${name}`)
    return await runChain(chain, { mostCuts, sabotage: sabotageNamed(sabotage) })
  } catch (error) {
    // The simulation itself has failed, which is as bad as a broken promise: the chain proves nothing.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const violations = [{ checker: 'simulation', atMs: 0, text }]
    return { chain: name, cuts: 0, violations, simulatedMs: 0, operations: 0 }
  }
}
