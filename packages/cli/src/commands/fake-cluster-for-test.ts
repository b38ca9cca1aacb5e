// A cluster of one server whose answers the test chooses, such as failures that no real server can be made to give.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Clock, silentLog, type World } from '@strata/world'
import { createNodeWorld, nodeClock } from '@strata/world/node'
import { createProgram } from '../program.ts'

export type Answer = { readonly code: number; readonly body: object } | 'hang up' | 'hang'
/** Undefined: it is not there. */
export type Answers = (
  method: string,
  path: string,
  body: Record<string, never>,
  query?: URLSearchParams,
) => Answer | undefined

export const ok = (body: object): Answer => ({ code: 200, body })
export const refusal = (code: number, message: string): Answer => ({
  ...{ code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message } },
})

/** Sixty times as quick as people are: a minute of patience is a second. */
const hasty: Clock = {
  wallMs: nodeClock.wallMs,
  monotonicMs: () => nodeClock.monotonicMs() * 60,
  after: (delayMs, callback) => nodeClock.after(delayMs / 60, callback),
  soon: nodeClock.soon,
}

export interface Ran {
  readonly code: number
  readonly said: string
  readonly warned: string
}

interface How {
  readonly signal?: AbortSignal
  readonly world?: Partial<World>
}

export interface FakeTls {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

export class FakeCluster {
  readonly url: string
  readonly #kubeconfig: string
  readonly #home: string

  constructor(home: string, kubeconfig: string, url: string) {
    this.#home = home
    this.#kubeconfig = kubeconfig
    this.url = url
  }

  /** With `tls` it speaks HTTPS, and the kubeconfig names the authority. */
  static async start(t: TestContext, answers: Answers, tls?: FakeTls): Promise<FakeCluster> {
    const listener: RequestListener = (request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://fake')
        const body = text === '' ? {} : JSON.parse(text)
        send(response, answers(request.method ?? '', path, body, query) ?? refusal(404, `no ${path}`))
      })
    }
    const server = tls ? createTlsServer(tls, listener) : createServer(listener)
    const home = mkdtempSync(join(tmpdir(), 'strata-fake-'))
    t.after(() => {
      server.closeAllConnections()
      server.close()
      rmSync(home, { recursive: true, force: true })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const kubeconfig = join(home, 'kubeconfig')
    const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
    const authority = tls ? { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') } : {}
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: url, ...authority } }],
      users: [{ name: 'u', user: { token: 't' } }],
    }
    writeFileSync(kubeconfig, JSON.stringify(config))
    return new FakeCluster(home, kubeconfig, url)
  }

  run(args: readonly string[], how: How = {}): Promise<Ran> {
    const [command = '', ...rest] = args
    return this.#run([command, '--kubeconfig', this.#kubeconfig, ...rest], how)
  }

  /** What the shell may complete after these words. */
  runWords(words: readonly string[], how: How = {}): Promise<Ran> {
    const [command = '', ...rest] = words
    return this.#run(['completion', '--words', '--', command, '--kubeconfig', this.#kubeconfig, ...rest], how)
  }

  async #run(
    args: readonly string[],
    { signal = new AbortController().signal, world = {} }: How,
  ): Promise<Ran> {
    const said: string[] = []
    const warned: string[] = []
    const code = await createProgram({
      world: { ...createNodeWorld({ log: silentLog }), clock: hasty, ...world },
      ...{ signal, environment: { HOME: this.#home }, isTerminal: false, screen: undefined },
      ...{ execPath: '', entry: '' },
      print: (text) => said.push(text),
      warn: (text) => warned.push(text),
    }).run(args)
    return { code, said: said.join('\n'), warned: warned.join('\n') }
  }
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return
  if (answer === 'hang up') {
    response.destroy()
    return
  }
  response.writeHead(answer.code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(answer.body))
}

interface ServedGroup {
  readonly group: string
  readonly version: string
  readonly resources: readonly { readonly name: string; readonly kind: string }[]
}

const verbs = ['create', 'get', 'list', 'patch', 'update']

/** Discovery of a few groups; the core group is called "". */
export function discovery(groups: readonly ServedGroup[]): Answers {
  return (method, path) => {
    if (method !== 'GET') return undefined
    if (path === '/api') return ok({ kind: 'APIVersions', versions: ['v1'] })
    if (path === '/apis') {
      const named = groups.filter(({ group }) => group !== '')
      return ok({
        kind: 'APIGroupList',
        groups: named.map(({ group: name, version }) => {
          const served = { groupVersion: `${name}/${version}`, version }
          return { name, versions: [served], preferredVersion: served }
        }),
      })
    }
    const found = groups.find(({ group, version }) =>
      group === '' ? path === `/api/${version}` : path === `/apis/${group}/${version}`,
    )
    if (!found) return undefined
    const groupVersion = found.group === '' ? found.version : `${found.group}/${found.version}`
    const resources = found.resources.map((each) => ({ ...each, singularName: '', namespaced: false, verbs }))
    return ok({ kind: 'APIResourceList', groupVersion, resources })
  }
}
