import type { DiscoverableApi, DiscoverableResource } from './discoverable.ts'

/** The resources of one version of one group. */
export interface GroupVersion {
  readonly versionName: string
  readonly apiVersion: string
  /** By name. */
  readonly resources: readonly DiscoverableResource[]
}

export interface Group {
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly GroupVersion[]
}

/**
 * Upstream's order: kubectl takes the first group that has a resource of the name it was given. Groups that are not
 * here come after those that are, by name.
 */
const priorities = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'resource.k8s.io',
  'storagemigration.k8s.io',
]

function rank(group: string): number {
  const at = priorities.indexOf(group)
  return at < 0 ? priorities.length : at
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export function groupsOf({ resources }: DiscoverableApi): readonly Group[] {
  const names = [...new Set(resources.map(({ group }) => group))]
  names.sort((a, b) => rank(a) - rank(b) || byText(a, b))
  return names.map((name) => {
    const mine = resources.filter(({ group }) => group === name)
    const versions = [...new Set(mine.map(({ versionName }) => versionName))]
    return { name, versions: versions.map((versionName) => versionOf(mine, versionName)) }
  })
}

function versionOf(resources: readonly DiscoverableResource[], versionName: string): GroupVersion {
  const mine = resources.filter((each) => each.versionName === versionName)
  mine.sort((a, b) => byText(a.definition.plural, b.definition.plural))
  return { versionName, apiVersion: mine[0]?.apiVersion ?? versionName, resources: mine }
}
