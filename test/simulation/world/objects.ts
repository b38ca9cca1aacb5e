import { beaconPrefix, configMapPrefix } from '../keys.ts'
import type { Json } from './request.ts'

/** What clients write: the kind whose encoding version changes, and one whose never does. */
export interface Collection {
  readonly kind: 'Beacon' | 'ConfigMap'
  /** Of the keys of its objects in the namespace that the clients use. */
  readonly prefix: string
}

export const collections: readonly [Collection, ...Collection[]] = [
  { kind: 'Beacon', prefix: `${beaconPrefix}default/` },
  { kind: 'Beacon', prefix: `${beaconPrefix}default/` },
  { kind: 'ConfigMap', prefix: `${configMapPrefix}default/` },
]

export interface ObjectName {
  readonly collection: Collection
  /** Of the example kind; config maps have only one. */
  readonly version: string
  readonly name: string
}

export const collectionKey = ({ collection }: ObjectName): string => collection.prefix

export function target({ collection, version, name }: ObjectName, creating: boolean): string {
  const path =
    collection.kind === 'Beacon'
      ? `/apis/lighthouse.example.dev/${version}/namespaces/default/beacons`
      : '/api/v1/namespaces/default/configmaps'
  return creating || name === '' ? path : `${path}/${name}`
}

/** The token travels in a field that every version has. */
export function makeObject({ collection, version, name }: ObjectName, token: string): Json {
  const metadata = { name }
  if (collection.kind === 'ConfigMap') {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { token } }
  }
  const period = version === 'v1' ? { everySeconds: 5 } : { periodMs: 5000 }
  const apiVersion = `lighthouse.example.dev/${version}`
  return { apiVersion, kind: 'Beacon', metadata, spec: { ...period, colour: token } }
}

export const tokenOf = (object: Json): string => object.spec?.colour ?? object.data?.token ?? ''

export function setToken(object: Json, token: string): Json {
  if (object.kind === 'ConfigMap') object.data = { token }
  else object.spec.colour = token
  return object
}
