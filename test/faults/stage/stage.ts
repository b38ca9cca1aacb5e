import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureCredentials, pathsBelow } from '@strata/server/main'
import type { Entry } from '@strata/server/store'
import { deadline, silentLog, type World } from '@strata/world'
import { createNodeTransport, createNodeWorld, type NodeTransport, nodeClock } from '@strata/world/node'
import { configurationFile } from '../../support/encrypted-fleet.ts'
import { freePorts } from '../../support/free-ports.ts'
import { beaconsPrefix } from '../../support/raw-history.ts'
import { isReady, StrataProcess, strataServe } from '../../support/serve-process.ts'
import { until } from '../../support/until.ts'
import { createEtcdHome } from './etcd-home.ts'
import { createLoopback } from './loopback.ts'
import { createNamespaces } from './namespaces.ts'
import { type Network, type ServerName, serverNames } from './network.ts'
import { createSqliteHome } from './sqlite-home.ts'
import type { StoreHome, StoreKind } from './store-home.ts'

/** How a server is started; what a fault changes of it holds for its next start. */
export interface ServerSettings {
  release: string
  certDir: string | undefined
}

interface Member {
  readonly port: number
  readonly url: string
  readonly transport: NodeTransport
  readonly settings: ServerSettings
  process: StrataProcess | undefined
}

const offsetModule = join(import.meta.dirname, 'offset-clock.mjs')

/** Three real servers over one real store, and the network between them. */
export class Stage {
  readonly world: World
  readonly directory: string
  readonly network: Network
  readonly home: StoreHome
  readonly kubeconfig: string
  /** Under which beacons may be stored; the first is the one to write with. */
  keys: readonly string[] = ['identity']
  /** All that were ever given to the servers. */
  readonly keysUsed: string[] = ['identity']
  /** The output of every process, the latest last; bounded for each. */
  readonly processes: StrataProcess[] = []
  readonly #members: ReadonlyMap<ServerName, Member>
  #controllers: StrataProcess | undefined

  constructor(options: {
    readonly world: World
    readonly directory: string
    readonly network: Network
    readonly home: StoreHome
    readonly members: ReadonlyMap<ServerName, Member>
  }) {
    this.world = options.world
    this.directory = options.directory
    this.network = options.network
    this.home = options.home
    this.#members = options.members
    this.kubeconfig = join(options.directory, 'kubeconfig')
  }

  get transports(): [NodeTransport, ...NodeTransport[]] {
    const [first, ...rest] = serverNames
    return [this.transport(first), ...rest.map((name) => this.transport(name))]
  }

  transport(name: ServerName): NodeTransport {
    return this.#member(name).transport
  }

  settings(name: ServerName): ServerSettings {
    return this.#member(name).settings
  }

  /** The running process of a server, if it has one. */
  running(name: ServerName): StrataProcess | undefined {
    const { process } = this.#member(name)
    return process?.running ? process : undefined
  }

  /** Starts the server as its settings say, without waiting for it. */
  async launch(name: ServerName): Promise<StrataProcess> {
    const member = this.#member(name)
    const { release, certDir } = member.settings
    const { network } = this
    const process = strataServe({
      ...{ name, port: member.port, release, dataDir: this.dataDir, leaseDurationSeconds: 4 },
      store: await this.home.flagsFor(name),
      more: [
        ...['--bind-address', network.hostOf(name)],
        ...(certDir === undefined ? [] : ['--cert-dir', certDir]),
      ],
      encryptionFile: this.keysFile,
      placement: {
        command: network.commandAt(name),
        nodeFlags: ['--import', offsetModule],
        environment: { STRATA_FAULTS_CLOCK_FILE: this.clockFile(name) },
      },
    })
    member.process = process
    this.#remember(process)
    return process
  }

  /** Ends the server kindly; one that does not end in time is killed. */
  async end(name: ServerName): Promise<void> {
    const process = this.running(name)
    if (!process) return
    process.signal('SIGTERM')
    await until(`${name} has ended`, () => !process.running, { giveUpMs: 20_000 }).catch(() => process.kill())
    await process.exited
  }

  /** Waits until every server is ready; one that has ended is started again, and so are the controllers. */
  async untilWhole(giveUpMs = 120_000): Promise<void> {
    if (!this.#controllers?.running) this.#controllers = this.#startControllers()
    await Promise.all(
      serverNames.map((name) =>
        until(
          `${name} is ready`,
          async () => {
            if (!this.running(name)) await this.launch(name)
            return isReady(this.transport(name))
          },
          { giveUpMs },
        ).catch((cause: unknown) => {
          const said = this.#member(name).process?.output.slice(-2_000)
          throw new Error(`${name} is not ready though every fault has ended; its last words:\n${said}`, {
            cause,
          })
        }),
      ),
    )
  }

  /** Holds by how many milliseconds the wall clock of the server is off, at each moment. */
  clockFile(name: ServerName): string {
    return join(this.directory, `clock-${name}`)
  }

  addProcess(process: StrataProcess): void {
    this.#remember(process)
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.kill()))
    for (const { transport } of this.#members.values()) transport.close()
    await this.home.stop()
    await this.network.close()
    await rm(this.directory, { recursive: true, force: true })
  }

