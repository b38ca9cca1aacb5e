import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deadline, readAll, utf8 } from '@strata/world'
import { createNodeTransport, type NodeTransport, nodeClock } from '@strata/world/node'
import type { ServerAccess } from '../../golden/served-store.ts'
import { kubectl, type Ran } from '../../support/kubectl.ts'
import { readLines } from '../../support/read-lines.ts'

// biome-ignore lint/suspicious/noExplicitAny: objects of kinds that only their definitions describe.
export type Json = any

export interface Answered {
  readonly status: number
  readonly body: Json
}

const patienceMs = 60_000

/** A user with kubectl, and with a client for what kubectl does not show. */
export class Operator {
  readonly #access: ServerAccess
  readonly #home: string
  readonly #transport: NodeTransport

  private constructor(access: ServerAccess, home: string) {
    this.#access = access
    this.#home = home
    const { url: server, ca, token, client } = access
    this.#transport = createNodeTransport({ server, ca, ...(client ?? { token }) })
  }

  static async with<T>(access: ServerAccess, body: (operator: Operator) => Promise<T>): Promise<T> {
    const home = await mkdtemp(join(tmpdir(), 'strata-operator-'))
    const operator = new Operator(access, home)
    try {
      return await body(operator)
    } finally {
      operator.#transport.close()
      await rm(home, { recursive: true, force: true })
    }
  }

  run(args: readonly string[], input?: unknown): Promise<Ran> {
    return kubectl(args, { kubeconfig: this.#access.kubeconfig, home: this.#home, input })
  }

  /** The output of kubectl; anything on stderr except warnings is a failure. */
  async good(args: readonly string[], input?: unknown): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, input)
    const complaints = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Warning: '))
    assert.deepEqual(complaints, [], `kubectl ${args.join(' ')}`)
    assert.equal(code, 0, stdout)
    return stdout
  }

  async ask(method: string, target: string, body?: unknown, type = 'application/json'): Promise<Answered> {
    const limit = deadline(nodeClock, patienceMs)
    try {
      const response = await this.#transport({
        method,
        target,
        headers: { 'content-type': type },
        body: body === undefined ? undefined : utf8.encode(JSON.stringify(body)),
        signal: limit.signal,
      })
      return { status: response.status, body: JSON.parse(utf8.decode(await readAll(response.body))) }
    } finally {
      limit.dispose()
    }
  }

  /** The object of an answer that must be a good one. */
  async must(method: string, target: string, body?: unknown, type?: string): Promise<Json> {
    const { status, body: answer } = await this.ask(method, target, body, type)
    assert.ok(status < 300, `${method} ${target}: ${status} ${answer.message}`)
    return answer
  }

  merge(target: string, patch: unknown): Promise<Answered> {
    return this.ask('PATCH', target, patch, 'application/merge-patch+json')
  }

  /** The first event after `resourceVersion`, seen while `act` does its work. */
  async watchOne(target: string, resourceVersion: string, act: () => Promise<void>): Promise<Json> {
    const limit = deadline(nodeClock, patienceMs)
    try {
      const response = await this.#transport({
        method: 'GET',
        target: `${target}?watch=true&resourceVersion=${resourceVersion}`,
        headers: {},
        signal: limit.signal,
      })
      assert.equal(response.status, 200, target)
      const lines = readLines(response.body)
      const first = lines.next()
      await act()
      const { value } = await first
      await lines.return()
      return JSON.parse(String(value))
    } finally {
      limit.dispose()
    }
  }
}
