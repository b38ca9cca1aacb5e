// The thread that writes. Started by `start-writer.ts`; everything it does is in `writer.ts`.
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '@strata/world'
import { StoreLost } from '../errors.ts'
import type { OpenProblem, Reply, Request } from './protocol.ts'
import { UnknownStoreFormat } from './schema.ts'
import { explainError } from './sqlite-error.ts'
import { Writer, type WriterOptions } from './writer.ts'

const port = parentPort
invariant(port, 'this file runs in a worker thread')
const answer = (reply: Reply): void => port.postMessage(reply)

function open(options: WriterOptions): Writer | undefined {
  try {
    const writer = new Writer(options, (message) => answer({ kind: 'warning', message }))
    answer({ kind: 'ready', store: writer.storeId })
    return writer
  } catch (error) {
    answer({
      kind: 'refused to open',
      why: problemOf(error),
      message: explainError(error),
    })
    return undefined
  }
}

function problemOf(error: unknown): OpenProblem {
  if (error instanceof UnknownStoreFormat) return 'foreign'
  return error instanceof StoreLost ? 'lost' : 'unavailable'
}

const writer = open(workerData as WriterOptions)

if (writer) {
  port.on('message', (request: Request) => {
    switch (request.kind) {
      case 'commits':
        answer(writer.commit(request))
        return writer.tidy()
      case 'compact':
        answer(writer.compact(request.revision))
        return writer.tidy()
      case 'close':
        writer.close()
        answer({ kind: 'closed' })
        return port.close()
    }
  })
} else {
  port.close()
}
