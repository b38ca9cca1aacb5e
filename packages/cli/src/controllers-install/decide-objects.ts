import type { ApiObject } from '@strata/api'

export interface InstalledObject extends ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ApiObject['metadata'] & { readonly name: string }
}

/** Marks what `strata controllers install` has installed. */
export const managedBy = 'app.kubernetes.io/managed-by'
const ownMark = 'strata'

const chartNamespace = 'strata'

export interface Installation {
  readonly namespace: string
  /** Not needed to uninstall. */
  readonly image?: string | undefined
}

/** What is applied, in this order: the chart's objects, with this namespace and image. */
export function decideObjects(
  manifest: readonly unknown[],
  { namespace, image }: Installation,
): readonly InstalledObject[] {
  const owner: InstalledObject = {
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { name: namespace, labels: { [managedBy]: ownMark } },
  }
  const text = JSON.stringify(manifest, (key, value: unknown) => {
    if (key === 'namespace' && value === chartNamespace) return namespace
    return key === 'image' && image !== undefined ? image : value
  })
  return [owner, ...(JSON.parse(text) as readonly InstalledObject[])]
}

/** What is there already, as far as it says whose it is. */
export interface Standing {
  readonly labels: Readonly<Record<string, string>> | undefined
  /** Of a ClusterRoleBinding. */
  readonly subjects?: readonly { readonly namespace?: string }[] | undefined
}

/** Why this command must not touch an object; undefined if it is its own. */
export function whyForeign(standing: Standing, { namespace }: Installation): string | undefined {
  const owner = standing.labels?.[managedBy]
  if (owner === 'Helm') return 'it belongs to a Helm release: use helm upgrade or helm uninstall'
  if (owner !== ownMark)
    return owner === undefined ? 'others have created it' : `it belongs to ${owner} (label ${managedBy})`
  const elsewhere = standing.subjects?.find((each) => each.namespace !== namespace)?.namespace
  return elsewhere === undefined
    ? undefined
    : `the controllers are installed in namespace ${elsewhere}: give --namespace ${elsewhere}`
}
