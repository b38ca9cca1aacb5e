import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNodeTransport, type NodeTransport } from '@strata/world/node'
import { freePorts } from '../support/free-ports.ts'
import { type Access, StrataProcess, untilReady } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

export type ServerName = 'a' | 'b'

/** Two servers over one SQLite file, and the controllers. Server `a` runs from end to end; `b` is restarted. */
export class SoakFleet {
  readonly #directory: string
  readonly #ports: Readonly<Record<ServerName, number>>
  readonly #servers = new Map<ServerName, StrataProcess>()
  readonly #transports = new Map<ServerName, NodeTransport>()
  #controllers: StrataProcess | undefined
  #credentials = { ca: '', token: '' }

  private constructor(directory: string, ports: Readonly<Record<ServerName, number>>) {
    this.#directory = directory
    this.#ports = ports
  }

  static async start(): Promise<SoakFleet> {
    const directory = await mkdtemp(join(tmpdir(), 'strata-soak-'))
    const [a = 0, b = 0] = await freePorts(2)
    const fleet = new SoakFleet(directory, { a, b })
    try {
      await fleet.startServer('a')
      await fleet.startServer('b')
      const kubeconfig = join(directory, 'a.kubeconfig')
      fleet.#controllers = new StrataProcess('controllers', ['controllers', '--kubeconfig', kubeconfig])
      return fleet
    } catch (error) {
      await fleet.stop()
      throw error
    }
  }

  access(name: ServerName): Access {
    return { url: `https://127.0.0.1:${this.#ports[name]}`, ...this.#credentials }
  }

  transport(name: ServerName): NodeTransport {
    return this.#transports.getOrInsertComputed(name, () => {
      const { url, ca, token } = this.access(name)
      return createNodeTransport({ server: url, ca, token })
    })
  }

  server(name: ServerName): StrataProcess {
    const found = this.#servers.get(name)
    if (!found) throw new Error(`server ${name} was not started`)
    return found
  }

  async startServer(name: ServerName): Promise<void> {
    const started = new StrataProcess(name, [
      'serve',
      ...['--store', 'sqlite', '--data-dir', this.#directory, '--instance', name],
      ...['--secure-port', String(this.#ports[name])],
      ...['--kubeconfig-out', join(this.#directory, `${name}.kubeconfig`)],
      // A short history: what is remembered of it fills up within the warm-up, and stays as large.
      ...['--etcd-compaction-interval', '30s'],
    ])
    this.#servers.set(name, started)
    const read = (file: string): Promise<string> =>
      until(`server ${name} has written ${file}`, () => {
        if (!started.running) throw new Error(`server ${name} ended:\n${started.output}`)
        return readFile(join(this.#directory, 'pki', file), 'utf8').catch(() => undefined)
      })
    this.#credentials = { ca: await read('ca.crt'), token: (await read('admin.token')).trim() }
    await untilReady(started, this.access(name))
  }

  async restart(name: ServerName): Promise<void> {
    await this.server(name).terminate()
    await this.startServer(name)
  }

  /** Processes that ended on their own. */
  get ended(): readonly string[] {
    return [...this.#servers.values(), ...(this.#controllers ? [this.#controllers] : [])]
      .filter(({ running }) => !running)
      .map(({ name, output }) => `${name} ended:\n${output}`)
  }

  async stop(): Promise<void> {
    for (const transport of this.#transports.values()) transport.close()
    await this.#controllers?.kill()
    await Promise.all([...this.#servers.values()].map((each) => each.kill()))
    await rm(this.#directory, { recursive: true, force: true })
  }
}
