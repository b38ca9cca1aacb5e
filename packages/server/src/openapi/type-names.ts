import { groupOfApiVersion, versionNameOf } from '@strata/api'
import type { DescribableResource } from './describable.ts'

/** The packages of upstream's types, if they do not follow from the group. */
const packages: Readonly<Record<string, string>> = {
  '': 'io.k8s.api.core',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
  'internal.apiserver.k8s.io': 'io.k8s.api.apiserverinternal',
}

/** The package of a resource's types: upstream's for its own kinds, the reversed group for all others. */
export function typePackage(resource: DescribableResource): string {
  const { definition } = resource
  const { group, versionName } = kindVersionOf(resource)
  return definition.typed
    ? upstreamPackage({ group, versionName })
    : `${group.split('.').toReversed().join('.')}.${versionName}`
}

/** The group and version of the objects, which may differ from those of the path. */
export function kindVersionOf({ apiVersion }: Pick<DescribableResource, 'apiVersion'>): GroupVersionName {
  return { group: groupOfApiVersion(apiVersion), versionName: versionNameOf(apiVersion) }
}

export function upstreamPackage({ group, versionName }: GroupVersionName): string {
  return `${packages[group] ?? `io.k8s.api.${group.split('.')[0]}`}.${versionName}`
}

/** The package of a type, from its full name. */
export function packageOfType(name: string): string {
  return name.slice(0, name.lastIndexOf('.'))
}

export interface GroupVersionName {
  readonly group: string
  readonly versionName: string
}

/** `core_v1`, `rbacAuthorization_v1`, `exampleCom_v1`: the tag of a group version's operations. */
export function tagOf({ group, versionName }: GroupVersionName): string {
  return `${groupWord(group)}_${versionName}`
}

/** `CoreV1`, `RbacAuthorizationV1`: the middle part of operation names. */
export function operationScope({ group, versionName }: GroupVersionName): string {
  return capital(groupWord(group)) + capital(versionName)
}

function groupWord(group: string): string {
  if (group === '') return 'core'
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split(/[.-]/)
  return first + rest.map(capital).join('')
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
