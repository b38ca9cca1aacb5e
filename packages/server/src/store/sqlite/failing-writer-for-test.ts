// The thread that writes, to a file that fails: `startFailingWriter` of this file starts it.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { FailingDatabase, FileFaults } from './failing-database-for-test.ts'
import { serveWriter } from './serve-writer.ts'
import type { StartWriter } from './start-writer.ts'
import type { WriterOptions } from './writer.ts'

export { FileFaults, type Strike, strike } from './failing-database-for-test.ts'

/** For `createSqliteStore`: a store over a file that fails as `faults` says. */
export function startFailingWriter({ cells: strikes }: FileFaults): StartWriter {
  return (options) => new Worker(new URL(import.meta.url), { workerData: { ...options, strikes } })
}

if (!isMainThread && parentPort) {
  const { strikes, ...options } = workerData as WriterOptions & { strikes: Int32Array }
  const faults = new FileFaults(strikes)
  serveWriter(parentPort, { ...options, open: (path) => new FailingDatabase(path, faults) })
}
