import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Clock, silentLog } from '@strata/world'
import { createNodeWorld, nodeClock } from '@strata/world/node'
import type { CliContext } from '../context.ts'
import { createProgram } from '../program.ts'

/** What a server answers to a path; `held` takes the question and never answers. */
export type Answer = (path: string) => object | 'held'

/** Seconds pass in tens of milliseconds, so that tests need not wait for deadlines. */
const haste = 20

/** A server whose answers the test chooses, and a command line connected to it. */
export async function stageServer(t: TestContext, answer: Answer) {
  const server = createServer((request, response) => respond(request, response, answer)).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const home = await mkdtemp(join(tmpdir(), 'strata-stub-'))
  t.after(async () => {
    server.close()
    server.closeAllConnections()
    await rm(home, { recursive: true, force: true })
  })
  const kubeconfig = join(home, 'config')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'u' } }],
      clusters: [{ name: 'a', cluster: { server: address } }],
      users: [{ name: 'u', user: { token: 't' } }],
    }),
  )
  return (...args: string[]) => runCommand([...args, '--kubeconfig', kubeconfig])
}

/** A watch begins, and nothing happens. */
function respond(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stub')
  const said = answer(pathname)
  if (said === 'held') return
  if (searchParams.has('watch')) response.flushHeaders()
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(said))
}

export function runCommand(args: readonly string[]) {
  const stop = new AbortController()
  const lines: string[] = []
  /** How long anything was to be waited for. */
  const waits: number[] = []
  const clock: Clock = {
    wallMs: () => nodeClock.wallMs(),
    monotonicMs: () => nodeClock.monotonicMs() * haste,
    after: (delayMs, callback) => {
      waits.push(delayMs)
      return nodeClock.after(delayMs / haste, callback)
    },
    soon: (callback) => nodeClock.soon(callback),
  }
  const heard = new Set<() => void>()
  const context: CliContext = {
    world: { ...createNodeWorld({ log: silentLog }), clock },
    signal: stop.signal,
    environment: {},
    print: (text) => {
      lines.push(text)
      for (const each of heard) each()
    },
    isTerminal: false,
    screen: undefined,
    execPath: '',
    entry: '',
  }
  const says = (what: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (what.test(lines.join('\n'))) resolve()
      }
      heard.add(look)
      look()
    })
  return {
    stop,
    waits,
    says,
    output: () => lines.join('\n'),
    ended: createProgram(context).run(args),
  }
}
