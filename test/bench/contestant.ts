import { randomBytes } from 'node:crypto'
import type { Store } from '@strata/server/store'
import { readAll, type Transport } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { adminHeaders, type BenchServer } from './servers.ts'

export type Work = 'create' | 'get' | 'list'

/** Someone who can do the work, so that two of them can be measured side by side. */
export interface Contestant {
  readonly name: string
  /** Does it once; `index` differs each time. */
  readonly work: Readonly<Record<Work, (index: number) => Promise<void>>>
}

const never = new AbortController().signal
/** About 1 KiB stored, as in the design's table. */
const payload = randomBytes(400).toString('hex')
export const listSize = 500
const run = randomBytes(4).toString('hex')

function configMap(name: string): Buffer {
  return Buffer.from(
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { payload } }),
  )
}

export async function strataContestant(name: string, server: BenchServer): Promise<Contestant> {
  const send = async (method: string, target: string, body?: Buffer): Promise<void> => {
    const response = await request(server.transport, method, target, server.token, body)
    if (response.status >= 300)
      throw new Error(`${name}: ${method} ${target} answered ${response.status}: ${response.text()}`)
  }
  const namespaces = '/api/v1/namespaces'
  const namespace = `${namespaces}/default/configmaps`
  const pages = `${namespaces}/bench-list/configmaps`
  const made = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench-list' } }
  await send('POST', namespaces, Buffer.from(JSON.stringify(made)))
  await inParallel(listSize, (index) => send('POST', pages, configMap(`item-${index}`)))
  let created = 0
  return {
    name,
    work: {
      create: () => send('POST', namespace, configMap(`${run}-${name}-${created++}`)),
      get: (index) => send('GET', `${pages}/item-${index % listSize}`),
      list: () => send('GET', pages),
    },
  }
}

/** The store alone: the same bytes, one guard, no server. */
export async function rawContestant(name: string, store: Store): Promise<Contestant> {
  const value = configMap('raw')
  const put = async (key: string): Promise<void> => {
    const outcome = await store.commit(
      { writes: [{ kind: 'put', key, value }], guards: [{ key, revision: 'absent' }] },
      never,
    )
    if (outcome.outcome !== 'committed') throw new Error(`${key} is there already`)
  }
  await inParallel(listSize, (index) => put(`/bench/${run}/list/item-${index}`))
  let created = 0
  return {
    name,
    work: {
      create: () => put(`/bench/${run}/create/${created++}`),
      get: async (index) => {
        await store.read([`/bench/${run}/list/item-${index % listSize}`], never)
      },
      list: async () => {
        await store.list({ prefix: `/bench/${run}/list/`, limit: listSize }, never)
      },
    },
  }
}

async function request(transport: Transport, method: string, target: string, token: string, body?: Buffer) {
  const headers = adminHeaders(token)
  const response = await transport({ method, target, headers, signal: never, ...(body ? { body } : {}) })
  const bytes = await readAll(response.body)
  return { status: response.status, text: () => Buffer.from(bytes).toString().slice(0, 300) }
}

export const connections = 32

/** Does `count` pieces of work with a bounded number at a time. */
export async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, connections) }, worker))
}

/** How many per second. */
export async function rate({ work }: Contestant, kind: Work, count: number): Promise<number> {
  const startMs = nodeClock.monotonicMs()
  await inParallel(count, work[kind])
  return (1000 * count) / (nodeClock.monotonicMs() - startMs)
}
