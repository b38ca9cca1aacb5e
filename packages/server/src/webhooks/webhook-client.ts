import { parseSent, type WebhookClientConfig } from '@strata/api'
import { type Clock, DeadlineExceeded, deadline, type Outbound, OutboundError } from '@strata/world'
import { MalformedJson, parseObjectText, textOf } from '../codec/index.ts'
import type { ServiceResolver } from '../services/index.ts'
import { goSeconds } from './go-seconds.ts'
import { responseProblem } from './response-problem.ts'
import { findTarget } from './target.ts'

/** A webhook could not be called, or its response is invalid. The message is upstream's, from `Post "https://…"` on. */
export class WebhookCallFailed extends Error {
  override readonly name = 'WebhookCallFailed'
}

export interface WebhookCall {
  readonly config: WebhookClientConfig
  /** JSON. */
  readonly body: Uint8Array
  /** Also sent to the webhook. */
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly signal: AbortSignal
}

/** Posts JSON and parses the response without loss. Throws WebhookCallFailed, or the reason of an aborted signal. */
export type WebhookClient = (call: WebhookCall) => Promise<Readonly<Record<string, unknown>>>

export interface WebhookClientOptions {
  /** Without it the server has no outbound network, and every webhook fails. */
  readonly outbound?: Outbound
  readonly resolveService?: ServiceResolver
  readonly clock: Clock
}

const noOutbound: Outbound = () =>
  Promise.reject(new OutboundError('this server was started without a network for webhooks'))

/** One client for all webhooks, of admission and of conversion. */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { outbound = noOutbound, resolveService = () => undefined, clock } = options
  return async ({ config, body, timeoutMs, maxResponseBytes, signal }) => {
    const limit = deadline(clock, timeoutMs, signal)
    let shown = ''
    try {
      const target = await findTarget(config, resolveService)
      const query = `?timeout=${goSeconds(timeoutMs)}`
      shown = target.shownUrl + query
      if ('problem' in target) throw new OutboundError(target.problem)
      const { url, ca, serverName, hostHeader } = target
      const {
        status,
        headers,
        body: bytes,
      } = await outbound({
        url: url + query,
        headers: {
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'user-agent': 'kube-apiserver-admission',
          ...(hostHeader === undefined ? {} : { host: hostHeader }),
        },
        body,
        ca,
        serverName,
        maxResponseBytes,
        signal: limit.signal,
      })
      const problem = responseProblem(status, String(headers['content-type'] ?? ''), bytes)
      if (problem !== undefined) throw new WebhookCallFailed(problem)
      return parseObjectText(textOf(bytes), parseSent)
    } catch (error) {
      // A client that is gone, or an expired request, is not the webhook's fault.
      signal.throwIfAborted()
      throw asCallFailure(error, shown)
    } finally {
      limit.dispose()
    }
  }
}

function asCallFailure(error: unknown, shown: string): WebhookCallFailed {
  if (error instanceof WebhookCallFailed) return error
  if (error instanceof MalformedJson) {
    const message = `couldn't get version/kind; json parse error: ${error.message}`
    return new WebhookCallFailed(message, { cause: error })
  }
  const why =
    error instanceof DeadlineExceeded
      ? 'context deadline exceeded'
      : error instanceof Error
        ? error.message
        : String(error)
  return new WebhookCallFailed(`Post ${JSON.stringify(shown)}: ${why}`, { cause: error })
}
