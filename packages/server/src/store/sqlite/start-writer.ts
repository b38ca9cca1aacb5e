import { Worker } from 'node:worker_threads'
import type { WriterOptions } from './writer.ts'

export type StartWriter = (options: WriterOptions) => Worker

/**
 * The one place that knows where the writing thread's code is: beside this file, with the same ending. When
 * everything is bundled into one file, another `startWriter` takes the place of this one (tools/bundle-command.ts).
 */
export function startWriter(options: WriterOptions): Worker {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const entry = new URL(`./sqlite-writer.${ending}`, import.meta.url)
  return new Worker(entry, { workerData: options, name: 'sqlite writer' })
}
