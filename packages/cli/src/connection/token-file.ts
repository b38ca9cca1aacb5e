import { readFile } from 'node:fs/promises'
import type { Clock, HttpRequest, HttpResponse } from '@strata/world'
import type { NodeTransport } from '@strata/world/node'
import { CliError } from '../output/errors.ts'

/** A token in a pod lives for an hour, and its file has the next one long before. client-go reads it as often. */
const rereadMs = 60_000

/** Sends the token of a file, which is read again every minute. While it cannot be read, the last one counts, or `fallback`. */
export function withTokenFile(
  transport: NodeTransport,
  path: string,
  fallback: string | undefined,
  clock: Clock,
): NodeTransport {
  let token = fallback
  let readAtMs: number | undefined
  const current = async (): Promise<string> => {
    const nowMs = clock.monotonicMs()
    if (readAtMs === undefined || nowMs - readAtMs >= rereadMs) {
      readAtMs = nowMs
      token = (await readFile(path, 'utf8').catch(() => token))?.trim()
    }
    if (token === undefined) throw new CliError(`the token file ${path} cannot be read`)
    return token
  }
  const send = async (request: HttpRequest): Promise<HttpResponse> =>
    transport({ ...request, headers: { authorization: `Bearer ${await current()}`, ...request.headers } })
  return Object.assign(send, { close: () => transport.close() })
}
