import { type GroupResource, groupResourceText, selfSubjectAccessReviews } from '@strata/api'
import { type Client, type DiscoveredResource, isRefused } from '@strata/client'

/** A permission that a migration needs. */
export interface Right extends GroupResource {
  readonly verb: string
  readonly subresource?: string
  /** Default: all namespaces. */
  readonly namespace?: string
  /** Default: every object. */
  readonly name?: string
  /** For the resource that is migrated, not for the migration objects. */
  readonly isOwn: boolean
}

const migrations = 'storageversionmigrations'

/** All permissions that a migration of one resource may need. Migration objects are in `groups`. */
export function neededRights(
  { group, resource, verbs }: Pick<DiscoveredResource, 'group' | 'resource' | 'verbs'>,
  groups: readonly string[],
  namespace?: string,
): readonly Right[] {
  const writing = verbs.includes('patch') ? 'patch' : 'update'
  const place = namespace === undefined ? {} : { namespace }
  const own = ['get', 'list', writing].map((verb) => ({ verb, group, resource, isOwn: true, ...place }))
  // Others may have written theirs in either group; ours is in the first.
  const looked = groups.map((each) => right('list', each))
  const [first] = groups
  if (first === undefined) return own
  const kept = ['get', 'create', 'patch', 'delete'].map((verb) => right(verb, first))
  return [...own, ...looked, ...kept, { ...right('patch', first), subresource: 'status' }]
}

const right = (verb: string, group: string): Right => ({ verb, group, resource: migrations, isOwn: false })

/** Names all missing permissions at once, so that a user asks an administrator once. */
export function missingText(
  missing: readonly Right[],
  name: string,
  remedy = `an administrator can grant what "strata rbac migrate ${name}" prints`,
): string {
  const byObject = new Map<string, string[]>()
  for (const each of missing) {
    const part = each.subresource === undefined ? '' : `/${each.subresource}`
    const place = each.namespace === undefined ? 'in all namespaces' : `in namespace ${each.namespace}`
    const what = `${groupResourceText(each)}${part}${each.isOwn ? ` (${place})` : ''}`
    byObject.set(what, [...(byObject.get(what) ?? []), each.verb])
  }
  const texts = [...byObject].map(([what, verbs]) => `${verbs.join(', ')} of ${what}`)
  return `not allowed: the user of this kubeconfig context lacks ${texts.join('; ')}; ${remedy}`
}

/**
 * The permissions that the cluster says the user lacks. A review that the cluster refuses counts as permitted: the migration
 * will find out.
 */
export async function observeMissing(
  client: Client,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<readonly Right[]> {
  const reviews = client.resource(selfSubjectAccessReviews, 'v1')
  const answers = await Promise.all(
    rights.map(async ({ isOwn: _, ...resourceAttributes }) => {
      try {
        const { status } = await reviews.create({ metadata: {}, spec: { resourceAttributes } }, signal)
        return status?.allowed !== false
      } catch (error) {
        if (isRefused(error)) return true
        throw error
      }
    }),
  )
  return rights.filter((_, index) => !answers[index])
}
