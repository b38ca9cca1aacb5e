import { type GroupResource, groupResourceText } from '@strata/api'
import type { DiscoveredResource, Discovery } from '@strata/client'

const group = 'storagemigration.k8s.io'
const plural = 'storageversionmigrations'
const kind = 'StorageVersionMigration'

/** Where upstream's migrations are served. */
export interface InTreeApi {
  readonly group: typeof group
  readonly resource: typeof plural
  readonly kind: typeof kind
  readonly versionName: string
}

/** The newest first. v1 and v1beta1 have one shape; that of v1alpha1 (1.30 to 1.34) also names a version of the resource. */
const known = ['v1', 'v1beta1', 'v1alpha1']

/** The API of upstream's migrator in this cluster, or why it cannot be used. */
export function decideInTreeApi({ resources, failures }: Discovery): InTreeApi | string {
  const served = resources
    .filter((each) => each.group === group && each.resource === plural)
    .map(({ versionName }) => versionName)
  const versionName = known.find((each) => served.includes(each))
  if (versionName !== undefined) return { group, resource: plural, kind, versionName }
  if (served.length > 0)
    return `${group} is served in ${served.join(', ')} only, which this release does not know`
  const hidden = failures.find(({ groupVersion }) => groupVersion.startsWith(`${group}/`))
  if (hidden) return `discovery of ${hidden.groupVersion} failed: ${hidden.why}`
  return `this cluster does not serve ${group}: start kube-apiserver with --feature-gates=StorageVersionMigrator=true and --runtime-config=${group}/v1beta1=true, and kube-controller-manager with the same feature gate (Kubernetes 1.35 and 1.36; on by default in 1.37). Without --in-tree this command needs neither`
}

/** The spec of a new migration. */
export function inTreeSpec(
  { versionName }: InTreeApi,
  resource: Pick<DiscoveredResource, 'group' | 'resource' | 'versionName'>,
): { readonly resource: object } {
  const version = versionName === 'v1alpha1' ? { version: resource.versionName } : {}
  return { resource: { group: resource.group, ...version, resource: resource.resource } }
}

/** Upstream patches what the garbage collector has in its caches. */
const needed = ['list', 'watch', 'patch', 'update', 'delete']

/** Why upstream's migrator cannot migrate a resource: it would try for ever, or fail. */
export function whyNotInTree(
  resource: GroupResource & { readonly verbs: readonly string[] },
): string | undefined {
  const name = groupResourceText(resource)
  const otherwise = `omit --in-tree`
  if (resource.resource === 'events' && ['', 'events.k8s.io'].includes(resource.group))
    return `upstream's migrator would try ${name} for ever, because the garbage collector does not watch them: ${otherwise}`
  const missing = needed.filter((each) => !resource.verbs.includes(each))
  if (missing.length === 0) return undefined
  return `upstream's migrator cannot migrate ${name}, because it does not offer ${missing.join(', ')}: ${otherwise}`
}
