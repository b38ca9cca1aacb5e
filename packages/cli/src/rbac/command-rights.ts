import { agreementName, type GroupResource, groupResourceText, storageStateName } from '@strata/api'
import { migratorLeaseName } from '@strata/controllers'
import { triggerLeaseName } from '@strata/insight'
import { inTreeRights } from '../migration/in-tree/in-tree-rights.ts'
import { neededRights } from '../migration/records/migration-rights.ts'
import { controllerRights } from './controller-rights.ts'
import type { GrantedRight } from './granted-right.ts'

/** What a command acts on: one resource, or every resource. */
export type Own = GroupResource | 'all'

const systemNamespace = 'kube-system'
const controllersName = 'strata-controllers'
const crds: GroupResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
const agreements: GroupResource = { group: 'strata.dev', resource: 'storageagreements' }
const storageVersions: GroupResource = { group: 'internal.apiserver.k8s.io', resource: 'storageversions' }
const apiServices: GroupResource = { group: 'apiregistration.k8s.io', resource: 'apiservices' }
const leases = { group: 'coordination.k8s.io', resource: 'leases', namespace: systemNamespace } as const
const endpointSlices = {
  ...{ group: 'discovery.k8s.io', resource: 'endpointslices', namespace: 'default' },
} as const
const states: GroupResource = { group: 'migration.k8s.io', resource: 'storagestates' }
const migrationGroups = ['migration.k8s.io', 'storagemigration.k8s.io']
const migrations: readonly GroupResource[] = migrationGroups.map((group) => ({
  group,
  resource: 'storageversionmigrations',
}))

const to = (verb: string, ...resources: readonly GroupResource[]): GrantedRight[] =>
  resources.map((each) => ({ ...each, verb }))

const toOne = (verb: string, resource: GroupResource, own: Own, nameOf: (own: GroupResource) => string) => [
  { ...resource, verb, ...(own === 'all' ? {} : { name: nameOf(own) }) },
]

const ownOf = (own: Own): GroupResource =>
  own === 'all' ? { group: '*', resource: '*' } : { group: own.group, resource: own.resource }

/** Only resources in groups with a dot can have a CRD. */
const mayHaveCrd = (own: Own): boolean => own === 'all' || own.group.includes('.')

const crdOf = (verb: string, own: Own): GrantedRight[] =>
  mayHaveCrd(own) ? toOne(verb, crds, own, groupResourceText) : []

/** Finds out in which version the servers write. */
const looking = (own: Own): GrantedRight[] => [
  ...crdOf('get', own),
  ...toOne('get', agreements, own, agreementName),
  ...toOne('get', storageVersions, own, agreementName),
  // A StorageVersion counts only the servers that have an identity Lease.
  ...to('list', apiServices, leases),
  // The API servers of other clusters are asked one by one.
  ...to('list', endpointSlices),
]

/** Its uid is the identity of a cluster. */
const identity: GrantedRight = {
  ...{ verb: 'get', group: '', resource: 'namespaces', name: systemNamespace },
}

/** Finds out what is stored. To count is to list. */
const counting = (own: Own): GrantedRight[] => [
  ...looking(own),
  ...to('create', { group: 'strata.dev', resource: 'storagecensuses' }),
  ...to('list', ownOf(own)),
  identity,
]

