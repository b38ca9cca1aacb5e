import type { Entry, Store } from '@strata/server/store'
import type { HttpResponse, Transport } from '@strata/world'
import { readAll, utf8 } from '@strata/world'
import { aggregatedGroup, aggregatedRecord, leasePrefix } from '../keys.ts'
import type { Sabotage } from '../sabotage.ts'
import type { Json } from '../world/request.ts'
import { releasePairs, type Shape } from '../world/shape.ts'
import { olderStates } from './bent-mirror.ts'

/** An aggregated fleet that is upgraded and rolled back, behind one to which little happens. */
const behind: Partial<Shape> = {
  ...{ aggregated: 2, aggregatedTheme: 'upgrades', theme: 'calm', instances: ['a', 'b'] },
  ...{ releases: releasePairs.switch, clients: 2, clientRestMs: 3_000 },
}
const migrating: Partial<Shape> = { ...behind, migrations: 'engine' }

const mirrorPath = `/apis/internal.apiserver.k8s.io/v1alpha1/storageversions/${aggregatedRecord}`
const recordPath = new RegExp(`^/apis/${aggregatedGroup}/[^/]+/storageagreements/`)

/** What is promised of aggregated resources, broken one promise at a time. */
export const mirrorSabotages: readonly Sabotage[] = [
  {
    name: 'mirror-goes-back',
    breaks: 'rule 15: the mirror writes an older state of a record over a newer one',
    caughtBy: ['true-mirror'],
    mirror: olderStates,
    shape: behind,
  },
  {
    name: 'mirrored-lease-counts',
    breaks: 'rule 15: the aggregator takes a mirrored Lease for that of a member of its own fleet',
    caughtBy: ['true-mirror'],
    wrapConnection: takeForMembers,
    shape: behind,
  },
  {
    name: 'mirror-decides',
    breaks: 'rule 15: whoever migrates believes the mirror, and not the record in the store of the resource',
    caughtBy: ['origin-decides'],
    migrator: { wrap: believeMirror },
    shape: migrating,
  },
  {
    name: 'two-origins-agree',
    breaks: 'rule 15: two stores are named for one resource, and it is migrated as if there were one',
    caughtBy: ['origin-decides'],
    migrator: { wrap: overlookOrigins },
    shape: { ...migrating, aggregated: 1, twoOrigins: true },
  },
]

/** Leases of aggregated servers look to a server like those of its own fleet. */
function takeForMembers(store: Store): Store {
  const asMember = <Each extends Partial<Entry>>(entry: Each): Each =>
    entry.key?.startsWith(leasePrefix) && entry.value
      ? { ...entry, value: utf8.encode(utf8.decode(entry.value).replace(mirroredLabel, memberLabel)) }
      : entry
  return {
    ...store,
    read: async (keys, signal) => {
      const reading = await store.read(keys, signal)
      return { ...reading, entries: reading.entries.map((each) => each && asMember(each)) }
    },
    list: async (range, signal) => {
      const page = await store.list(range, signal)
      return { ...page, entries: page.entries.map(asMember) }
    },
    watch: async function* (prefix, after, signal) {
      for await (const batch of store.watch(prefix, after, signal)) {
        yield {
          ...batch,
          changes: batch.changes.map((each) => (each.kind === 'put' ? asMember(each) : each)),
        }
      }
    },
  }
}

const mirroredLabel = '"apiserver.kubernetes.io/identity":"aggregated-apiserver"'
const memberLabel = '"apiserver.kubernetes.io/identity":"kube-apiserver"'

/** Questions for the record are answered with what the aggregator shows of it. */
export function believeMirror(way: Transport): Transport {
  return async (request) => {
    if (request.method !== 'GET' || !recordPath.test(request.target)) return way(request)
    const answer = await way({ ...request, target: mirrorPath })
    return answer.status === 200 ? rewritten(answer, recordOf) : answer
  }
}

function recordOf({ metadata, status }: Json): Json {
  const { storageVersions: servers = [], commonEncodingVersion: agreedVersion } = status
  const [origin] = JSON.parse(metadata.annotations?.['strata.dev/origins'] ?? '[]')
  const is = (type: string, isTrue: boolean) => ({ type, status: isTrue ? 'True' : 'False', message: type })
  const isAgreed = agreedVersion !== undefined
  return {
    ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageAgreement' },
    metadata: { name: aggregatedRecord, uid: origin?.recordUID, resourceVersion: origin?.resourceVersion },
    spec: { group: aggregatedGroup, resource: 'buoys' },
    status: {
      ...{ epoch: origin?.epoch ?? 0, agreedVersion },
      encodings: isAgreed ? [`${agreedVersion} identity fingerprint strict`] : [],
      servers: servers.map((each: Json) => ({ ...each, serverID: each.apiServerID, writeKey: 'identity' })),
      conditions: [
        is('AllEncodingVersionsEqual', isAgreed),
        is('AllServersReported', isAgreed),
        is('Fenced', true),
      ],
    },
  }
}

/** The mirror seems to name no store at all. */
export function overlookOrigins(way: Transport): Transport {
  return async (request) => {
    const answer = await way(request)
    if (request.method !== 'GET' || request.target !== mirrorPath || answer.status !== 200) return answer
    return rewritten(answer, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, annotations: {} },
    }))
  }
}

async function rewritten(answer: HttpResponse, change: (body: Json) => Json): Promise<HttpResponse> {
  const body: Json = JSON.parse(utf8.decode(await readAll(answer.body)))
  return { ...answer, body: utf8.encode(JSON.stringify(change(body))) }
}
