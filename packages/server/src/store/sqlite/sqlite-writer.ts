// The thread that writes. Started by `start-writer.ts`; everything it does is in `serve-writer.ts`.
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '@strata/world'
import { serveWriter } from './serve-writer.ts'
import type { WriterOptions } from './writer.ts'

invariant(parentPort, 'this file runs in a worker thread')
serveWriter(parentPort, workerData as WriterOptions)
