import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Certificates } from './certificates.ts'
import { StrataProcess } from './serve-process.ts'
import { until } from './until.ts'

const program = join(import.meta.dirname, 'webhook-program.ts')

/** A webhook over HTTPS in a process of its own, at the same address however often it is started again. */
export class WebhookProcess {
  readonly #certificates: Certificates
  #process: StrataProcess | undefined
  #port = 0

  private constructor(certificates: Certificates) {
    this.#certificates = certificates
  }

  static async start(certificates: Certificates): Promise<WebhookProcess> {
    const webhook = new WebhookProcess(certificates)
    await webhook.start()
    return webhook
  }

  get origin(): string {
    return `https://127.0.0.1:${this.#port}`
  }

  get running(): boolean {
    return this.#process?.running === true
  }

  async start(): Promise<void> {
    const { serverCertFile, serverKeyFile } = this.#certificates
    const started = new StrataProcess('webhook', [serverCertFile, serverKeyFile, String(this.#port)], program)
    this.#process = started
    const [, port] = await until('the webhook listens', () => {
      assert.ok(started.running, started.output)
      return /listening (\d+)/.exec(started.stdout)
    })
    this.#port = Number(port)
  }

  async kill(): Promise<void> {
    await this.#process?.kill()
  }
}
