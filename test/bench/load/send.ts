import type { LoadClient } from './load-client.ts'

/** Resolves with the beginning of the answer; everything but success is thrown. */
export type Send = (method: string, path: string, body?: Buffer, accept?: string) => Promise<Buffer>

export function sendBy(client: LoadClient, name: string): Send {
  return async (method, path, body, accept) => {
    const { status, beginning } = await client.request(method, path, body, accept)
    if (status >= 300) throw new Error(`${name}: ${method} ${path} was answered ${status}: ${beginning}`)
    return beginning
  }
}
