import { Worker } from 'node:worker_threads'
import type { WriterOptions } from './writer.ts'

export type StartWriter = (options: WriterOptions) => Worker

/**
 * The only place that knows the path of the writing thread's code: beside this file, with the same extension. When everything is
 * bundled into one file, another `startWriter` replaces this one (tools/bundle-command.ts).
 */
export function startWriter(options: WriterOptions): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const entry = new URL(`./sqlite-writer.${ending}`, import.meta.url)
  return new Worker(entry, { workerData: options, name: 'sqlite writer' })
}
