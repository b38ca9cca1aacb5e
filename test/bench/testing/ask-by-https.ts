import { Agent, request } from 'node:https'
import type { Ask } from './test-suite.ts'

export interface Target {
  readonly url: string
  readonly token: string
  /** Without it, any certificate is taken. */
  readonly ca?: string
}

/** One connection, as a test that asks for one thing after another has. */
export function askByHttps({ url, token, ca }: Target): { readonly ask: Ask; close(): void } {
  const agent = new Agent({ keepAlive: true, ca, rejectUnauthorized: ca !== undefined })
  const ask: Ask = (method, path, body) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const asked = request(`${url}${path}`, { method, headers, agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }
  return { ask, close: () => agent.destroy() }
}
