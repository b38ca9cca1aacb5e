import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { abortable, deadline } from '@strata/world'
import { createNodeTransport, type NodeTransport, nodeClock } from '@strata/world/node'
import { isFullSize } from './full-size.ts'
import { until } from './until.ts'

const root = join(import.meta.dirname, '../..')
/** The bundle that `npm test` makes. A file that is run by hand runs the sources. */
const bundled = process.env.STRATA_BUNDLED
export const strataCommand = bundled ? join(bundled, 'strata.mjs') : join(root, 'packages/cli/bin/strata.mjs')
export const lighthouseModule = bundled
  ? join(bundled, 'lighthouse.mjs')
  : join(root, 'examples/lighthouse/resources.ts')
/** The judge of a store's history: test/history-audit. */
export const auditCommand = bundled
  ? join(bundled, 'audit-history.mjs')
  : join(root, 'test/history-audit/main.ts')
/** Hundreds of processes are started from the same code; compiling it anew takes half of each start. */
const compileCache = bundled ? join(bundled, 'compiled') : join(root, '.strata/compile-cache')

/** Generous: several of these start at once on a busy machine. Usually far less time passes. */
const PATIENCE_MS = isFullSize ? 1_800_000 : 60_000
const KEPT_OUTPUT = 20_000

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Where and how a process runs. Defaults to this machine. */
export interface Placement {
  /** A command that runs another one elsewhere: `nsenter --net=…`. */
  readonly command?: readonly string[]
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** One process of ours, with what it has said and the means to end, kill, freeze and thaw it. */
export class StrataProcess {
  readonly name: string
  /** The file after `--kubeconfig-out`, if given. */
  readonly kubeconfigOut: string | undefined
  readonly exited: Promise<Exit>
  readonly #child: ChildProcess
  #output = ''
  #stdout = ''

  constructor(
    name: string,
    args: readonly string[],
    script: string = strataCommand,
    { command: prefix = [], nodeFlags = [], environment = {} }: Placement = {},
  ) {
    this.name = name
    const flag = args.indexOf('--kubeconfig-out')
    this.kubeconfigOut = flag < 0 ? undefined : args[flag + 1]
    const [program = process.execPath, ...rest] = [...prefix, process.execPath, ...nodeFlags, script, ...args]
    this.#child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A kubeconfig of the person at the keyboard has no place here.
      env: { ...process.env, KUBECONFIG: '', NODE_COMPILE_CACHE: compileCache, ...environment },
    })
    const child = this.#child
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout = (this.#stdout + text).slice(-200_000)
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT)
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT)
    })
    // A test run that ends early must not leave servers behind.
    const killChild = (): void => {
      child.kill('SIGKILL')
    }
    process.once('exit', killChild)
    this.exited = once(child, 'close').then(([code, signal]) => {
      process.off('exit', killChild)
      return { code: code as number | null, signal: signal as NodeJS.Signals | null }
    })
    this.exited.catch(() => {})
  }

  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined || !this.running) throw new Error(`${this.name} does not run: ${this.#output}`)
    return pid
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** The end of what it has printed, errors included. */
  get output(): string {
    return this.#output
  }

  get stdout(): string {
    return this.#stdout
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.pid, name)
  }

  /** How it ends. Throws, with its last words, if it does not. */
  async ended(): Promise<Exit> {
    const limit = deadline(nodeClock, PATIENCE_MS)
    try {
      return await abortable(this.exited, limit.signal)
    } catch (error) {
      throw new Error(`${this.name} did not end; its last words:\n${this.#output}`, { cause: error })
    } finally {
      limit.dispose()
    }
  }

  /** SIGTERM, as an operator does; it must take it well. */
  async terminate(): Promise<void> {
    this.signal('SIGTERM')
    const { code, signal } = await this.ended()
    if (code !== 0) {
      throw new Error(`${this.name} ended with ${signal ?? `code ${code}`}; its last words:\n${this.#output}`)
    }
  }

  /** kill -9, and waits until it is gone. A frozen process dies of it too. */
  async kill(): Promise<void> {
    if (this.running) this.signal('SIGKILL')
    await this.exited
  }
}

