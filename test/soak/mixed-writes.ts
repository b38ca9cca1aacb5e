import { integer, pick, type Random, readAll, sleep, type Transport, utf8 } from '@strata/world'
import { nodeClock } from '@strata/world/node'

export type Operation = 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'get' | 'list' | 'page'

/** A name is used again and again, so that what is stored, and what is remembered of it, stays as large. */
const names = 200
const path = '/api/v1/namespaces/soak-load/configmaps'
/** Answered; another writer may have changed or deleted the object. */
const answered = new Set([200, 201, 404, 409])
/** The server is being restarted, or busy. */
const refused = new Set([429, 503, 504])
const operations = ['create', 'update', 'patch', 'apply', 'delete', 'get', 'list', 'page'] as const

export interface WriteFigures {
  /** Answered ones, by kind. */
  readonly operations: Readonly<Record<string, number>>
  /** Refused, or without an answer: the server is being restarted, or busy. */
  readonly refused: number
  readonly unexpected: readonly string[]
}

/** One client that creates, changes, deletes and lists config maps in turns, without end. */
export class MixedWriter {
  readonly #transport: () => Transport
  readonly #random: Random
  readonly #counts = new Map<string, number>()
  readonly #unexpected: string[] = []
  #refused = 0

  constructor(transport: () => Transport, random: Random) {
    this.#transport = transport
    this.#random = random
  }

  get figures(): WriteFigures {
    const operations = Object.fromEntries(this.#counts)
    return { operations, refused: this.#refused, unexpected: this.#unexpected }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const operation = pick(this.#random, operations)
      try {
        const status = await this.#do(operation, signal)
        if (answered.has(status)) this.#counts.set(operation, (this.#counts.get(operation) ?? 0) + 1)
        else if (refused.has(status)) this.#refused++
        else this.#unexpected.push(`${operation} answered ${status}`)
      } catch {
        if (signal.aborted) return
        this.#refused++
        await sleep(nodeClock, 200, signal).catch(() => {})
      }
      await sleep(nodeClock, integer(this.#random, 20), signal).catch(() => {})
    }
  }

  #do(operation: Operation, signal: AbortSignal): Promise<number> {
    const name = `map-${integer(this.#random, names)}`
    const object = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
      data: { value: 'x'.repeat(integer(this.#random, 2_000)) },
    }
    switch (operation) {
      case 'create':
        return this.#send('POST', path, signal, object)
      case 'update':
        return this.#send('PUT', `${path}/${name}`, signal, object)
      case 'patch':
        return this.#send('PATCH', `${path}/${name}`, signal, object, 'application/merge-patch+json')
      case 'apply':
        return this.#send(
          'PATCH',
          `${path}/${name}?fieldManager=soak&force=true`,
          signal,
          object,
          'application/apply-patch+yaml',
        )
      case 'delete':
        return this.#send('DELETE', `${path}/${name}`, signal)
      case 'get':
        return this.#send('GET', `${path}/${name}`, signal)
      case 'list':
        return this.#send('GET', path, signal)
      case 'page':
        return this.#send('GET', `${path}?limit=20`, signal)
    }
  }

  async #send(
    method: string,
    target: string,
    signal: AbortSignal,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<number> {
    const { status, body: answer } = await this.#transport()({
      ...{ method, target, signal, headers: { 'content-type': contentType } },
      body: body === undefined ? undefined : utf8.encode(JSON.stringify(body)),
    })
    await readAll(answer)
    return status
  }
}

/**
 * Writes until the server remembers as much of the past as it ever will (up to 12,500 events of a resource): from then on the
 * same amount of memory holds it.
 */
export async function fillHistory(transport: Transport, writes: number, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  let left = writes
  const fill = async (): Promise<void> => {
    while (left-- > 0) {
      const name = `map-${left % names}`
      const object = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { value: `${left} ${'x'.repeat(1_000)}` },
      }
      const { body: answer } = await transport({
        ...{ method: 'PATCH', target: `${path}/${name}?fieldManager=fill&force=true`, headers, signal },
        body: utf8.encode(JSON.stringify(object)),
      })
      await readAll(answer)
    }
  }
  await Promise.all(Array.from({ length: 16 }, fill))
}
