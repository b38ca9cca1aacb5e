import { beaconPrefix, type CustomPlural, configMapPrefix, customGroup, customPrefix } from '../keys.ts'
import { customKind } from './definitions.ts'
import type { Json } from './request.ts'

/** What clients write: a kind whose encoding version changes with the release, one whose never does, and those that are
 *  defined while everything runs. */
export interface Collection {
  readonly kind: 'Beacon' | 'ConfigMap' | typeof customKind
  readonly plural?: CustomPlural
  /** Of the keys of its objects in the namespace that the clients use. */
  readonly prefix: string
}

export const collections: readonly [Collection, ...Collection[]] = [
  { kind: 'Beacon', prefix: `${beaconPrefix}default/` },
  { kind: 'Beacon', prefix: `${beaconPrefix}default/` },
  { kind: 'ConfigMap', prefix: `${configMapPrefix}default/` },
]

const custom = (plural: CustomPlural): Collection => ({
  kind: customKind,
  plural,
  prefix: `${customPrefix(plural)}default/`,
})

/** The same where definitions come and go. */
export const collectionsWithCustom: readonly [Collection, ...Collection[]] = [
  ...collections,
  custom('gadgets'),
  custom('gadgets'),
  custom('gizmos'),
]

export interface ObjectName {
  readonly collection: Collection
  /** Of the example kind and of custom ones; config maps have only one. */
  readonly version: string
  readonly name: string
}

export const collectionKey = ({ collection }: ObjectName): string => collection.prefix

export function target({ collection, version, name }: ObjectName, creating: boolean): string {
  const path =
    collection.kind === 'ConfigMap'
      ? '/api/v1/namespaces/default/configmaps'
      : `/apis/${groupOf(collection)}/${version}/namespaces/default/${collection.plural ?? 'beacons'}`
  return creating || name === '' ? path : `${path}/${name}`
}

/** The token travels in a field that every version has. */
export function makeObject({ collection, version, name }: ObjectName, token: string): Json {
  const metadata = { name }
  if (collection.kind === 'ConfigMap') {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { token } }
  }
  const apiVersion = `${groupOf(collection)}/${version}`
  if (collection.plural) return { apiVersion, kind: customKind, metadata, spec: { colour: token } }
  const period = version === 'v1' ? { everySeconds: 5 } : { periodMs: 5000 }
  return { apiVersion, kind: 'Beacon', metadata, spec: { ...period, colour: token } }
}

const groupOf = ({ plural }: Collection): string => (plural ? customGroup : 'lighthouse.example.dev')

export const tokenOf = (object: Json): string => object.spec?.colour ?? object.data?.token ?? ''

export function setToken(object: Json, token: string): Json {
  if (object.kind === 'ConfigMap') object.data = { token }
  else object.spec.colour = token
  return object
}
