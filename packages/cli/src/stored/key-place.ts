import type { GroupResource } from '@strata/api'

/** Where the objects of one resource lie in the store. */
export interface KeyPlace {
  /** The part of the key below the root that all of them share, without slashes at its ends. */
  readonly prefix: string
  /** The namespace, if any, and the name. */
  readonly object: string
  /** Undefined where the key alone does not name the group: then the stored apiVersion does. */
  readonly resource?: GroupResource
}

/** Prefixes that are not the plural, and those of the core group. As kube-apiserver has them since 1.5. */
const places: Readonly<Record<string, GroupResource>> = Object.fromEntries(
  [
    ['services/specs', 'services'],
    ['services/endpoints', 'endpoints'],
    ['minions', 'nodes'],
    ['controllers', 'replicationcontrollers'],
    ...[
      ...[
        'configmaps',
        'events',
        'limitranges',
        'namespaces',
        'persistentvolumeclaims',
        'persistentvolumes',
        'pods',
      ],
      ...['podtemplates', 'resourcequotas', 'secrets', 'serviceaccounts'],
    ].map((plural) => [plural, plural]),
  ].map(([prefix = '', resource = '']) => [prefix, { group: '', resource }]),
)

/** Plurals of other groups whose prefix is not the plural. */
const renamed: Readonly<Record<string, string>> = {
  ingress: 'ingresses',
  podsecuritypolicy: 'podsecuritypolicies',
}

/** The prefixes of the core group, by plural. */
export const coreGroupPrefixes: ReadonlyMap<string, string> = new Map(
  Object.entries(places).map(([prefix, { resource }]) => [resource, prefix]),
)

/** Prefixes of other groups that are not the plural, by plural. */
export const renamedPrefixes: ReadonlyMap<string, string> = new Map(
  Object.entries(renamed).map(([prefix, plural]) => [plural, prefix]),
)

/** Groups that store the same objects below one prefix, as kube-apiserver has or had them. */
const groupsOfPrefix: Readonly<Record<string, readonly string[]>> = {
  events: ['', 'events.k8s.io'],
  ...Object.fromEntries(
    ['daemonsets', 'deployments', 'replicasets'].map((plural) => [plural, ['extensions', 'apps']]),
  ),
  ...Object.fromEntries(
    ['ingress', 'networkpolicies'].map((prefix) => [prefix, ['extensions', 'networking.k8s.io']]),
  ),
  podsecuritypolicy: ['extensions', 'policy'],
}

/** Whether objects of the group lie below the prefix together with those of other groups. */
export const sharesPrefix = (prefix: string, group: string): boolean =>
  groupsOfPrefix[prefix]?.includes(group) ?? false

/** What servers store for themselves, and no client sees as objects. */
const notObjects: ReadonlySet<string> = new Set([
  ...['masterleases', 'peerserverleases', 'ranges', 'health'],
  ...['strata.dev/ticks', 'strata.dev/names', 'strata.dev/writers'],
])

/** The place of a key below the root, which is given without it; undefined if it holds no object. */
export function placeOf(key: string): KeyPlace | undefined {
  const first = key.indexOf('/')
  if (first < 0) return undefined
  const head = key.slice(0, first)
  // A group, unlike a plural, contains a dot: "/registry/light.example.dev/lamps/…".
  const isGroup = head.includes('.')
  const end = isGroup || head === 'services' ? key.indexOf('/', first + 1) : first
  if (end < 0) return undefined
  const prefix = key.slice(0, end)
  if (notObjects.has(prefix)) return undefined
  const object = key.slice(end + 1)
  const known = isGroup ? { group: head, resource: key.slice(first + 1, end) } : places[prefix]
  return known ? { prefix, object, resource: known } : { prefix, object }
}

/** The plural of a place whose group only the objects name. */
export const pluralOf = (prefix: string): string => renamed[prefix] ?? prefix
