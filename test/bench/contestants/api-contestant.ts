import { configMap, run } from '../config-maps.ts'
import { type Contestant, inParallel, type Work } from '../contestant.ts'
import { createLoadClient } from '../load/create-load-client.ts'
import type { HttpVersion, LoadClient, LoadTarget } from '../load/load-client.ts'
import { type Send, sendBy } from '../load/send.ts'
import { connections, pageSize, watchers } from '../workloads.ts'

const namespaces = '/api/v1/namespaces'
/** So many different objects are updated, that those under way at once are all different. */
const updated = 4 * connections

/** One server may be measured several times in a run, beside each of the stores. */
let contestants = 0

export interface ApiContestantOptions {
  readonly name: string
  readonly target: LoadTarget
  readonly http: HttpVersion
  /** How many stand in the namespace that is read. */
  readonly objects: number
  readonly onProgress: (done: number) => void
  readonly processorMs?: () => number
  /** Only for servers that go on living. */
  readonly cleansUp: boolean
}

/** Any server that speaks the Kubernetes API. */
export async function apiContestant(options: ApiContestantOptions): Promise<Contestant> {
  const { name, target, objects, processorMs } = options
  const client = createLoadClient(target, options.http)
  const send = sendBy(client, name)
  const turnOfRun = contestants++
  const read = await makeNamespace(send, `${turnOfRun}-read`)
  const written = await makeNamespace(send, `${turnOfRun}-written`)
  const watched = await makeNamespace(send, `${turnOfRun}-watched`)
  await inParallel({ count: objects, atOnce: connections }, async (index) => {
    await send('POST', read, configMap(objectName(index)))
    if (index % 1000 === 999) options.onProgress(index + 1)
  })
  await inParallel({ count: updated, atOnce: connections }, (index) =>
    send('POST', written, configMap(objectName(index))),
  )
  let turn = 0
  let created = 0
  const work: Contestant['work'] = {
    create: () => send('POST', written, configMap(`created-${created++}`)),
    get: (index) => send('GET', `${read}/${objectName((index * 7919) % objects)}`),
    update: () => {
      const object = objectName(++turn % updated)
      return send('PUT', `${written}/${object}`, configMap(object, turn))
    },
    list: () => send('GET', `${read}?limit=${pageSize}`),
    'list-all': () => send('GET', read),
    watch: await fanOut(client, send, watched),
  }
  return {
    name,
    work,
    ...(processorMs ? { processorMs } : {}),
    close: async () => {
      for (const path of options.cleansUp ? [read, written, watched] : []) {
        await send('DELETE', path)
        await send('DELETE', path.replace(/\/configmaps$/, ''))
      }
      client.close()
    },
  }
}

const objectName = (index: number): string => `item-${String(index).padStart(6, '0')}`

async function makeNamespace(send: Send, name: string): Promise<string> {
  const full = `bench-${run}-${name}`
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: full } }
  await send('POST', namespaces, Buffer.from(JSON.stringify(namespace)))
  return `${namespaces}/${full}/configmaps`
}

/** One unit of work is an update that every watcher has received. */
async function fanOut(client: LoadClient, send: Send, path: string): Promise<Work> {
  await inParallel({ count: updated, atOnce: connections }, (index) =>
    send('POST', path, configMap(objectName(index))),
  )
  let delivered = 0
  let sent = 0
  const waiting = new Set<() => void>()
  const onLines = (count: number): void => {
    delivered += count
    if (delivered < sent * watchers) return
    for (const wake of waiting) wake()
    waiting.clear()
  }
  let watching: Promise<unknown> | undefined
  let turn = 0
  return async () => {
    watching ??= openWatches(client, send, path, onLines)
    await watching
    const object = objectName(++turn % updated)
    await send('PUT', `${path}/${object}`, configMap(object, turn))
    sent++
    if (delivered < sent * watchers) await new Promise<void>((resolve) => waiting.add(resolve))
  }
}

/** Starts at the current revision, so that no watcher gets existing objects. */
async function openWatches(
  client: LoadClient,
  send: Send,
  path: string,
  onLines: (count: number) => void,
): Promise<void> {
  const list = await send('GET', `${path}?limit=1`)
  const [, revision] = /"metadata":\s*\{[^}]*?"resourceVersion":\s*"(\d+)"/.exec(list.toString()) ?? []
  if (revision === undefined) throw new Error(`the list ${path} tells no resourceVersion`)
  const query = `watch=true&resourceVersion=${revision}`
  await inParallel({ count: watchers, atOnce: 8 }, () => client.watch(`${path}?${query}`, onLines))
}
