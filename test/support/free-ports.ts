import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/**
 * Below the ports that the system gives to outgoing connections (32768 and up, as Linux is set): a port from among those
 * may be in use by some client the moment before a server listens on it, or while it is down to be started again.
 */
const range = [12_000, 32_000] as const

/** Loopback ports without a listener a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen()))
  const ports = servers.map((server) => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
    return address.port
  })
  // Held until all are known: a port that is given back at once may be given out again.
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') listen().then(resolve, reject)
      else reject(error)
    })
    server.listen(randomInt(...range), '127.0.0.1', () => resolve(server))
  })
}
