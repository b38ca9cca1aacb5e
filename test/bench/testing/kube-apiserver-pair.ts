import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../support/free-ports.ts'
import { until } from '../../support/until.ts'
import { askByHttps, type Target } from './ask-by-https.ts'

/** What is missing in a folder such as KUBEBUILDER_ASSETS names, or undefined. */
export function missingAssets(assets: string): string | undefined {
  const absent = ['kube-apiserver', 'etcd'].filter((name) => !existsSync(join(assets, name)))
  return absent.length === 0 ? undefined : `${assets} has no ${absent.join(' and no ')}`
}

export interface Pair {
  readonly target: Target
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** A kube-apiserver with its etcd, with the flags of envtest: no fsync, RBAC, no admission of service accounts. */
export async function startPair(assets: string): Promise<Pair> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-pair-'))
  const children: Child[] = []
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) await child.stop()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const [clientPort, peerPort, port] = await freePorts(3)
    const etcdUrl = `http://127.0.0.1:${clientPort}`
    children.push(startEtcd(join(assets, 'etcd'), directory, etcdUrl, `http://127.0.0.1:${peerPort}`))
    const target: Target = { url: `https://127.0.0.1:${port}`, token: randomUUID() }
    const flags = apiServerFlags(directory, etcdUrl, Number(port), target.token)
    children.push(new Child(join(assets, 'kube-apiserver'), flags))
    await untilReady(target, children)
    return { target, pids: children.map(({ pid }) => pid), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function startEtcd(program: string, directory: string, clientUrl: string, peerUrl: string): Child {
  // etcd 3.5 and newer can leave out what protects from a loss of power.
  const { stdout, stderr } = spawnSync(program, ['--help'], { encoding: 'utf8' })
  const canSkipSync = `${stdout}${stderr}`.includes('unsafe-no-fsync')
  return new Child(program, [
    ...['--data-dir', join(directory, 'etcd'), '--name', 'envtest', '--log-level', 'error'],
    ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `envtest=${peerUrl}`],
    ...(canSkipSync ? ['--unsafe-no-fsync'] : []),
  ])
}

function apiServerFlags(directory: string, etcdUrl: string, port: number, token: string): string[] {
  const keyFile = join(directory, 'service-account.key')
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  writeFileSync(keyFile, privateKey, { mode: 0o600 })
  const tokenFile = join(directory, 'tokens')
  writeFileSync(tokenFile, `${token},admin,admin,system:masters\n`, { mode: 0o600 })
  const certDir = join(directory, 'certificates')
  mkdirSync(certDir)
  return [
    ...['--etcd-servers', etcdUrl, '--cert-dir', certDir, '--token-auth-file', tokenFile],
    ...['--bind-address', '127.0.0.1', '--secure-port', String(port)],
    ...['--service-cluster-ip-range', '10.0.0.0/24', '--allow-privileged=true'],
    ...['--authorization-mode', 'RBAC', '--disable-admission-plugins', 'ServiceAccount'],
    ...['--service-account-issuer', `https://127.0.0.1:${port}/`],
    ...['--service-account-key-file', keyFile, '--service-account-signing-key-file', keyFile],
  ]
}

async function untilReady(target: Target, children: readonly Child[]): Promise<void> {
  const { ask, close } = askByHttps(target)
  const isReady = async (): Promise<boolean> => {
    for (const child of children) child.check()
    return (await ask('GET', '/readyz').catch(() => undefined))?.status === 200
  }
  try {
    await until('the kube-apiserver is ready', isReady, { giveUpMs: 120_000 })
  } finally {
    close()
  }
}

/** One of the two. It ends with this process. */
class Child {
  readonly #program: string
  readonly #process: ChildProcess
  readonly #kill = (): boolean => this.#process.kill('SIGKILL')
  #said = ''

  constructor(program: string, args: readonly string[]) {
    this.#program = program
    this.#process = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#process.stderr?.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(-4_000)
    })
    process.once('exit', this.#kill)
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Throws if it has ended. */
  check(): void {
    const { exitCode, signalCode } = this.#process
    if (exitCode !== null || signalCode !== null)
      throw new Error(`${this.#program} ended with ${exitCode ?? signalCode}: ${this.#said}`)
  }

  async stop(): Promise<void> {
    process.off('exit', this.#kill)
    const { exitCode, signalCode } = this.#process
    if (exitCode !== null || signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#kill()
    await ended
  }
}
