import {
  aggregatedGroup,
  beaconPrefix,
  buoyPrefix,
  type CustomPlural,
  configMapPrefix,
  customGroup,
  customPrefix,
  quotaPrefix,
} from '../keys.ts'
import { podsOf } from '../tokens.ts'
import { customKind, pluralsWithStatus } from './definitions.ts'
import type { Json } from './request.ts'

/** What clients write: a kind whose encoding version changes with the release, one whose never does, and those that are
 *  defined while everything runs. */
export interface Collection {
  readonly kind: 'Beacon' | 'Buoy' | 'ConfigMap' | 'ResourceQuota' | typeof customKind
  readonly plural?: CustomPlural
  /** The prefix of its keys in the namespace that the clients use. */
  readonly prefix: string
  /** It has the status subresource. */
  readonly hasStatus?: true
}

const collections: readonly [Collection, ...Collection[]] = [
  { kind: 'Beacon', prefix: `${beaconPrefix}default/` },
  { kind: 'Beacon', prefix: `${beaconPrefix}default/` },
  { kind: 'ConfigMap', prefix: `${configMapPrefix}default/` },
]

/** The one built-in kind among them that has a status. */
const quotas: Collection = {
  kind: 'ResourceQuota',
  prefix: `${quotaPrefix}default/`,
  hasStatus: true,
}

/** The kind of an aggregated fleet, which has the versions of the example kind. */
export const buoyCollection: Collection = { kind: 'Buoy', prefix: `${buoyPrefix}default/` }

const custom = (plural: CustomPlural): Collection => ({
  kind: customKind,
  plural,
  prefix: `${customPrefix(plural)}default/`,
  ...(pluralsWithStatus.includes(plural) ? { hasStatus: true } : {}),
})

const customs = [custom('gadgets'), custom('gadgets'), custom('gizmos')]

/** What there is to write: also where definitions come and go, and where the status subresource is written. */
export function collectionsOf(has: {
  readonly definitions: boolean
  readonly statuses: boolean
}): readonly [Collection, ...Collection[]] {
  return [...collections, ...(has.statuses ? [quotas] : []), ...(has.definitions ? customs : [])]
}

export interface ObjectName {
  readonly collection: Collection
  /** One of several for the example kind and for custom ones; ConfigMaps have one version. */
  readonly version: string
  readonly name: string
}

export const collectionKey = ({ collection }: ObjectName): string => collection.prefix

export function target({ collection, version, name }: ObjectName, creating: boolean): string {
  const core = { ConfigMap: 'configmaps', ResourceQuota: 'resourcequotas' } as const
  const path =
    collection.kind === 'ConfigMap' || collection.kind === 'ResourceQuota'
      ? `/api/v1/namespaces/default/${core[collection.kind]}`
      : `/apis/${groupOf(collection)}/${version}/namespaces/default/${pluralOf(collection)}`
  return creating || name === '' ? path : `${path}/${name}`
}

export function makeObject({ collection, version, name }: ObjectName, token: string): Json {
  const metadata = { name }
  if (collection.kind === 'ConfigMap') {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { token } }
  }
  if (collection.kind === 'ResourceQuota') {
    return { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: podsOf(token) } } }
  }
  const apiVersion = `${groupOf(collection)}/${version}`
  if (collection.plural) return { apiVersion, kind: customKind, metadata, spec: { colour: token } }
  const period = version === 'v1' ? { everySeconds: 5 } : { periodMs: 5000 }
  return { apiVersion, kind: collection.kind, metadata, spec: { ...period, colour: token } }
}

function groupOf({ kind, plural }: Collection): string {
  if (plural) return customGroup
  return kind === 'Buoy' ? aggregatedGroup : 'lighthouse.example.dev'
}

const pluralOf = ({ kind, plural }: Collection): string => plural ?? (kind === 'Buoy' ? 'buoys' : 'beacons')

export function setToken(object: Json, token: string): Json {
  if (object.kind === 'ConfigMap') object.data = { token }
  else if (object.kind === 'ResourceQuota') object.spec.hard = { pods: podsOf(token) }
  else object.spec.colour = token
  return object
}

export function setStatusToken(object: Json, token: string): Json {
  object.status = object.kind === 'ResourceQuota' ? { hard: { pods: podsOf(token) } } : { colour: token }
  return object
}
