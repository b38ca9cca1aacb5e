import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { CliError } from '../output/errors.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** `127.0.0.1:2112`, `[::1]:2112`. The host is required, so that a port is never open to the world by accident. */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError('give a host and a port, such as 127.0.0.1:2112.')
  }
  return { host, port: Number(port) }
}

export interface MetricsListener {
  /** `http://127.0.0.1:2112/metrics` */
  readonly url: string
  close(): void
}

/** Serves `/metrics` without authentication. */
export async function listenForMetrics(
  { host, port }: ListenAddress,
  read: () => string,
): Promise<MetricsListener> {
  const server = createServer(({ method, url = '' }, response) => {
    const isMetrics = url.split('?')[0] === '/metrics' && (method === 'GET' || method === 'HEAD')
    response.writeHead(isMetrics ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    response.end(isMetrics ? read() : 'only /metrics is served here\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CliError(
          `--metrics-address ${host}:${port}: cannot listen there (${error.code}); choose another address`,
        ),
      ),
    )
    server.listen(port, host, () => resolve())
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  const name = family === 'IPv6' ? `[${address}]` : address
  return {
    url: `http://${name}:${bound}/metrics`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
