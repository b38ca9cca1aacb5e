import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import type { Certificates } from './certificates.ts'
import { freePorts } from './free-ports.ts'

/** Real etcd for tests: one node or several, on free ports of the loopback, in a directory that goes away. */
export interface EtcdCluster {
  readonly nodes: readonly EtcdNode[]
  /** The client URLs of all nodes. */
  readonly endpoints: readonly string[]
  /** The node that is leader now. Asks every node that runs until one knows. */
  leader(): Promise<EtcdNode>
  /** The same, but asks only these: a frozen node does not answer. */
  leaderAmong(nodes: readonly EtcdNode[]): Promise<EtcdNode>
  /** Ends all nodes and removes their data. */
  stop(): Promise<void>
}

export interface EtcdNode {
  readonly name: string
  readonly endpoint: string
  /** By which the other nodes reach it. */
  readonly peerUrl: string
  /** Throws if the node does not run. */
  readonly pid: number
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>
  /** SIGSTOP: alive, connected, and silent. */
  freeze(): void
  thaw(): void
  /** Its data directory. */
  readonly directory: string
  readonly running: boolean
  /** Starts it without waiting for it. */
  start(): void
  /** Until it knows a leader and serves linearizable reads. */
  ready(): Promise<void>
  /** Starts it again on its old data. */
  restart(): Promise<void>
  /** Asks etcd's JSON gateway: independent of the code under test. */
  ask(path: string, body: unknown): Promise<Record<string, unknown>>
}

/** Where a node runs and stores its data. Defaults to the loopback and a temporary directory. */
export interface EtcdPlacement {
  readonly host?: string
  /** A command that runs another one elsewhere: `nsenter --net=…`. */
  readonly command?: readonly string[]
  readonly directory?: string
}

export interface EtcdClusterOptions {
  readonly size?: 1 | 3
  readonly place?: (index: number) => EtcdPlacement
  /** With it, nodes speak TLS to clients and ask them for certificates. */
  readonly certificates?: Certificates
  /** The size at which etcd refuses to grow. */
  readonly quotaBytes?: number | undefined
}

const START_MS = 20_000

export async function startEtcd({
  size = 1,
  certificates,
  quotaBytes,
  place = () => ({}),
}: EtcdClusterOptions = {}): Promise<EtcdCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-etcd-'))
  const ports = await freePorts(size * 2)
  const members = Array.from({ length: size }, (_, index) => {
    const {
      host = '127.0.0.1',
      command = [],
      directory: home = join(directory, `node-${index}`),
    } = place(index)
    const clientUrl = `${certificates ? 'https' : 'http'}://${host}:${ports[index * 2]}`
    return {
      name: `node-${index}`,
      clientUrl,
      peerUrl: `http://${host}:${ports[index * 2 + 1]}`,
      command,
      home,
    }
  })
  const initialCluster = members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',')
  const nodes = members.map(({ name, clientUrl, peerUrl, command, home }) => {
    const flags = [
      ['--name', name],
      ['--data-dir', home],
      ['--listen-client-urls', clientUrl],
      ['--advertise-client-urls', clientUrl],
      ['--listen-peer-urls', peerUrl],
      ['--initial-advertise-peer-urls', peerUrl],
      ['--initial-cluster', initialCluster],
      // A new leader within half a second, so that tests of its loss are short.
      ['--heartbeat-interval', '50'],
      ['--election-timeout', '500'],
      ['--log-level', 'error'],
    ]
    if (quotaBytes !== undefined) flags.push(['--quota-backend-bytes', String(quotaBytes)])
    if (certificates) {
      const { serverCertFile, serverKeyFile, caFile } = certificates
      flags.push(['--cert-file', serverCertFile], ['--key-file', serverKeyFile])
      flags.push(['--trusted-ca-file', caFile], ['--client-cert-auth'])
    }
    return new Node(name, clientUrl, { command, flags: flags.flat(), directory: home, peerUrl }, certificates)
  })
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()))
    await rm(directory, { recursive: true, force: true })
  }
  try {
    for (const node of nodes) node.start()
    await Promise.all(nodes.map((node) => node.ready()))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    nodes,
    endpoints: nodes.map(({ endpoint }) => endpoint),
    leader: () => observeLeader(nodes),
    leaderAmong: observeLeader,
    stop,
  }
}