/** Webhooks that would be asked about a write. */
const webhooks = to(
  'list',
  { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' },
  { group: 'admissionregistration.k8s.io', resource: 'mutatingwebhookconfigurations' },
)

/** With the objects in these groups that record the progress. */
const rewriting = (own: Own, groups: readonly string[]): GrantedRight[] =>
  neededRights({ ...ownOf(own), verbs: ['patch'] }, groups).map(({ isOwn: _, ...each }) => each)

const planning = (own: Own): GrantedRight[] => [
  ...counting(own),
  ...webhooks,
  ...toOne('watch', storageVersions, own, agreementName),
  ...rewriting(own, []),
]

const migrating = (own: Own): GrantedRight[] => [
  ...planning(own),
  ...rewriting(own, migrationGroups),
  ...to('create', { group: 'strata.dev', resource: 'storagereencodes' }, { group: '', resource: 'events' }),
  // Whether controllers run that may take over what was requested, or stopped.
  { ...leases, verb: 'get', name: migratorLeaseName },
]

const pruning = (own: Own): GrantedRight[] => [
  ...counting(own),
  ...to('list', crds),
  ...toOne('patch', crds, own, groupResourceText).map((each) => ({ ...each, subresource: 'status' })),
]

const cleaning = (own: Own): GrantedRight[] => [
  ...counting(own),
  ...to('list', crds),
  ...to('get', ownOf(own)),
  ...to('patch', ownOf(own)),
]

/** Elsewhere only metrics say which encryption file a server has loaded. */
const rotating = (own: Own): GrantedRight[] => [
  ...migrating(own),
  ...to('list', agreements),
  { group: '', resource: '', verb: 'get', url: '/metrics' },
]

const repairing = (own: Own): GrantedRight[] => [
  ...counting(own),
  ...webhooks,
  ...neededRights({ ...ownOf(own), verbs: ['patch'] }, migrationGroups).map(({ isOwn: _, ...each }) => each),
]

const inspecting = (own: Own): GrantedRight[] => [
  ...counting(own),
  ...webhooks,
  ...to('list', crds),
  ...to(
    'list',
    { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies' },
    { group: 'admissionregistration.k8s.io', resource: 'mutatingadmissionpolicies' },
  ),
  // Helm keeps its releases in them.
  ...['get', 'list'].flatMap((verb) =>
    to(verb, { group: '', resource: 'secrets' }, { group: '', resource: 'configmaps' }),
  ),
]

/** Records, the servers in them, and what the controllers do. Only whole lists are read. */
const status = (): GrantedRight[] => [
  ...['list', 'watch'].flatMap((verb) => to(verb, agreements, leases)),
  ...to('list', states, ...migrations),
  { ...leases, verb: 'get', name: triggerLeaseName },
]

const reviewing = (): GrantedRight[] => [
  ...to('create', { group: 'strata.dev', resource: 'upgradereviews' }),
  ...to('list', agreements, leases, apiServices, crds, states, storageVersions),
]

/** With the right to list a custom resource, the command sees whether all of it can be decoded. It does without. */
const check = (own: Own): GrantedRight[] => [...reviewing(), ...(own === 'all' ? [] : to('list', ownOf(own)))]

/**
 * What the page watches, and the questions that it asks. Only whole lists are read. To count is to list, so it counts what is
 * named to it; a role that lists everything would read Secrets too.
 */
const dashboard = (own: Own): GrantedRight[] => [
  ...status(),
  ...reviewing(),
  ...['list', 'watch'].flatMap((verb) => to(verb, crds, storageVersions, states, ...migrations)),
  ...to('create', { group: 'strata.dev', resource: 'storagecensuses' }),
  ...(own === 'all' ? [] : to('list', ownOf(own))),
  identity,
]

const census = (own: Own): GrantedRight[] => [
  ...counting(own),
  ...toOne('get', states, own, storageStateName),
]

const crdUpgrade = (own: Own): GrantedRight[] => [
  ...migrating(own),
  // The command asks for these rights without a name, and a CRD that is new has none yet.
  ...['get', 'create', 'patch'].flatMap((verb) => to(verb, crds)),
  { ...crds, verb: 'patch', subresource: 'status' },
]

/** Only for a path that begins with what a cluster has. */
const rehearsing = (own: Own): GrantedRight[] => [...crdOf('get', own), ...to('list', ownOf(own))]

const initializing = (): GrantedRight[] => [
  ...to('list', crds, apiServices, states, agreements, ...migrations),
  ...to('create', crds, ...migrations),
  ...to('get', crds),
]

/** Objects of `controllers install`, each by its name. To create and bind a role takes the rights of that role, or these. */
const onInstalled = (...verbs: readonly string[]): GrantedRight[] => {
  const role = { group: 'rbac.authorization.k8s.io', name: controllersName }
  const inSystem = { ...role, namespace: systemNamespace }
  const named = [
    ...['serviceaccounts', 'services'].map((resource) => ({ group: '', resource, name: controllersName })),
    ...['clusterroles', 'clusterrolebindings'].map((resource) => ({ ...role, resource })),
    ...['roles', 'rolebindings'].map((resource) => ({ ...inSystem, resource })),
    { group: 'networking.k8s.io', resource: 'networkpolicies', name: controllersName },
    { group: 'policy', resource: 'poddisruptionbudgets', name: controllersName },
    { group: 'apps', resource: 'deployments', name: controllersName },
  ]
  return verbs.flatMap((verb) => named.map((each) => ({ ...each, verb })))
}

const installing = (): GrantedRight[] => {
  const role = { group: 'rbac.authorization.k8s.io', name: controllersName }
  const roles = [
    { ...role, resource: 'clusterroles' },
    { ...role, resource: 'roles', namespace: systemNamespace },
  ]
  return [
    ...['get', 'create', 'patch'].flatMap((verb) => to(verb, { group: '', resource: 'namespaces' })),
    ...onInstalled('get', 'create', 'patch'),
    ...['escalate', 'bind'].flatMap((verb) => roles.map((each) => ({ ...each, verb }))),
  ]
}

const uninstalling = (): GrantedRight[] => [
  ...to('get', { group: '', resource: 'namespaces' }),
  ...onInstalled('get', 'delete'),
]

/**
 * The rights of each command that asks a cluster, beside what every user has by default: to read discovery, and to ask for
 * its own rights. Keys are the words of the command.
 */
export const commandRights: Readonly<Record<string, (own: Own) => readonly GrantedRight[]>> = {
  status,
  check,
  dashboard,
  plan: planning,
  inspect: inspecting,
  'can-drop': inspecting,
  migrate: migrating,
  census,
  verify: counting,
  'crd upgrade': crdUpgrade,
  'rotate-keys': rotating,
  repair: repairing,
  prune: pruning,
  rehearse: rehearsing,
  'clean-managed-fields': cleaning,
  controllers: () => controllerRights,
  'controllers init': initializing,
  'controllers install': installing,
  'controllers uninstall': uninstalling,
}

/** Commands that ask no cluster as the user of a kubeconfig, and why. */
export const withoutRights: Readonly<Record<string, string>> = {
  up: 'starts servers of its own',
  'init kind': 'writes files only',
  testenv: 'starts a server of its own',
  serve: 'is a server itself',
  'crd check': 'reads only files',
  rbac: 'reads nothing',
  roll: 'controls a local fleet, through a socket in its data directory',
  playground: 'controls a local fleet, through a socket in its data directory',
  completion: 'asks only for discovery and names of CRDs, and completes nothing without that right',
}

/** Further rights where aggregated Strata servers store the resource: they keep its record, and count its objects. */
export function aggregatedRights(command: string, own: Own): readonly GrantedRight[] {
  const { group } = ownOf(own)
  const at = (verb: string, resource: string) => to(verb, { group, resource })
  if (command === 'status')
    return [...at('list', 'storageagreements'), ...to('list', apiServices, storageVersions)]
  if (command.startsWith('controllers') || command === 'check') return []
  const isWriting = ['migrate', 'rotate-keys', 'crd upgrade'].includes(command)
  return [
    ...at('get', 'storageagreements'),
    ...at('create', 'storagecensuses'),
    ...(isWriting ? at('create', 'storagereencodes') : []),
  ]
}

/** What `repair --delete-undecodable` needs beside the rights of `repair`. */
export const deletionRights = (own: Own): readonly GrantedRight[] =>
  ['delete', 'unsafe-delete-ignore-read-errors'].flatMap((verb) => to(verb, ownOf(own)))

/** What `migrate --in-tree` needs beside the rights of `migrate`. */
export function inTreeCommandRights(own: Own): readonly GrantedRight[] {
  const resource = own === 'all' ? { group: 'any.group', resource: 'any' } : own
  const named = own !== 'all'
  return inTreeRights(resource).map(({ isOwn: _, name, ...each }) => ({
    ...each,
    ...(named && name !== undefined ? { name } : {}),
  }))
}
