import { appendFileSync } from 'node:fs'
import { createNodeProcesses } from '@strata/world/node'
import { lockFile } from './process-lock.ts'

// A process that takes a lock and gives it back, for ever, and writes down when it is inside; or that keeps it.
const [, , lock = '', journal = '', times = ''] = process.argv
const processes = createNodeProcesses()
const clock = new Int32Array(new SharedArrayBuffer(4))
for (;;) {
  const outcome = lockFile(lock, processes)
  if (outcome.kind !== 'held') {
    Atomics.wait(clock, 0, 0, 1)
    continue
  }
  appendFileSync(journal, `in ${process.pid}\n`)
  Atomics.wait(clock, 0, 0, times === 'once' ? 60_000 : 2)
  appendFileSync(journal, `out ${process.pid}\n`)
  outcome.release()
}