/** How a server takes part in agreement. Defaults to report and strict. */
export interface Participation {
  readonly form?: 'report' | 'vote'
  readonly guarantee?: 'strict' | 'loose'
  /** `Name=true,Other=false`. */
  readonly featureGates?: string | undefined
  /** An EncryptionConfiguration, taken over whenever it changes. */
  readonly encryptionFile?: string
  readonly runtimeConfig?: string
  readonly kubeconfigOut?: string
}

export interface ServeFlags extends Participation {
  readonly name: string
  readonly port: number
  /** Empty: none is played, and it is what the software is called. */
  readonly release: string
  readonly dataDir: string
  /** Which store, as flags. */
  readonly store: readonly string[]
  readonly leaseDurationSeconds: number
  /** Any other flags. */
  readonly more?: readonly string[]
  readonly placement?: Placement
}

/** How a server is started; the counter-proof has another way. */
export type StartServe = (flags: ServeFlags) => StrataProcess

/** The command, and the example's kinds, of one commit. */
export interface StrataBuild {
  readonly command: string
  readonly lighthouse: string
}

export const strataServe: StartServe = serveOf({ command: strataCommand, lighthouse: lighthouseModule })

/** Starts servers of one build. */
export function serveOf({ command, lighthouse }: StrataBuild): StartServe {
  return (flags) => new StrataProcess(flags.name, serveArguments(flags, lighthouse), command, flags.placement)
}

function serveArguments(
  { name, port, release, dataDir, store, ...flags }: ServeFlags,
  lighthouse: string,
): readonly string[] {
  return [
    'serve',
    ...['--instance', name, '--secure-port', String(port), '--data-dir', dataDir],
    ...['--resources', lighthouse, ...(release === '' ? [] : ['--release', release])],
    ...['--identity-lease-duration-seconds', String(flags.leaseDurationSeconds)],
    ...['--identity-lease-renew-interval-seconds', '1'],
    ...(flags.form === undefined ? [] : ['--storage-version-coordination', flags.form]),
    ...(flags.guarantee === undefined ? [] : ['--storage-version-guarantee', flags.guarantee]),
    ...(flags.featureGates === undefined ? [] : ['--feature-gates', flags.featureGates]),
    ...(flags.runtimeConfig === undefined ? [] : ['--runtime-config', flags.runtimeConfig]),
    ...(flags.kubeconfigOut === undefined ? [] : ['--kubeconfig-out', flags.kubeconfigOut]),
    ...(flags.encryptionFile === undefined
      ? []
      : [
          ...['--encryption-provider-config', flags.encryptionFile],
          '--encryption-provider-config-automatic-reload',
        ]),
    // The whole history is judged at the end.
    ...['--etcd-compaction-interval', '0', '--trace-writers'],
    ...store,
    ...(flags.more ?? []),
  ]
}

export interface Access {
  readonly url: string
  readonly ca: string
  readonly token: string
}

/**
 * Waits until the server may be written through, and fails if it ends first. The server writes its kubeconfig just after `/readyz`
 * says yes, so this waits for that file too.
 */
export async function untilReady(server: StrataProcess, { url, ca }: Access): Promise<void> {
  const transport = createNodeTransport({ server: url, ca })
  try {
    await until(
      `${server.name} is ready`,
      async () => {
        if (!server.running) throw new Error(`${server.name} ended instead of serving:\n${server.output}`)
        return (await isReady(transport)) && (!server.kubeconfigOut || existsSync(server.kubeconfigOut))
      },
      { giveUpMs: PATIENCE_MS },
    )
  } catch (error) {
    throw new Error(`${server.name} did not become ready; its last words:\n${server.output}`, {
      cause: error,
    })
  } finally {
    transport.close()
  }
}

export async function isReady(transport: NodeTransport): Promise<boolean> {
  const limit = deadline(nodeClock, 2_000)
  try {
    const request = { method: 'GET', target: '/readyz', headers: {}, signal: limit.signal }
    return (await transport(request)).status === 200
  } catch {
    return false
  } finally {
    limit.dispose()
  }
}
