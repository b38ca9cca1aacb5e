import { timingSafeEqual } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { unauthorized } from '@strata/api'
import { type HttpResponse, utf8 } from '@strata/world'
import { answerControl, type Control } from './answer-control.ts'
import type { ControlAccess } from './control-file.ts'

export interface ControlSocket {
  close(): void
}

const longestBody = 65_536

/** Serves the control of a fleet on a Unix socket. The socket's mode keeps other users out. The secret is a second check. */
export async function listenForControl(
  { socket, secret }: ControlAccess,
  control: Control,
): Promise<ControlSocket> {
  const server = createServer((request, response) => {
    void answer(request, response, secret, control)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, () => resolve())
  })
  await chmod(socket, 0o600)
  return {
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  secret: string,
  control: Control,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort(new Error('the client is gone')))
  try {
    const { method = 'GET', url: target = '/', headers } = request
    if (!isSame(headers.authorization ?? '', `Bearer ${secret}`)) {
      const { status } = unauthorized()
      response.writeHead(status.code, { 'content-type': 'application/json' }).end(JSON.stringify(status))
      return
    }
    const body = await bodyOf(request)
    await send(await answerControl(control, { method, target, body, signal: gone.signal }), response)
  } catch (error) {
    // The client is gone, or there is a bug that must not end the fleet.
    response.destroy(error instanceof Error ? error : undefined)
  }
}

async function send({ status, headers, body }: HttpResponse, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers as Record<string, string>)
  if (body instanceof Uint8Array) {
    response.end(body)
    return
  }
  response.flushHeaders()
  for await (const chunk of body) {
    // A reader that is slow misses states, so nothing piles up.
    if (!response.write(chunk))
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end()
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > longestBody) throw new Error('the body is too long')
  }
  return utf8.encode(text)
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
