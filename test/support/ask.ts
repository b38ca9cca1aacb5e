import { deadline, readAll, type Transport, utf8 } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { Answer } from './fleet.ts'

/** One JSON request over a transport that has its own credentials, with an end to the waiting. */
export async function ask(
  transport: Transport,
  method: string,
  target: string,
  body?: unknown,
  { giveUpMs = 30_000 }: { readonly giveUpMs?: number } = {},
): Promise<Answer> {
  const limit = deadline(nodeClock, giveUpMs)
  try {
    const response = await transport({
      method,
      target,
      headers: {
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      body: body === undefined ? undefined : utf8.encode(JSON.stringify(body)),
      signal: limit.signal,
    })
    const text = utf8.decode(await readAll(response.body))
    const isJson = String(response.headers['content-type']).includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  } finally {
    limit.dispose()
  }
}
