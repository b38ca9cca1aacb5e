import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { originServerAnnotation } from '@strata/api'
import { createFailoverTransport } from '@strata/client'
import { pathsBelow } from '@strata/server/main'
import type { Store } from '@strata/server/store'
import type { Transport } from '@strata/world'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { ask } from '../support/ask.ts'
import type { Answer } from '../support/fleet.ts'
import { storageVersionPath } from '../support/fleet.ts'
import { type LoadedKind, loadedBeacons } from '../support/loaded-kind.ts'
import {
  lighthouseModule,
  type StartServe,
  StrataProcess,
  serveOf,
  strataCommand,
} from '../support/serve-process.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { type LiveFleet, type ServerName, serverNames, withLiveFleet } from './live-fleet.ts'

/** A kind of the aggregator's own: test/e2e/harbours.ts. */
export const loadedHarbours: LoadedKind = { ...loadedBeacons, group: 'harbour.example.dev' }
const harbours = join(import.meta.dirname, 'harbours.ts')
const service = 'shop/api'
const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const patience = { giveUpMs: 60_000 }
const never = new AbortController().signal

/** What a command has said with -o json. */
export interface Said {
  readonly code: number | null
  readonly output: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came back.
  readonly document: any
}

/** An aggregator of three servers, and an aggregated fleet of two behind it, with its own store, certificates and Service. */
export class LiveAggregation {
  readonly front: LiveFleet
  readonly behind: LiveFleet
  /** The store of the aggregated servers. */
  readonly origin: Store
  /** Any server of the aggregator that answers. */
  readonly aggregator: Transport
  readonly #service: TcpProxy
  readonly #endpoints: Set<ServerName>

  constructor(
    fleets: { readonly front: LiveFleet; readonly behind: LiveFleet },
    origin: Store,
    service: TcpProxy,
    endpoints: Set<ServerName>,
  ) {
    this.front = fleets.front
    const [first, ...others] = serverNames
    this.aggregator = createFailoverTransport([
      fleets.front.transport(first),
      ...others.map((name) => fleets.front.transport(name)),
    ])
    this.behind = fleets.behind
    this.origin = origin
    this.#service = service
    this.#endpoints = endpoints
  }

  /** All servers. The first aggregated one leads where there are elections. */
  async start(release: string): Promise<void> {
    const [first, ...others] = serverNames
    await this.front.start(first, release)
    await this.#giveRights()
    await Promise.all([
      ...others.map((name) => this.front.start(name, release)),
      this.startBehind('a', release),
    ])
    for (const name of ['strata-aggregated-mirror', 'strata-agreement-collectors']) {
      await until(
        `${name} has a leader`,
        () => this.#originHas(`/registry/leases/kube-system/${name}`),
        patience,
      )
    }
    await Promise.all([this.startBehind('b', release), this.#register()])
  }

  async startBehind(name: ServerName, release: string): Promise<void> {
    await this.behind.start(name, release)
    this.#endpoints.add(name)
  }

  /** As an operator does it: no new connections, then it is ended kindly. */
  async stopBehind(name: ServerName): Promise<void> {
    this.#endpoints.delete(name)
    await this.behind.server(name).terminate()
  }

  /** The Service leads nowhere near it any more. Connections that are open are lost. */
  isolate(name: ServerName): void {
    this.#endpoints.delete(name)
    this.#service.cut()
  }

  /** A command against the aggregator. */
  launch(command: string, ...args: readonly string[]): StrataProcess {
    const common = ['--kubeconfig', this.front.kubeconfig, '-o', 'json']
    const process = new StrataProcess(command, [command, ...args, ...common])
    this.front.processes.push(process)
    return process
  }

  async strata(command: string, ...args: readonly string[]): Promise<Said> {
    return said(this.launch(command, ...args))
  }

  /** IDs of aggregated servers with a Lease in the aggregator, and what the StorageVersion there says of beacons. */
  async mirror(): Promise<{ leases: readonly string[]; versions: readonly string[] }> {
    const label = encodeURIComponent('apiserver.kubernetes.io/identity=aggregated-apiserver')
    const leases = await ask(this.aggregator, 'GET', `${leasesPath}?labelSelector=${label}`)
    const shown = await ask(this.aggregator, 'GET', storageVersionPath)
    return {
      leases: leases.body.items
        .map(({ metadata }: { metadata: { annotations: Record<string, string> } }) => {
          return metadata.annotations[originServerAnnotation]
        })
        .sort(),
      versions: (shown.body.status?.storageVersions ?? [])
        .map(({ encodingVersion }: { encodingVersion: string }) => encodingVersion)
        .sort(),
    }
  }

  /** Waits until the server is gone where it is decided, and where it is shown. */
  async untilExpelled(name: ServerName): Promise<void> {
    const id = this.behind.idOf(name)
    const gone = async (): Promise<boolean> => !(await this.#originHas(`/registry/leases/kube-system/${id}`))
    await until(`${name} is expelled`, gone, patience)
    const collected = async (): Promise<boolean> => {
      const { leases, versions } = await this.mirror()
      return !leases.includes(id) && versions.length === leases.length
    }
    await until('its mirrored Lease is collected', collected, patience)
  }

  async #originHas(key: string): Promise<boolean> {
    const { entries } = await this.origin.list({ prefix: key }, never)
    return entries.length > 0
  }

  /** The manifests of docs/aggregated-server.md, and the kubeconfig of the aggregated servers with their own token. */
  async #giveRights(): Promise<void> {
    for (const document of parseAllDocuments(await example('rights.yaml')))
      await this.#create(document.toJS())
    const tokens = '/api/v1/namespaces/shop/serviceaccounts/api/token'
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const { body } = await ask(this.front.transport('a'), 'POST', tokens, review)
    const config = parse(await readFile(this.front.kubeconfig, 'utf8'))
    for (const each of config.users) each.user = { token: body.status.token }
    await writeFile(aggregatorOf(this.behind.directory), stringify(config))
  }

  async #register(): Promise<void> {
    const { certDir } = pathsBelow(this.behind.directory)
    const ca = await readFile(join(certDir, 'ca.crt'), 'base64')
    const manifests = (await example('apiservices.yaml')).replaceAll('CA_BUNDLE', ca)
    for (const document of parseAllDocuments(manifests)) await this.#create(document.toJS())
    for (const name of serverNames) {
      const path = '/apis/lighthouse.example.dev/v1/storageagreements'
      await until(
        `${name} passes requests on`,
        async () => (await ask(this.front.transport(name), 'GET', path)).status === 200,
        patience,
      )
    }
  }

