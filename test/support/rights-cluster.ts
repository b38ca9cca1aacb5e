import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ResourceDefinition } from '@strata/api'
import { createProgram, type GrantedRight, rolesOf } from '@strata/cli'
import {
  builtInResources,
  createWebhookClient,
  Encryption,
  frozenAmong,
  type StrataServer,
} from '@strata/server'
import { createMemoryStore, MemoryData } from '@strata/server/store'
import { type Clock, type Outbound, readAll, silentLog, timestamp, utf8 } from '@strata/world'
import { createNodeWorld, nodeClock } from '@strata/world/node'
import { lampDefinition, lampName, lampsName, lampsPath } from '../e2e/lamps.ts'
import { configurationOf } from './encrypted-fleet.ts'
import { type Answer, adminToken, call, createFleetServer } from './fleet.ts'
import { until } from './until.ts'

const group = 'rbac.authorization.k8s.io'
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const migrations = [
  '/apis/migration.k8s.io/v1alpha1/storageversionmigrations',
  '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations',
]
const never = new AbortController().signal

/** A minute of patience is a second. */
const hasty: Clock = {
  wallMs: nodeClock.wallMs,
  monotonicMs: () => nodeClock.monotonicMs() * 60,
  after: (delayMs, callback) => nodeClock.after(delayMs / 60, callback),
  soon: nodeClock.soon,
}
/** A network in which every webhook takes the request and never answers. */
const silent: Outbound = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
/** These wait for servers to learn of a change. The limits of the others have to be real, or a busy machine breaks them. */
const waiting: ReadonlySet<string> = new Set(['migrate', 'rotate-keys', 'crd', 'controllers'])

const keysOfLamps = (...keys: readonly string[]) => configurationOf(keys, [lampsName])

const neverReloaded = {
  ...{ succeeded: 0, failed: 0, lastSuccessMs: undefined, lastFailureMs: undefined, problem: undefined },
}

/** The requests of a command. */
export interface Run {
  readonly asked: string[]
  /** Requests that were answered with 403, and rights that a SelfSubjectAccessReview denied. */
  readonly denied: string[]
}

export interface RanCommand extends Run {
  readonly code: number
  readonly said: string
}

/** One Strata server with RBAC, some lamps, and commands that act as users with just the rights that a test gives them. */
export class RightsCluster {
  readonly home: string
  readonly #server: StrataServer
  readonly #runs = new Map<string, Run>()
  /** Called before each request of a command; what it returns is the answer. */
  intercept: (method: string, url: string, body: string) => Promise<Answer | undefined> = async () =>
    undefined
  #loadedFile = ''
  #onRequest = (): void => {}
  #listener: Server | undefined
  #kubeconfig = ''
  #users = 0
  #writes = 0

  private constructor(home: string, server: StrataServer) {
    this.home = home
    this.#server = server
  }

  static async start(
    runtimeConfig?: string,
    resources: readonly ResourceDefinition[] = [],
  ): Promise<RightsCluster> {
    const home = await mkdtemp(join(tmpdir(), 'strata-rights-'))
    const world = createNodeWorld({ log: silentLog })
    const webhooks = createWebhookClient({ clock: hasty, outbound: silent })
    const isPlain = frozenAmong(builtInResources)
    const encryption = await Encryption.create(keysOfLamps('identity'), { world, isPlain }, never)
    const loaded = (): string => cluster.#loadedFile
    const server = createFleetServer({
      ...{ world, encryption, webhooks, encryptionNews: () => ({ ...neverReloaded, hash: loaded() }) },
      ...{ store: createMemoryStore(new MemoryData()), instance: 'a', release: 'x+1' },
      ...{ bootstrapPolicy: true, hasLighthouse: false, runtimeConfig, resources },
    })
    const cluster = new RightsCluster(home, server)
    await server.start(never)
    await cluster.#listen()
    return cluster
  }

  /** From now on the server says that it has loaded this file of encryption keys. */
  claimToHaveLoaded(file: string): void {
    this.#loadedFile = `sha256:${createHash('sha256').update(file).digest('hex')}`
  }

  async stop(): Promise<void> {
    this.#listener?.close()
    this.#listener?.closeAllConnections()
    await this.#server.stop(1_000)
    await rm(this.home, { recursive: true, force: true })
  }

