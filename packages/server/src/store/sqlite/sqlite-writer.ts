// The thread that writes. Started by `start-writer.ts`; everything it does is in `writer.ts`.
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '@strata/world'
import type { Reply, Request } from './protocol.ts'
import { UnknownStoreFormat } from './schema.ts'
import { describeError } from './sqlite-error.ts'
import { Writer, type WriterOptions } from './writer.ts'

const port = parentPort
invariant(port, 'this file runs in a worker thread')
const answer = (reply: Reply): void => port.postMessage(reply)

function open(options: WriterOptions): Writer | undefined {
  try {
    const writer = new Writer(options, (message) => answer({ kind: 'warning', message }))
    answer({ kind: 'ready' })
    return writer
  } catch (error) {
    answer({
      kind: 'refused to open',
      foreign: error instanceof UnknownStoreFormat,
      message: describeError(error),
    })
    return undefined
  }
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
