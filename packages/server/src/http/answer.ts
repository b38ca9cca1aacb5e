import { timeout } from '@strata/api'
import type { HttpRequest, HttpResponse, World } from '@strata/world'
import { findTarget } from '../filters/index.ts'
import {
  type Handler,
  LargeBodies,
  type RequestContext,
  type ServerRequest,
  type YamlReader,
} from '../handlers/index.ts'
import type { ServedApi } from '../registry/index.ts'
import { encodeAnswer } from './encode-answer.ts'
import { respondBug, respondError, toApiError } from './status.ts'

/** The server as a function that answers every request. */
export function answerRequests(
  handler: Handler,
  { log, clock }: World,
  { yaml, api }: { readonly yaml: YamlReader; readonly api: Pick<ServedApi, 'find' | 'elsewhere'> },
): (request: HttpRequest) => Promise<HttpResponse> {
  const largeBodies = new LargeBodies(clock)
  return async (request: ServerRequest) => {
    const found = findTarget(api, request)
    const { info } = found
    const context: RequestContext = {
      ...found,
      request,
      signal: request.signal,
      user: undefined,
      auditId: '',
      warnings: [],
      yaml,
      largeBodies,
    }
    try {
      return await encodeAnswer(context, await handler(context))
    } catch (error) {
      log.error('request filter failed', { error: errorText(error), path: info.path })
      return respondBug()
    }
  }
}

/** Turns errors into answers, so that the outer filters see only answers. */
export function answerErrors(handler: Handler, { log }: World): Handler {
  return async (context) => {
    try {
      return await handler(context)
    } catch (error) {
      const known = toApiError(error)
      if (known) return respondError(known)
      const { auditId, info, signal } = context
      // The client has gone, and the wait that was aborted threw its reason. No one reads this answer.
      if (signal.aborted && error === signal.reason) return respondError(timeout('the client has gone away'))
      log.error('request failed with an unexpected error', {
        auditId,
        verb: info.verb,
        path: info.path,
        error: errorText(error),
      })
      return respondBug()
    }
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
