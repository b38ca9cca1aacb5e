import { createServer } from 'node:net'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

/** The next `count` free ports from `first` on; 0 takes any. A given `first` must be free: firewalls and clients may name it. */
export async function findFreePorts(
  first: number,
  count: number,
  { isGiven }: { readonly isGiven: boolean },
): Promise<number[]> {
  const ports: number[] = []
  for (let port = first; ports.length < count; port = port === 0 ? 0 : port + 1) {
    if (port > 65_535 || (first !== 0 && port > first + 200)) {
      throw new CliError(`--port ${first}: fewer than ${count} free ports follow it; choose another`)
    }
    const free = await probe(port)
    if (free !== undefined) ports.push(free)
    else if (isGiven && port === first) {
      throw new CliError(
        `--port ${first}: the port is in use by another process; stop it, give another port, or leave out --port to take the next free one`,
        exitCodes.usage,
      )
    }
  }
  return ports
}

function probe(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const taken = typeof address === 'object' && address ? address.port : port
      server.close(() => resolve(taken))
    })
  })
}
