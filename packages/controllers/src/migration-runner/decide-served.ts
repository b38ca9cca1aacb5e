import { apiVersionOf, type GroupResource } from '@strata/api'
import type { DiscoveredResource, Discovery } from '@strata/client'
import { groupOf, isMigratable } from '../migrator/index.ts'

export type ServedDecision =
  | { readonly kind: 'served'; readonly resource: DiscoveredResource }
  /** The resource may be served soon, or its discovery failed. */
  | { readonly kind: 'wait'; readonly because: string }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * How long a CRD may take to be served everywhere (docs/reference/upstream-behaviour.md, 4.3: upstream counts from the object's
 * creation).
 */
const patienceMs = 60_000

/**
 * Decides what to do with a migration by what discovery serves. Upstream fails a migration that is older than a minute as
 * soon as its resource is not in discovery. So a server that is away for a moment fails it for ever (Q2), and a server that
 * does not answer counts as one that serves nothing. Here this runner must have found the resource missing for a minute, and
 * it waits for a group whose discovery failed.
 */
export function decideServed(
  { group, resource }: GroupResource,
  { resources, failures }: Discovery,
  missingForMs: number,
): ServedDecision {
  const candidates = resources.filter((each) => each.group === group && each.resource === resource)
  const [first] = candidates
  if (first === undefined) {
    const hidden = failures.find(({ groupVersion }) => groupOf(groupVersion) === group)
    if (hidden)
      return { kind: 'wait', because: `${hidden.groupVersion} could not be discovered: ${hidden.why}` }
    if (missingForMs >= patienceMs) return { kind: 'failed', message: 'resource does not exist in discovery' }
    return { kind: 'wait', because: 'resource does not exist in discovery' }
  }
  const writable = candidates.find(isMigratable)
  if (writable) return { kind: 'served', resource: writable }
  const message = `resource ${JSON.stringify(gvrText(first))} does not support discovery operations: [update patch list]`
  return { kind: 'failed', message }
}

/**
 * A note for a migration that names a version that is not served any more. The migration does not fail (X8): objects are
 * written through a served version. But the user who requested it must see that another version was used.
 */
export function unservedNote(
  { group, resource }: GroupResource,
  servedVersion: string | undefined,
  { resources, failures }: Discovery,
): string | undefined {
  const versions = resources.filter((each) => each.group === group && each.resource === resource)
  const isServed = versions.some(({ versionName }) => versionName === servedVersion)
  const isHidden = failures.some(
    ({ groupVersion }) => groupVersion === apiVersionOf(group, servedVersion ?? ''),
  )
  if (servedVersion === undefined || isServed || isHidden || versions.length === 0) return undefined
  const names = versions.map(({ versionName }) => versionName).join(', ')
  return `spec.resource.version ${servedVersion} is not served any more: objects are read and written through ${names}`
}

/** As Go writes it: `apps/v1, Resource=deployments`; of the core group, `/v1, Resource=nodes`. */
export function gvrText({
  group,
  versionName,
  resource,
}: Pick<DiscoveredResource, 'group' | 'versionName' | 'resource'>): string {
  return `${group === '' ? '/' : ''}${apiVersionOf(group, versionName)}, Resource=${resource}`
}
