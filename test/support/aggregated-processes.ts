import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { freePorts } from './free-ports.ts'
import { kubectl, type Ran } from './kubectl.ts'
import { StrataProcess, untilReady } from './serve-process.ts'
import { until } from './until.ts'

const rights = join(import.meta.dirname, '../../examples/aggregated-server/rights.yaml')

/** An aggregator and an aggregated server, each a process with its own store; TLS between them. */
export class AggregatedProcesses {
  readonly #directory: string
  readonly #running: StrataProcess[] = []
  #port = 0

  private constructor(directory: string) {
    this.#directory = directory
  }

  /** The aggregated server, shop/api for the aggregator, has the kinds of this module. */
  static async start(module: string): Promise<AggregatedProcesses> {
    const pair = new AggregatedProcesses(await mkdtemp(join(tmpdir(), 'strata-aggregated-')))
    try {
      await pair.#start(module)
      return pair
    } catch (error) {
      await pair.stop()
      throw error
    }
  }

  async #start(module: string): Promise<void> {
    const [frontPort = 0, port = 0] = await freePorts(2)
    this.#port = port
    await this.#serve('front', frontPort, [
      ...['--kubeconfig-out', this.kubeconfig],
      ...['--service-address', `shop/api=https://127.0.0.1:${port}`],
    ])
    await until('there is a kubeconfig', () => readFile(this.kubeconfig).catch(() => undefined))
    await this.ok(['apply', '-f', rights])
    const config = parse(await readFile(this.kubeconfig, 'utf8'))
    const token = await this.serviceToken()
    for (const each of config.users) each.user = { token }
    await writeFile(this.file('aggregator.yaml'), stringify(config))
    await this.#serve('behind', port, [
      ...['--aggregated', '--kubeconfig', this.file('aggregator.yaml'), '--service-name', 'shop/api'],
      ...['--resources', module],
    ])
  }

  /** Of an administrator, for the aggregator. */
  get kubeconfig(): string {
    return this.file('front.yaml')
  }

  /** The address of the aggregated server itself. */
  get behind(): string {
    return `https://127.0.0.1:${this.#port}`
  }

  /** The CA of the aggregated server, as an APIService has it. */
  caBundle(): Promise<string> {
    return readFile(this.file('behind/pki/ca.crt'), 'base64')
  }

  /** A token of the aggregated server's own user. */
  async serviceToken(): Promise<string> {
    return (await this.ok(['create', 'token', 'api', '-n', 'shop'])).trim()
  }

  run(args: readonly string[], input?: unknown): Promise<Ran> {
    return kubectl(args, { kubeconfig: this.kubeconfig, home: this.#directory, input })
  }

  async ok(args: readonly string[], input?: unknown): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, input)
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  /** The aggregated server goes; the aggregator stays. */
  async killBehind(): Promise<void> {
    await this.#running[1]?.kill()
  }

  async stop(): Promise<void> {
    for (const each of this.#running.toReversed()) if (each.running) await each.terminate()
    await rm(this.#directory, { recursive: true, force: true })
  }

  file(name: string): string {
    return join(this.#directory, name)
  }

  async #serve(name: string, port: number, more: readonly string[]): Promise<void> {
    const place = ['--data-dir', this.file(name), '--secure-port', String(port)]
    const server = new StrataProcess(name, ['serve', ...place, ...more])
    this.#running.push(server)
    const ca = await until('there is a CA', () => {
      assert.ok(server.running, server.output)
      return readFile(this.file(`${name}/pki/ca.crt`), 'utf8').catch(() => undefined)
    })
    await untilReady(server, { url: `https://127.0.0.1:${port}`, ca, token: '' })
  }
}