  /** Gives the servers these encryption keys; they take them over when they look at the file next. */
  async giveKeys(keys: readonly string[]): Promise<void> {
    this.keys = keys
    for (const key of keys) if (!this.keysUsed.includes(key)) this.keysUsed.push(key)
    await writeKeys(this.keysFile, keys)
  }

  get keysFile(): string {
    return join(this.directory, 'keys.json')
  }

  /** The bytes of every beacon, as the store has them. */
  async storedBeacons(): Promise<readonly Entry[]> {
    const store = await this.home.open()
    const limit = deadline(nodeClock, 30_000)
    try {
      return (await store.list({ prefix: beaconsPrefix }, limit.signal)).entries
    } finally {
      limit.dispose()
      await store.close()
    }
  }

  get dataDir(): string {
    return join(this.directory, 'data')
  }

  /** They expel servers that are silent for longer than their Lease, and migrate what is stored in old versions. */
  #startControllers(): StrataProcess {
    const contexts = serverNames.flatMap((name) => ['--context', name])
    const process = new StrataProcess('controllers', [
      'controllers',
      '--kubeconfig',
      this.kubeconfig,
      ...contexts,
    ])
    this.#remember(process)
    return process
  }

  #remember(process: StrataProcess): void {
    this.processes.push(process)
    // Those that have ended long ago are forgotten: a run may start thousands.
    const ended = this.processes.filter((each) => !each.running)
    for (const each of ended.slice(0, -20)) this.processes.splice(this.processes.indexOf(each), 1)
  }

  #member(name: ServerName): Member {
    const member = this.#members.get(name)
    if (!member) throw new Error(`there is no server ${name}`)
    return member
  }
}

export interface StageOptions {
  readonly store: StoreKind
  readonly network: Network['kind']
}

/** A stage with no server running yet. */
export async function openStage({ store, network: kind }: StageOptions): Promise<Stage> {
  const world = createNodeWorld({ log: silentLog })
  const directory = await mkdtemp(join(tmpdir(), 'strata-faults-'))
  try {
    const network = kind === 'namespaces' ? await createNamespaces() : createLoopback()
    const dataDir = join(directory, 'data')
    await mkdir(dataDir, { recursive: true })
    const home = await (store === 'etcd' ? createEtcdHome : createSqliteHome)(
      store === 'etcd' ? directory : dataDir,
      world,
      network,
    )
    const members = await createMembers(dataDir, world, network)
    const stage = new Stage({ world, directory, network, home, members })
    await stage.giveKeys(['identity'])
    await writeFile(stage.kubeconfig, JSON.stringify(await kubeconfigFor(dataDir, world, members)))
    return stage
  } catch (error) {
    // A disk may still be mounted in it; the process that made the namespaces removes it then.
    await rm(directory, { recursive: true, force: true }).catch(() => {})
    throw error
  }
}

async function createMembers(
  dataDir: string,
  world: World,
  network: Network,
): Promise<Map<ServerName, Member>> {
  const { caFile, adminToken } = await ensureCredentials(pathsBelow(dataDir).certDir, world)
  const ca = await readFile(caFile, 'utf8')
  const ports = await freePorts(serverNames.length)
  const members = new Map<ServerName, Member>()
  for (const [index, name] of serverNames.entries()) {
    const port = ports[index] ?? 0
    const url = `https://${await network.reach('clients', name, port)}`
    members.set(name, {
      port,
      url,
      transport: createNodeTransport({ server: url, ca, token: adminToken, serverName: 'localhost' }),
      settings: { release: 'x+1', certDir: undefined },
      process: undefined,
    })
  }
  return members
}

/** Renamed into place: half a file is none. */
export async function writeKeys(file: string, keys: readonly string[]): Promise<void> {
  const configuration = configurationFile(keys, ['beacons.lighthouse.example.dev'])
  await writeFile(`${file}.new`, JSON.stringify(configuration), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** The certificate is for the loopback; in a namespace the address is another. */
async function kubeconfigFor(
  dataDir: string,
  world: World,
  members: ReadonlyMap<ServerName, Member>,
): Promise<object> {
  const { caFile, adminToken } = await ensureCredentials(pathsBelow(dataDir).certDir, world)
  const cluster = { 'certificate-authority': caFile, 'tls-server-name': 'localhost' }
  return {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    clusters: [...members].map(([name, { url }]) => ({ name, cluster: { server: url, ...cluster } })),
    users: [{ name: 'admin', user: { token: adminToken } }],
    contexts: [...members.keys()].map((name) => ({ name, context: { cluster: name, user: 'admin' } })),
  }
}
