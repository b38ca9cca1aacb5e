// A cluster of one server whose answers the test chooses, such as failures that no real server can be made to give.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Clock, silentLog, type World } from '@strata/world'
import { createNodeWorld, nodeClock } from '@strata/world/node'
import { createProgram } from '../program.ts'

export type Answer = { readonly code: number; readonly body: object } | 'hang up' | 'hang'
/** Undefined: it is not there. */
export type Answers = (method: string, path: string, body: Record<string, never>) => Answer | undefined

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

export class FakeCluster {
  readonly #kubeconfig: string
  readonly #home: string

  constructor(home: string, kubeconfig: string) {
    this.#home = home
    this.#kubeconfig = kubeconfig
  }

  static async start(t: TestContext, answers: Answers): Promise<FakeCluster> {
    const server = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const [path = ''] = (request.url ?? '').split('?')
        const body = text === '' ? {} : JSON.parse(text)
        send(response, answers(request.method ?? '', path, body) ?? refusal(404, `no ${path}`))
      })
    })
    const home = mkdtempSync(join(tmpdir(), 'strata-fake-'))
    t.after(() => {
      server.closeAllConnections()
      server.close()
      rmSync(home, { recursive: true, force: true })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const kubeconfig = join(home, 'kubeconfig')
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'u', user: { token: 't' } }],
    }
    writeFileSync(kubeconfig, JSON.stringify(config))
    return new FakeCluster(home, kubeconfig)
  }

  async run(
    args: readonly string[],
    {
      signal = new AbortController().signal,
      world = {},
    }: { signal?: AbortSignal; world?: Partial<World> } = {},
  ): Promise<Ran> {
    const said: string[] = []
    const warned: string[] = []
    const [command = '', ...rest] = args
    const code = await createProgram({
      world: { ...createNodeWorld({ log: silentLog }), clock: hasty, ...world },
      ...{ signal, environment: { HOME: this.#home }, isTerminal: false, screen: undefined },
      ...{ execPath: '', entry: '' },
      print: (text) => said.push(text),
      warn: (text) => warned.push(text),
    }).run([command, '--kubeconfig', this.#kubeconfig, ...rest])
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
