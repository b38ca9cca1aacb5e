import {
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type ListWatch,
  makeInformer,
} from '@kubernetes/client-node'
import { nodeClock } from '@strata/world/node'
import { type FollowingClient, type Seen, type ShownBeacon, seenObject } from './client-log.ts'
import type { Access } from './serve-process.ts'

const group = 'lighthouse.example.dev'
const version = 'v1'
const plural = 'beacons'
const path = `/apis/${group}/${version}/${plural}`

/** Errors that are expected while servers come and go; without a code, the connection broke. */
const expected: readonly unknown[] = [undefined, 429, 503, 504]
const restartMs = 20

interface BeaconList {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: ShownBeacon[]
}

/** The informer of `@kubernetes/client-node` as people use it: started again, after a moment, whenever it has failed. */
export function startInformerClient(name: string, access: Access): FollowingClient {
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'fleet', server: access.url, caData: Buffer.from(access.ca).toString('base64') }],
    users: [{ name: 'admin', token: access.token }],
    contexts: [{ name: 'fleet', cluster: 'fleet', user: 'admin' }],
    currentContext: 'fleet',
  })
  const api = config.makeApiClient(CustomObjectsApi)
  const log: Seen[] = []
  const counts = { lists: 0, resumes: 0, failures: 0 }
  let listedAt = 0
  let stopped = false
  let unexpected: unknown

  const list = async (): Promise<BeaconList> => {
    const listed: BeaconList = await api.listCustomObjectForAllNamespaces({ group, version, plural })
    counts.lists++
    listedAt = Number(listed.metadata.resourceVersion)
    log.push({ kind: 'state', revision: listedAt, items: listed.items.map(seenObject) })
    return listed
  }
  // Its types want every object to say that any of its fields may be missing.
  const informer = makeInformer(config, path, list as never) as unknown as Informer<never> &
    Pick<ListWatch<never>, 'list'>

  const hear = (type: 'ADDED' | 'MODIFIED' | 'DELETED') => (object: never) => {
    const seen = seenObject(object)
    // Events that it makes up itself, out of the difference of two lists.
    if (seen.revision > listedAt) log.push({ kind: 'event', type, ...seen })
  }
  informer.on('add', hear('ADDED'))
  informer.on('update', hear('MODIFIED'))
  informer.on('delete', hear('DELETED'))
  informer.on('connect', () => {
    counts.resumes++
  })
  const start = (): void => {
    if (stopped) return
    informer.start().catch((error: unknown) => {
      unexpected ??= error
    })
  }
  informer.on('error', (error: { code?: unknown; statusCode?: unknown } | undefined) => {
    counts.failures++
    const code = error?.statusCode ?? error?.code
    if (!stopped && typeof code === 'number' && !expected.includes(code)) unexpected ??= error
    nodeClock.after(restartMs, start)
  })
  start()
  return {
    name,
    path,
    namespace: undefined,
    log,
    counts,
    copy: () => informer.list() as readonly ShownBeacon[],
    stop: async () => {
      stopped = true
      await informer.stop()
      if (unexpected) throw unexpected
    },
  }
}
