import { type Clock, deadline, readAll, type Transport, utf8 } from '@strata/world'
import type { Asked, Reply } from './lab.ts'

/** How long a client waits for an answer. */
const patienceMs = 30_000
const mostTries = 4
const betweenTriesMs = 1_000

export interface RequestWay {
  readonly transport: Transport
  readonly token: string
  readonly clock: Clock
}

/** The answer to one JSON request; undefined if there is none in time. */
export async function sendRequest(
  { transport, token, clock }: RequestWay,
  { method, target, body, headers }: Asked,
): Promise<Reply | undefined> {
  const { signal, dispose } = deadline(clock, patienceMs)
  try {
    const response = await transport({
      ...{ method, target, signal },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: utf8.encode(JSON.stringify(body)) }),
    })
    const text = utf8.decode(await readAll(response.body))
    const isJson = String(response.headers['content-type']).includes('json')
    return { status: response.status, body: isJson ? JSON.parse(text) : { message: text } }
  } catch {
    return undefined
  } finally {
    dispose()
  }
}

/** Sends again for as long as the server asks for it. */
export async function withRetries(
  send: () => Promise<Reply | undefined>,
  pass: (ms: number) => Promise<void>,
): Promise<Reply | undefined> {
  for (let tries = 1; ; tries++) {
    const reply = await send()
    if (reply?.body.details?.retryAfterSeconds === undefined || tries === mostTries) return reply
    await pass(betweenTriesMs)
  }
}
