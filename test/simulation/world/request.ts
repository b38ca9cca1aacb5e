import { deadline, type HttpHeaders, readAll, type Transport, utf8 } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import { adminToken } from '../../support/fleet.ts'

// biome-ignore lint/suspicious/noExplicitAny: an actor looks at whatever came back.
export type Json = any

export interface Reply {
  readonly status: number
  readonly body: Json
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly target: string
  readonly body?: unknown
  readonly headers?: HttpHeaders
  readonly timeoutMs: number
}

/** One JSON request of a simulated process, given up after a time on its own clock. */
export async function request(process: SimProcess, transport: Transport, asked: Request): Promise<Reply> {
  const { signal, dispose } = deadline(process.clock, asked.timeoutMs)
  try {
    const response = await transport({
      method: asked.method,
      target: asked.target,
      headers: {
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
        ...asked.headers,
      },
      ...(asked.body === undefined ? {} : { body: utf8.encode(JSON.stringify(asked.body)) }),
      signal,
    })
    const text = utf8.decode(await readAll(response.body))
    // Where there is nothing at all, that is said in plain text.
    const isJson = String(response.headers['content-type']).includes('json')
    return { status: response.status, body: isJson ? JSON.parse(text) : { message: text } }
  } finally {
    dispose()
  }
}
