import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverId } from '@strata/server'
import { ensureCredentials, pathsBelow, writeKubeconfig } from '@strata/server/main'
import type { Store } from '@strata/server/store'
import { createEtcdStore } from '@strata/server/store/etcd'
import { createSqliteStore } from '@strata/server/store/sqlite'
import { silentLog, type World } from '@strata/world'
import { createNodeTransport, createNodeWorld, type NodeTransport } from '@strata/world/node'
import type { HistoryFindings } from '../history-audit/findings.ts'
import { startEtcd } from '../support/etcd.ts'
import { freePorts } from '../support/free-ports.ts'
import type { LoadedKind } from '../support/loaded-kind.ts'
import { type History, readHistory } from '../support/raw-history.ts'
import {
  type Access,
  auditCommand,
  type Participation,
  type StartServe,
  StrataProcess,
  strataServe,
  untilReady,
} from '../support/serve-process.ts'

export type StoreKind = 'sqlite' | 'etcd'
export const storeKinds: readonly StoreKind[] = ['sqlite', 'etcd']

const world: World = createNodeWorld({ log: silentLog })
export const serverNames = ['a', 'b', 'c'] as const
export type ServerName = (typeof serverNames)[number]

export interface LiveFleetOptions {
  readonly store: StoreKind
  readonly leaseDurationSeconds?: number
  readonly serve?: StartServe
  /** The default for every server. */
  readonly featureGates?: string
  /** The directory of its files. Defaults to a new temporary one. */
  readonly directory?: string
  /** The size at which etcd refuses to grow. */
  readonly etcdQuotaBytes?: number
  /** Of servers behind an aggregator: the host name of their Service, and a token that the aggregator knows. */
  readonly aggregated?: { readonly hostname: string; readonly token: string }
}

/** What `strata status -o json` says of beacons, and its exit code. */
export interface SeenStatus {
  readonly code: number | null
  readonly agreed: boolean
  readonly servers: readonly string[]
  readonly agreedVersion: string | undefined
  readonly encodes: Readonly<Record<string, string | undefined>>
  readonly problems: readonly string[]
  readonly refusals: readonly string[]
}

export interface SeenAudit extends HistoryFindings {
  readonly code: number | null
}

/** Real server processes over one real store, with everything that is needed to reach them. */
export class LiveFleet {
  readonly world = world
  readonly directory: string
  readonly kubeconfig: string
  readonly processes: StrataProcess[] = []
  readonly #options: LiveFleetOptions
  readonly #store: LiveStore
  readonly #access: ReadonlyMap<ServerName, Access>
  readonly #transports = new Map<ServerName, NodeTransport>()
  readonly #servers = new Map<ServerName, StrataProcess>()

  constructor(
    options: LiveFleetOptions,
    directory: string,
    store: LiveStore,
    access: ReadonlyMap<ServerName, Access>,
  ) {
    this.#options = options
    this.directory = directory
    this.kubeconfig = pathsBelow(directory).kubeconfig
    this.#store = store
    this.#access = access
    for (const [name, { url, ca, token }] of access) {
      this.#transports.set(name, createNodeTransport({ server: url, ca, token }))
    }
  }

  /** Starts a server without waiting for it; maybe under another's name. */
  launch(
    name: ServerName,
    release: string,
    { instance = name, ...participation }: Participation & { readonly instance?: string } = {},
  ): StrataProcess {
    const serve = this.#options.serve ?? strataServe
    const server = serve({
      name: instance,
      port: Number(new URL(this.access(name).url).port),
      release,
      dataDir: this.directory,
      store: this.#store.flags,
      leaseDurationSeconds: this.#options.leaseDurationSeconds ?? 60,
      featureGates: this.#options.featureGates,
      ...participation,
    })
    this.processes.push(server)
    return server
  }

  /** Starts a server and waits until it may be written through. */
  async start(name: ServerName, release: string, participation: Participation = {}): Promise<StrataProcess> {
    const server = this.launch(name, release, participation)
    await untilReady(server, this.access(name))
    this.#servers.set(name, server)
    return server
  }

  async startAll(release: string, participation: Participation = {}): Promise<void> {
    await Promise.all(serverNames.map((name) => this.start(name, release, participation)))
  }

  /** As an operator upgrades: ends it kindly, and starts the next release in its place. */
  async restart(name: ServerName, release: string, participation: Participation = {}): Promise<void> {
    await this.server(name).terminate()
    await this.start(name, release, participation)
  }

  server(name: ServerName): StrataProcess {
    const server = this.#servers.get(name)
    if (!server) throw new Error(`${name} was never started`)
    return server
  }

  access(name: ServerName): Access {
    const access = this.#access.get(name)
    if (!access) throw new Error(`there is no ${name}`)
    return access
  }

  transport(name: ServerName): NodeTransport {
    const transport = this.#transports.get(name)
    if (!transport) throw new Error(`there is no ${name}`)
    return transport
  }

  /** The name under which a server is known to the others. */
  idOf(name: ServerName): string {
    return serverId(hostname(), name)
  }

  controllers(...through: readonly ServerName[]): StrataProcess {
    return this.#control('*', through)
  }

