import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import { ask } from '../support/ask.ts'
import type { Answer } from '../support/fleet.ts'
import { freePorts } from '../support/free-ports.ts'
import { StrataProcess, untilReady } from '../support/serve-process.ts'
import { until } from '../support/until.ts'
import { type Keeper, startKeeper } from './keepers/start-keeper.ts'

// Controllers that know nothing of this server, written with the libraries that people use. What they do is looked at
// from outside: the lamps' status and finalizers, what was made for them, and who leads.

const lamps = '/apis/keepers.example.dev/v1/namespaces/default/lamps'
const maps = '/api/v1/namespaces/default/configmaps'
const patienceMs = 60_000

const leaders = {
  node: async (send: Send): Promise<string | undefined> =>
    (await send('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/keeper')).body.spec
      ?.holderIdentity,
  python: async (send: Send): Promise<string | undefined> => {
    const { metadata } = (await send('GET', `${maps}/keeper`)).body
    const record = metadata.annotations?.['control-plane.alpha.kubernetes.io/leader']
    return record === undefined ? undefined : JSON.parse(record).holderIdentity
  },
}

type Send = (method: string, target: string, body?: unknown) => Promise<Answer>

class Stage {
  readonly directory: string
  readonly #port: number
  readonly keepers: Keeper[] = []
  #server: StrataProcess | undefined
  #transport: NodeTransport | undefined

  constructor(directory: string, port: number) {
    this.directory = directory
    this.#port = port
  }

  get kubeconfig(): string {
    return join(this.directory, 'kubeconfig')
  }

  async startServer(): Promise<void> {
    this.#server = new StrataProcess('keepers-server', [
      'serve',
      ...[
        '--secure-port',
        String(this.#port),
        '--data-dir',
        this.directory,
        '--kubeconfig-out',
        this.kubeconfig,
      ],
      ...['--resources', join(import.meta.dirname, 'keepers/resources.ts')],
    ])
    const server = this.#server
    const read = async (file: string): Promise<string> => {
      const path = join(this.directory, 'pki', file)
      await until(`${file} is there`, () => {
        assert.ok(server.running, server.output)
        return existsSync(path)
      })
      return (await readFile(path, 'utf8')).trim()
    }
    const url = `https://127.0.0.1:${this.#port}`
    const access = { url, ca: await read('ca.crt'), token: await read('admin.token') }
    this.#transport?.close()
    this.#transport = createNodeTransport({ server: url, ca: access.ca, token: access.token })
    await untilReady(server, access)
  }

  async restartServer(how: 'terminate' | 'kill'): Promise<void> {
    await this.#server?.[how]()
    await this.startServer()
  }

  readonly send: Send = (method, target, body) => {
    assert.ok(this.#transport)
    return ask(this.#transport, method, target, body)
  }

  async clear(): Promise<void> {
    for (const keeper of this.keepers) await keeper.kill()
    this.#transport?.close()
    await this.#server?.kill()
    await rm(this.directory, { recursive: true, force: true })
  }
}

for (const language of ['node', 'python'] as const) {
  describe(`controllers: one written for ${language}`, () => {
    test('leads, keeps lamps, and goes on when leaders and servers die', async () => {
      const [port = 0] = await freePorts(1)
      const stage = new Stage(await mkdtemp(join(tmpdir(), `strata-keepers-${language}-`)), port)
      const { send } = stage
      const said = (): string => stage.keepers.map((each) => each.output).join('\n')
      const soon = <T>(what: string, look: () => Promise<T>): Promise<NonNullable<T>> =>
        until(what, look, { giveUpMs: patienceMs }).catch((cause: unknown) => {
          throw new Error(`${what}: never; the keepers said:\n${said()}`, { cause })
        })
      const leader = (): Promise<string | undefined> => leaders[language](send).catch(() => undefined)
      const create = async (name: string, colour: string): Promise<void> => {
        const lamp = {
          apiVersion: 'keepers.example.dev/v1',
          kind: 'Lamp',
          metadata: { name },
          spec: { colour },
        }
        assert.equal((await send('POST', lamps, lamp)).status, 201)
      }
      const shines = (name: string, colour: string): Promise<{ finalizers: string[]; keeper: string }> =>
        soon(`${name} shines ${colour}`, async () => {
          const { metadata, status } = (await send('GET', `${lamps}/${name}`)).body
          return status?.shines === colour
            ? { finalizers: metadata.finalizers, keeper: status.keeper }
            : undefined
        })
      try {
        await stage.startServer()
        for (const identity of ['anna', 'bert']) {
          stage.keepers.push(startKeeper(language, identity, stage.kubeconfig))
        }
        await soon('one of them leads', leader)

        await create('red', 'red')
        const { finalizers, keeper } = await shines('red', 'red')
        assert.deepEqual(finalizers, ['keepers.example.dev/extinguish'])
        assert.ok(stage.keepers.some(({ identity }) => identity === keeper))
        assert.equal((await send('GET', `${maps}/wick-red`)).status, 200)

        await stage.restartServer('terminate')
        await create('green', 'green')
        await shines('green', 'green')

        const first = await soon('one of them leads', leader)
        const second = first === 'anna' ? 'bert' : 'anna'
        await stage.keepers.find(({ identity }) => identity === first)?.kill()
        await soon(`${second} leads`, async () => (await leader()) === second)
        await create('blue', 'blue')
        assert.equal((await shines('blue', 'blue')).keeper, second)

        await stage.restartServer('kill')
        const changed = (await send('GET', `${lamps}/red`)).body
        assert.equal(
          (await send('PUT', `${lamps}/red`, { ...changed, spec: { colour: 'amber' } })).status,
          200,
        )
        assert.equal((await shines('red', 'amber')).keeper, second)

        await send('DELETE', `${lamps}/red`)
        // Gone only after its keeper has tidied up: never the lamp without the wick.
        await soon('the lamp is gone', async () => (await send('GET', `${lamps}/red`)).status === 404)
        assert.equal((await send('GET', `${maps}/wick-red`)).status, 404)
        assert.equal((await send('GET', `${maps}/wick-blue`)).status, 200)
        for (const { identity, isRunning } of stage.keepers) assert.equal(isRunning(), identity === second)
      } finally {
        await stage.clear()
      }
    })
  })
}
