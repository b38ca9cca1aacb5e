import { type CustomResourceDefinition, customResourceDefinitions, versionsOf } from '@strata/api'
import { isNotFoundOrForbidden, isRequestFailure } from '@strata/client'
import { counted } from '@strata/insight'
import { deadline } from '@strata/world'
import { decideKeptFields } from '../../managed-fields/decide-kept-fields.ts'
import { OwnershipTally } from '../../managed-fields/ownership.ts'
import { listPages } from '../resources/list-pages.ts'
import type { MigrationJob } from './migration-job.ts'

/** Objects that lose all of metadata.managedFields with their next write. */
export interface DroppedOwnership {
  readonly objects: number
  /** What their managedFields name, and the CRD does not have. */
  readonly versions: readonly string[]
}

const requestMs = 60_000

/**
 * kube-apiserver cannot convert an entry of managedFields in a version that the CRD no longer has, and drops the entries of every
 * manager with the next write that is no apply. Strata drops only that entry. Undefined if no object is affected, or if that could
 * not be read: then the migration itself says why.
 */
export async function observeDroppedOwnership(job: MigrationJob): Promise<DroppedOwnership | undefined> {
  const { cluster, resource, options, context } = job
  if (cluster.isStrata || !resource.group.includes('.')) return undefined
  try {
    const definition = await readDefinition(job)
    if (definition === undefined) return undefined
    const has = new Set(versionsOf(definition).map(({ name }) => name))
    const objects = cluster.client.metadata(resource)
    const tally = new OwnershipTally()
    const listPage: Parameters<typeof listPages>[0] = (page) =>
      within(job, (signal) => objects.listPage({ ...options.part, ...page }, signal))
    for await (const page of listPages(listPage, options.pageSize)) {
      for (const { metadata } of page)
        tally.add(decideKeptFields(metadata.managedFields, resource.group, (each) => !has.has(each)).dropped)
    }
    const versions = [...new Set(tally.list().map(({ version }) => version))]
    return tally.affected === 0 ? undefined : { objects: tally.affected, versions }
  } catch (error) {
    if (context.signal.aborted || !isRequestFailure(error)) throw error
    return undefined
  }
}

async function readDefinition(job: MigrationJob): Promise<CustomResourceDefinition | undefined> {
  const definitions = job.cluster.client.resource(customResourceDefinitions, 'v1')
  try {
    return await within(job, (signal) => definitions.get({ name: job.name }, signal))
  } catch (error) {
    if (isNotFoundOrForbidden(error)) return undefined
    throw error
  }
}

async function within<T>(
  { context: { world, signal } }: MigrationJob,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = deadline(world.clock, requestMs, signal)
  try {
    return await ask(limit.signal)
  } finally {
    limit.dispose()
  }
}

/** One line, with the command that keeps the other entries. `given` are flags that reach the same cluster. */
export function droppedOwnershipText(
  resource: string,
  { objects, versions }: DroppedOwnership,
  given: string,
): string {
  const named = versions.join(', ')
  const verb = objects === 1 ? 'names' : 'name'
  return `managedFields of ${counted(objects, 'object')} ${verb} ${named}, which the CRD no longer has: kube-apiserver drops all managedFields of such an object when it is written. To keep those of other managers, first run: strata clean-managed-fields ${resource} --accept observed-clean${given}`
}