  /** Only the controllers that expel servers: no others write. */
  collectors(...through: readonly ServerName[]): StrataProcess {
    return this.#control('identity-lease-collector,storage-version-gc', through)
  }

  #control(names: string, through: readonly ServerName[]): StrataProcess {
    const contexts = through.flatMap((name) => ['--context', name])
    const process = new StrataProcess('controllers', [
      ...['controllers', '--controllers', names, '--kubeconfig', this.kubeconfig],
      ...contexts,
    ])
    this.processes.push(process)
    return process
  }

  async status(through: ServerName): Promise<SeenStatus> {
    const args = ['status', '-o', 'json', '--kubeconfig', this.kubeconfig, '--context', through]
    const process = new StrataProcess('status', args)
    this.processes.push(process)
    const { code } = await process.ended()
    if (code !== 0 && code !== 1) throw new Error(`strata status: exit code ${code}: ${process.output}`)
    const seen = JSON.parse(process.stdout)
    const beacons = seen.resources.find(
      ({ resource }: { resource: string }) => resource === 'beacons.lighthouse.example.dev',
    )
    return {
      code,
      agreed: seen.agreed,
      servers: seen.servers.map(({ serverID }: { serverID: string }) => serverID),
      agreedVersion: beacons?.agreedVersion,
      encodes: Object.fromEntries(
        Object.entries<{ encodes: string } | undefined>(beacons?.servers ?? {}).map(([id, entry]) => [
          id,
          entry?.encodes,
        ]),
      ),
      problems: beacons?.problems ?? [],
      refusals: beacons?.refusals ?? [],
    }
  }

  /** The findings of test/history-audit, and its exit code. It lists all exceptions. */
  async audit(...flags: readonly string[]): Promise<SeenAudit> {
    const all = ['-o', 'json', '--limit', '1000000']
    const args = [...all, '--data-dir', this.directory, ...this.#store.flags, ...flags]
    const process = new StrataProcess('audit-history', args, auditCommand)
    this.processes.push(process)
    const { code } = await process.ended()
    if (process.stdout === '') throw new Error(`audit-history: exit code ${code}: ${process.output}`)
    const found = JSON.parse(process.stdout) as HistoryFindings
    assert.equal(found.exceptionList.length, found.exceptions, 'not all exceptions are listed')
    return { code, ...found }
  }

  /** Reads the store itself, past all servers. */
  async withStore<T>(read: (store: Store) => Promise<T>): Promise<T> {
    const store = await this.#store.open()
    try {
      return await read(store)
    } finally {
      await store.close()
    }
  }

  /** The history of one kind. Defaults to beacons. */
  history(kind?: LoadedKind): Promise<History> {
    return this.withStore((store) => readHistory(store, kind))
  }

  close(): void {
    for (const transport of this.#transports.values()) transport.close()
  }
}

interface LiveStore {
  readonly flags: readonly string[]
  open(): Promise<Store>
  stop(): Promise<void>
}

/** Runs `body` with a fleet, and leaves no process and no file behind, however it ends. */
export async function withLiveFleet(
  options: LiveFleetOptions,
  body: (fleet: LiveFleet) => Promise<void>,
): Promise<void> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'strata-fleet-')))
  let store: LiveStore | undefined
  let fleet: LiveFleet | undefined
  try {
    store = options.store === 'etcd' ? await liveEtcd(options.etcdQuotaBytes) : liveSqlite(directory)
    fleet = new LiveFleet(options, directory, store, await makeAccess(directory, options))
    await body(fleet)
  } catch (error) {
    for (const { name, output } of fleet?.processes ?? []) {
      if (name !== 'status') process.stderr.write(`--- ${name} said:\n${output}\n`)
    }
    throw error
  } finally {
    await Promise.all((fleet?.processes ?? []).map((each) => each.kill()))
    fleet?.close()
    await store?.stop()
    if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
  }
}

async function makeAccess(
  directory: string,
  { aggregated }: LiveFleetOptions,
): Promise<ReadonlyMap<ServerName, Access>> {
  const paths = pathsBelow(directory)
  const hostnames = aggregated ? [aggregated.hostname] : []
  const { caFile, adminToken } = await ensureCredentials(paths.certDir, world, hostnames)
  const token = aggregated?.token ?? adminToken
  const ca = await readFile(caFile, 'utf8')
  const ports = await freePorts(serverNames.length)
  const urls = serverNames.map((name, index) => ({ name, url: `https://127.0.0.1:${ports[index]}` }))
  await writeKubeconfig({ path: paths.kubeconfig, servers: urls, caFile, token })
  return new Map(urls.map(({ name, url }) => [name, { url, ca, token }]))
}

function liveSqlite(directory: string): LiveStore {
  const path = join(pathsBelow(directory).storeDir, 'store.db')
  return { flags: [], open: () => createSqliteStore({ path, ...world }), stop: async () => {} }
}

async function liveEtcd(quotaBytes: number | undefined): Promise<LiveStore> {
  const etcd = await startEtcd({ quotaBytes })
  return {
    flags: ['--etcd-servers', etcd.endpoints.join(',')],
    open: () => createEtcdStore({ endpoints: etcd.endpoints, ...world }),
    stop: () => etcd.stop(),
  }
}
