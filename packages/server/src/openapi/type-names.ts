import type { DescribableResource } from './describable.ts'

/** Where upstream keeps the types of a group, if not where its name says. */
const packages: Readonly<Record<string, string>> = {
  '': 'io.k8s.api.core',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
  'internal.apiserver.k8s.io': 'io.k8s.api.apiserverinternal',
}

/** The package that a resource's types are in: upstream's for its own kinds, the group backwards for all others. */
export function typePackage({ group, versionName, definition }: DescribableResource): string {
  return definition.typed
    ? upstreamPackage({ group, versionName })
    : `${group.split('.').toReversed().join('.')}.${versionName}`
}

export function upstreamPackage({ group, versionName }: GroupVersionName): string {
  return `${packages[group] ?? `io.k8s.api.${group.split('.')[0]}`}.${versionName}`
}

/** The package of a type, from its whole name. */
export function packageOfType(name: string): string {
  return name.slice(0, name.lastIndexOf('.'))
}

export interface GroupVersionName {
  readonly group: string
  readonly versionName: string
}

/** `core_v1`, `rbacAuthorization_v1`, `exampleCom_v1`: what operations of a group version are sorted under. */
export function tagOf({ group, versionName }: GroupVersionName): string {
  return `${groupWord(group)}_${versionName}`
}

/** `CoreV1`, `RbacAuthorizationV1`: the middle of the names of operations. */
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