  async #create(manifest: Manifest): Promise<void> {
    const { status, body }: Answer = await ask(
      this.front.transport('a'),
      'POST',
      collectionOf(manifest),
      manifest,
    )
    assert.equal(status, 201, JSON.stringify(body))
  }
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly namespace?: string }
}

/** Of the kinds in the examples: all plurals are regular. */
function collectionOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`
}

export async function said(process: StrataProcess): Promise<Said> {
  const { code } = await process.ended()
  const { stdout, output } = process
  return { code, output, document: stdout.startsWith('{') ? JSON.parse(stdout) : undefined }
}

const example = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../examples/aggregated-server', name), 'utf8')
const aggregatorOf = (directory: string): string => join(directory, 'aggregator.yaml')

/** Runs `body` with both fleets, on SQLite, and leaves nothing behind, however it ends. */
export async function withLiveAggregation(
  leaseDurationSeconds: number,
  body: (live: LiveAggregation) => Promise<void>,
): Promise<void> {
  const endpoints = new Set<ServerName>()
  const ports = new Map<ServerName, number>()
  let turn = 0
  // Nothing listens on port 1.
  const proxy = await startTcpProxy(() => ports.get([...endpoints][turn++ % endpoints.size] ?? 'c') ?? 1)
  const more = ['--service-address', `${service}=https://127.0.0.1:${proxy.port}`]
  const serveFront = withMore(serveOf({ command: strataCommand, lighthouse: harbours }), () => more)
  const serveBehind = withMore(
    serveOf({ command: strataCommand, lighthouse: lighthouseModule }),
    (dataDir) => [...['--aggregated', '--kubeconfig', aggregatorOf(dataDir), '--service-name', service]],
  )
  try {
    await withLiveFleet({ store: 'sqlite', serve: serveFront }, async (front) => {
      const aggregated = { hostname: 'api.shop.svc', token: front.access('a').token }
      const options = { store: 'sqlite', serve: serveBehind, leaseDurationSeconds, aggregated } as const
      await withLiveFleet(options, (behind) => {
        for (const name of ['a', 'b'] as const) ports.set(name, Number(new URL(behind.access(name).url).port))
        return behind.withStore((origin) =>
          body(new LiveAggregation({ front, behind }, origin, proxy, endpoints)),
        )
      })
    })
  } finally {
    await proxy.close()
  }
}

const withMore =
  (serve: StartServe, more: (dataDir: string) => readonly string[]): StartServe =>
  (flags) =>
    serve({ ...flags, more: more(flags.dataDir) })
