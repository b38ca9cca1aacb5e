// The thread in which inputs are tried: one that crashes or hangs takes no other with it.
import { parentPort, workerData } from 'node:worker_threads'
import { type Chunk, runChunk } from './run-chunk.ts'
import type { Subject } from './target.ts'
import { loadTargets } from './targets.ts'
import type { Uncaught } from './try-inputs.ts'

/** For the watchdog: the number of the input that is being tried, and how many were begun. */
const progress = workerData as { readonly watched: SharedArrayBuffer; readonly targetsModule?: string }
const watched = new Int32Array(progress.watched)

let rejection: unknown
process.on('unhandledRejection', (reason) => {
  rejection = reason ?? new Error('rejected without a reason')
})
const uncaught: Uncaught = {
  take: () => {
    const taken = rejection
    rejection = undefined
    return taken
  },
}

const targets = await loadTargets(progress.targetsModule)
const open = new Map<string, Promise<Subject>>()

async function run(chunk: Chunk) {
  const target = targets.find(({ name }) => name === chunk.target)
  if (!target) throw new Error(`there is no target ${chunk.target}`)
  const subject = await open.getOrInsertComputed(target.name, async () => target.open())
  return runChunk(target, subject, chunk, {
    uncaught,
    onInput: (number) => {
      Atomics.store(watched, 0, number)
      Atomics.add(watched, 1, 1)
    },
  })
}

parentPort?.on('message', (chunk: Chunk) => {
  run(chunk).then(
    (report) => parentPort?.postMessage({ report }),
    (error: unknown) =>
      parentPort?.postMessage({ problem: error instanceof Error ? error.stack : String(error) }),
  )
})
