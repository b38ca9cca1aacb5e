import { type CustomResourceDefinition, customResourceDefinitions, versionsOf } from '@strata/api'
import { isForbidden, isNotFoundOrForbidden } from '@strata/client'
import { counted } from '@strata/insight'
import { decideKeptFields } from '../../managed-fields/decide-kept-fields.ts'
import { OwnershipTally } from '../../managed-fields/ownership.ts'
import { notSeenError } from '../resources/cluster.ts'
import { pagesWithRetries } from '../resources/list-pages.ts'
import { isUnreadableNow } from './is-unreadable-now.ts'
import type { MigrationJob } from './migration-job.ts'

/** Objects that lose all of metadata.managedFields with their next write. */
export type DroppedOwnership =
  | {
      readonly objects: number
      /** What their managedFields name, and the CRD does not have. */
      readonly versions: readonly string[]
    }
  /** Why they could not be counted. */
  | { readonly notCounted: string }

/**
 * kube-apiserver cannot convert an entry of managedFields in a version that the CRD no longer has, and drops the entries of every
 * manager with the next write that is no apply. Strata drops only that entry. Undefined if no object is affected; or if the user
 * may not read the objects, or no server can decode them: then the migration itself says why.
 */
export async function observeDroppedOwnership(job: MigrationJob): Promise<DroppedOwnership | undefined> {
  const { cluster, resource, context } = job
  if (cluster.isStrata || !resource.group.includes('.')) return undefined
  try {
    const definition = await readDefinition(job)
    return definition && (await countIn(job, definition))
  } catch (error) {
    if (context.signal.aborted) throw error
    if (isForbidden(error) || isUnreadableNow(error)) return undefined
    return { notCounted: notSeenError('a request failed', error).message }
  }
}

async function countIn(
  { cluster, resource, options, context }: MigrationJob,
  definition: CustomResourceDefinition,
): Promise<DroppedOwnership | undefined> {
  const has = new Set(versionsOf(definition).map(({ name }) => name))
  const objects = cluster.client.metadata(resource)
  const tally = new OwnershipTally()
  const pages = pagesWithRetries(
    context,
    (page, signal) => objects.listPage({ ...options.part, ...page }, signal),
    options.pageSize,
  )
  for await (const page of pages) {
    for (const { metadata } of page)
      tally.add(decideKeptFields(metadata.managedFields, resource.group, (each) => !has.has(each)).dropped)
  }
  const versions = [...new Set(tally.list().map(({ version }) => version))]
  return tally.affected === 0 ? undefined : { objects: tally.affected, versions }
}

async function readDefinition(job: MigrationJob): Promise<CustomResourceDefinition | undefined> {
  const definitions = job.cluster.client.resource(customResourceDefinitions, 'v1')
  try {
    return await job.look((signal) => definitions.get({ name: job.name }, signal))
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return undefined
    throw error
  }
}

/** One line, with the command that keeps the other entries. `given` are flags that reach the same cluster. */
export function droppedOwnershipText(resource: string, dropped: DroppedOwnership, given: string): string {
  const command = `strata clean-managed-fields ${resource}`
  if ('notCounted' in dropped)
    return `objects that lose their managedFields when they are written could not be counted: ${dropped.notCounted}. To count them, first run: ${command} --dry-run${given}`
  const { objects, versions } = dropped
  const named = versions.join(', ')
  const verb = objects === 1 ? 'names' : 'name'
  return `managedFields of ${counted(objects, 'object')} ${verb} ${named}, which the CRD no longer has: kube-apiserver drops all managedFields of such an object when it is written. To keep those of other managers, first run: ${command} --accept observed-clean${given}`
}