interface Invocation {
  readonly command: readonly string[]
  readonly flags: readonly string[]
  readonly directory: string
  readonly peerUrl: string
}

class Node implements EtcdNode {
  readonly name: string
  readonly endpoint: string
  readonly directory: string
  readonly peerUrl: string
  readonly #invocation: Invocation
  readonly #certificates: Certificates | undefined
  #process: ChildProcess | undefined
  #errors = ''

  constructor(
    name: string,
    endpoint: string,
    invocation: Invocation,
    certificates: Certificates | undefined,
  ) {
    this.name = name
    this.endpoint = endpoint
    this.directory = invocation.directory
    this.peerUrl = invocation.peerUrl
    this.#invocation = invocation
    this.#certificates = certificates
  }

  get pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined || !this.running) throw new Error(`etcd ${this.name} does not run`)
    return pid
  }

  get running(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  start(): void {
    const { command, flags } = this.#invocation
    const [program = '', ...rest] = [...command, etcdBinary(), ...flags]
    const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#errors = ''
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-4000)
    })
    // A test run that ends early must not leave servers behind.
    const killChild = (): boolean => child.kill('SIGKILL')
    process.once('exit', killChild)
    child.once('exit', () => process.off('exit', killChild))
    child.on('error', (error) => {
      this.#errors += error.message
    })
    this.#process = child
  }

  async ready(): Promise<void> {
    const giveUpMs = nodeClock.monotonicMs() + START_MS
    while (nodeClock.monotonicMs() < giveUpMs) {
      if (!this.running) throw new Error(`etcd ${this.name} did not start: ${this.#errors}`)
      if (await this.ask('/v3/kv/range', { key: 'AA==' }).catch(() => undefined)) return
      await sleep(nodeClock, 20)
    }
    throw new Error(`etcd ${this.name} was not ready within ${START_MS} ms: ${this.#errors}`)
  }

  async kill(): Promise<void> {
    const child = this.#process
    if (!child || !this.running) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  freeze(): void {
    process.kill(this.pid, 'SIGSTOP')
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT')
  }

  async restart(): Promise<void> {
    await this.kill()
    this.start()
    await this.ready()
  }

  /** etcd's JSON gateway: independent of the code under test. */
  ask(path: string, body: unknown): Promise<Record<string, unknown>> {
    const request = this.endpoint.startsWith('https') ? httpsRequest : httpRequest
    const tls = this.#certificates
    const credentials = tls && { ca: tls.ca, cert: tls.clientCert, key: tls.clientKey }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, this.endpoint),
        { method: 'POST', timeout: 2_000, ...credentials },
        (answer) => {
          let text = ''
          answer.on('data', (chunk: Buffer) => {
            text += chunk.toString()
          })
          answer.on('error', reject)
          answer.on('end', () => {
            if (answer.statusCode === 200) resolve(JSON.parse(text) as Record<string, unknown>)
            else reject(new Error(`etcd answered ${answer.statusCode}: ${text}`))
          })
        },
      )
      outgoing.on('timeout', () => outgoing.destroy(new Error('etcd did not answer in time')))
      outgoing.on('error', reject)
      outgoing.end(JSON.stringify(body))
    })
  }
}

async function observeLeader(nodes: readonly EtcdNode[]): Promise<EtcdNode> {
  const giveUpMs = nodeClock.monotonicMs() + START_MS
  while (nodeClock.monotonicMs() < giveUpMs) {
    for (const node of nodes) {
      if (!node.running) continue
      const status = await node.ask('/v3/maintenance/status', {}).catch(() => undefined)
      const header = status?.header as { member_id?: string } | undefined
      if (status?.leader !== undefined && status.leader === header?.member_id) return node
    }
    await sleep(nodeClock, 20)
  }
  throw new Error('no etcd node says that it is the leader')
}

function etcdBinary(): string {
  const named = process.env.STRATA_ETCD
  const directories = (process.env.PATH ?? '').split(':')
  const candidates = named
    ? [named]
    : [...directories.map((directory) => join(directory, 'etcd')), '/usr/bin/etcd']
  const found = candidates.find((file) => existsSync(file))
  if (found) return found
  const hint =
    'install the Debian package etcd-server (before Debian 13: etcd), or name a binary in STRATA_ETCD'
  throw new Error(`etcd is missing and these tests need it: ${hint}`)
}
