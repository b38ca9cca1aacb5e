import type { MessagePort } from 'node:worker_threads'
import { problemOf } from './open-problem.ts'
import type { Reply, Request } from './protocol.ts'
import { explainError } from './sqlite-error.ts'
import { Writer, type WriterOptions } from './writer.ts'

/** Opens the file, and serves requests over the port until it is closed. Runs in a thread of its own. */
export function serveWriter(port: MessagePort, options: WriterOptions): void {
  const answer = (reply: Reply): void => port.postMessage(reply)
  const writer = open(options, answer)
  if (!writer) return port.close()
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
}

function open(options: WriterOptions, answer: (reply: Reply) => void): Writer | undefined {
  try {
    const writer = new Writer(options, (message) => answer({ kind: 'warning', message }))
    answer({ kind: 'ready', store: writer.storeId, isRestored: writer.isRestored })
    return writer
  } catch (error) {
    answer({ kind: 'refused to open', why: problemOf(error), message: explainError(error) })
    return undefined
  }
}
