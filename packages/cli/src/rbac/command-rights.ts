import { agreementName, type GroupResource, groupResourceText, storageStateName } from '@strata/api'
import { migratorLeaseName } from '@strata/controllers'
import { triggerLeaseName } from '@strata/insight'
import { neededRights } from '../migration/records/migration-rights.ts'
import { controllerRights } from './controller-rights.ts'
import type { GrantedRight } from './granted-right.ts'

/** What a command acts on: one resource, or every resource. */
export type Own = GroupResource | 'all'

const systemNamespace = 'kube-system'
const crds: GroupResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }
const agreements: GroupResource = { group: 'strata.dev', resource: 'storageagreements' }
const storageVersions: GroupResource = { group: 'internal.apiserver.k8s.io', resource: 'storageversions' }
const apiServices: GroupResource = { group: 'apiregistration.k8s.io', resource: 'apiservices' }
const leases = { group: 'coordination.k8s.io', resource: 'leases', namespace: systemNamespace } as const
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

const planning = (own: Own): GrantedRight[] => [
  ...counting(own),
  ...webhooks,
  ...toOne('watch', storageVersions, own, agreementName),
  ...neededRights({ ...ownOf(own), verbs: ['patch'] }, migrationGroups).map(({ isOwn: _, ...each }) => each),
]

const migrating = (own: Own): GrantedRight[] => [
  ...planning(own),
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

const check = (): GrantedRight[] => [
  ...to('create', { group: 'strata.dev', resource: 'upgradereviews' }),
  ...to('list', agreements, leases, apiServices, crds, states, storageVersions),
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

const initializing = (): GrantedRight[] => [
  ...to('list', crds, apiServices, states, agreements, ...migrations),
  ...to('create', crds, ...migrations),
  ...to('get', crds),
]

/**
 * The rights of each command that asks a cluster, beside what every user has by default: to read discovery, and to ask for
 * its own rights. Keys are the words of the command.
 */
export const commandRights: Readonly<Record<string, (own: Own) => readonly GrantedRight[]>> = {
  status,
  check,
  plan: planning,
  inspect: inspecting,
  'can-drop': inspecting,
  migrate: migrating,
  census,
  verify: counting,
  'crd upgrade': crdUpgrade,
  prune: pruning,
  'clean-managed-fields': cleaning,
  controllers: () => controllerRights,
  'controllers init': initializing,
}

/** Commands that ask no cluster as the user of a kubeconfig, and why. */
export const withoutRights: Readonly<Record<string, string>> = {
  up: 'starts servers of its own',
  serve: 'is a server itself',
  'crd check': 'reads only files',
  rbac: 'reads nothing',
  completion: 'reads only the kubeconfig',
}

/** Further rights where aggregated Strata servers store the resource: they keep its record, and count its objects. */
export function aggregatedRights(command: string, own: Own): readonly GrantedRight[] {
  const { group } = ownOf(own)
  const at = (verb: string, resource: string) => to(verb, { group, resource })
  if (command === 'status')
    return [...at('list', 'storageagreements'), ...to('list', apiServices, storageVersions)]
  if (command.startsWith('controllers') || command === 'check') return []
  const isWriting = ['migrate', 'crd upgrade'].includes(command)
  return [
    ...at('get', 'storageagreements'),
    ...at('create', 'storagecensuses'),
    ...(isWriting ? at('create', 'storagereencodes') : []),
  ]
}