  send(method: string, target: string, body?: unknown): Promise<Answer> {
    return call(this.#server.handle, method, target, body)
  }

  async must(method: string, target: string, body?: unknown): Promise<Answer['body']> {
    const answer = await this.send(method, target, body)
    assert.ok(answer.status < 300, `${method} ${target}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** Lamps that are stored in v1. */
  async fill(count: number): Promise<void> {
    await this.must('POST', crds, lampDefinition('v1'))
    await until('lamps are served', async () => (await this.send('GET', lampsPath)).status === 200)
    for (let index = 0; index < count; index++) {
      const metadata = { name: lampName(index) }
      await this.must('POST', lampsPath, { apiVersion: 'light.example.dev/v1', kind: 'Lamp', metadata })
    }
  }

  /** From now on the servers write lamps in this version, and convert them so. */
  async #storeIn(storage: string, conversion: object = { strategy: 'None' }): Promise<void> {
    const { metadata } = await this.must('GET', `${crds}/${lampsName}`)
    const { resourceVersion } = metadata
    const { spec, ...definition } = lampDefinition(storage)
    const changed = {
      ...definition,
      metadata: { ...definition.metadata, resourceVersion },
      spec: { ...spec, conversion },
    }
    await this.must('PUT', `${crds}/${lampsName}`, changed)
  }

  /** Stores every lamp in v1, while servers write v2 from now on. */
  async storeOld(conversion?: object): Promise<void> {
    await this.#storeIn('v1')
    await this.#writeAll()
    await this.#storeIn('v2', conversion)
  }

  async #writeAll(): Promise<void> {
    const { items } = await this.must('GET', lampsPath)
    for (const lamp of items) {
      const path = `${lampsPath}/${lamp.metadata.name}`
      const labels = { written: String(++this.#writes) }
      await this.must('PUT', path, { ...lamp, metadata: { ...lamp.metadata, labels } })
    }
  }

  /** Lamps are stored under one key, and the servers write another one from now on. */
  async rotate(): Promise<void> {
    const changes = [
      keysOfLamps('aesgcm:one', 'aesgcm:two', 'identity'),
      keysOfLamps('aesgcm:two', 'aesgcm:one', 'identity'),
    ]
    for (const [index, keys] of changes.entries()) {
      const path = `/apis/strata.dev/v1alpha1/storageagreements/light.example.dev.lamps`
      const wanted = index === 0 ? 'aesgcm:one:' : 'aesgcm:two:'
      assert.equal(await this.#server.reloadEncryption(keys, never), undefined)
      await until(`it writes with ${wanted}`, async () => {
        const { servers } = (await this.must('GET', path)).status
        return servers.every(({ writeKey }: { writeKey: string }) => writeKey.startsWith(wanted))
      })
      if (index === 0) await this.#writeAll()
    }
  }

  /** A migration that has ended, and has set a lamp aside: as an object, or in a file of the user. */
  async setAside(inObject: boolean): Promise<void> {
    const message = 'admission webhook "guard.example.dev" denied the request: not today'
    const set = { namespace: 'default', name: lampName(0), reason: 'Denied', message }
    const progress = { target: { how: 'record' }, quarantined: 1, quarantine: [set] }
    const at = timestamp(nodeClock)
    if (inObject) {
      const [path = ''] = migrations
      const spec = { resource: { group: 'light.example.dev', version: 'v1', resource: 'lamps' } }
      await this.send('DELETE', `${path}/set-aside`)
      const made = await this.must('POST', path, { metadata: { name: 'set-aside' }, spec })
      const conditions = [{ type: 'Failed', status: 'True', lastUpdateTime: at }]
      await this.must('PUT', `${path}/set-aside/status`, { ...made, status: { ...progress, conditions } })
      return
    }
    const { metadata } = await this.must('GET', '/api/v1/namespaces/kube-system')
    const place = join(this.home, '.local/state/strata/migrations', metadata.uid)
    await mkdir(place, { recursive: true })
    const end = { outcome: 'incomplete', proof: 'unknown', because: 'some are left', at }
    await writeFile(join(place, `${lampsName}.json`), JSON.stringify({ id: 'i', writes: 1, end, progress }))
  }

  /** Objects in which Helm keeps a release. */
  async releases(): Promise<void> {
    const metadata = { name: 'sh.helm.release.v1.lamps.v1', labels: { owner: 'helm', status: 'deployed' } }
    await this.must('POST', '/api/v1/namespaces/default/secrets', { metadata, type: 'helm.sh/release.v1' })
    await this.must('POST', '/api/v1/namespaces/default/configmaps', { metadata })
  }

  /** Removes what a command has created: CRDs of migrations, and migrations. */
  async restore(): Promise<void> {
    const { items } = await this.must('GET', crds)
    for (const { metadata } of items)
      if (metadata.name !== lampsName) await this.must('DELETE', `${crds}/${metadata.name}`)
    for (const path of migrations)
      if ((await this.send('GET', path)).status === 200) await this.must('DELETE', path)
  }

  /** A new user with these rights, and no others than every user has. */
  async user(rights: readonly GrantedRight[]): Promise<string> {
    const name = `user-${++this.#users}`
    for (const object of rolesOf(name, rights, [{ kind: 'User', name }])) {
      const { kind, metadata } = object
      const { namespace } = metadata as { namespace?: string }
      const place = namespace === undefined ? '' : `namespaces/${namespace}/`
      const path = `/apis/${group}/v1/${place}${kind.toLowerCase()}s`
      await this.must('POST', path, object)
      // A read waits until the server has seen the write.
      await this.must('GET', path)
    }
    return name
  }

  /** Runs a command as this user; stops it once `isEnough` says so of its requests. */
  async run(
    user: string,
    args: readonly string[],
    isEnough: (run: Run) => boolean = () => false,
  ): Promise<RanCommand> {
    const said: string[] = []
    const stop = new AbortController()
    const run: Run = { asked: [], denied: [] }
    this.#runs.set(user, run)
    this.#onRequest = () => {
      if (isEnough(run)) stop.abort()
    }
    const clock = waiting.has(args[0] ?? '') ? hasty : nodeClock
    const program = createProgram({
      ...{ world: { ...createNodeWorld({ log: silentLog }), clock }, signal: stop.signal },
      ...{ environment: { HOME: this.home }, isTerminal: false, screen: undefined, execPath: '', entry: '' },
      print: (text) => said.push(text),
      warn: (text) => said.push(text),
    })
    await writeFile(this.#kubeconfig, this.#configOf(user))
    const code = await program.run([...args, '--kubeconfig', this.#kubeconfig]).catch((error: unknown) => {
      const { exitCode = 1, message } = error as { exitCode?: number; message: string }
      said.push(message)
      return exitCode
    })
    return { ...run, code, said: said.join('\n') }
  }

  #configOf(user: string): string {
    const address = this.#listener?.address()
    assert.ok(typeof address === 'object' && address !== null)
    const { port } = address
    return JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'u', user: { token: adminToken, as: user } }],
    })
  }

  async #listen(): Promise<void> {
    const listener = createServer((request, response) => void this.#answer(request, response))
    this.#listener = listener
    this.#kubeconfig = join(this.home, 'kubeconfig')
    await once(listener.listen(0, '127.0.0.1'), 'listening')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const sent = await readAll(request)
    const { method = '', url = '' } = request
    const said = await this.intercept(method, url, utf8.decode(sent))
    if (said !== undefined) {
      response.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body))
      return
    }
    const answered = await this.#server.handle({
      ...{ method, target: url, signal: gone.signal },
      headers: request.headers as Record<string, string>,
      ...(sent.length === 0 ? {} : { body: sent }),
    })
    const headers = answered.headers as Record<string, string>
    const run = this.#runs.get(String(request.headers['impersonate-user']))
    const note = (isAllowed: boolean, what: string): void => {
      ;(isAllowed ? run?.asked : run?.denied)?.push(what)
      this.#onRequest()
    }
    if (url.includes('/selfsubjectaccessreviews')) {
      const body = await readAll(answered.body)
      const { spec, status } = JSON.parse(utf8.decode(body))
      note(status?.allowed === true, `review ${JSON.stringify(spec.resourceAttributes)}`)
      response.writeHead(answered.status, headers).end(body)
      return
    }
    note(answered.status !== 403, `${method} ${url}`)
    response.writeHead(answered.status, headers)
    if (answered.body instanceof Uint8Array) response.end(answered.body)
    else {
      for await (const chunk of answered.body) response.write(chunk)
      response.end()
    }
  }
}
