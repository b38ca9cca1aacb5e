import { type GroupResource, groupResourceText } from '@strata/api'
import { type DiscoveredResource, isForbidden } from '@strata/client'
import { type Looks, TargetAges } from '@strata/controllers'
import { deadline } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { type MigrationReport, reportOfTarget } from '../report/migration-report.ts'
import { createMigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { notSeenError } from '../resources/cluster.ts'
import { migrateResource } from './migrate-resource.ts'
import { type MigrateOptions, MigrationJob } from './migration-job.ts'
import { requestMigration } from './request-migration.ts'

export interface MigrateAllOptions extends MigrateOptions {
  readonly output: string
  /** The user named no resources: those without a published storage version are skipped. */
  readonly all: boolean
  readonly wait: boolean
}

/**
 * Migrates one resource after the other, so that they do not compete for the server. Reads all targets first: unfenced targets
 * must be unchanged for a while before the first write, and wait for that together.
 */
export async function migrateAll(
  cluster: Cluster,
  resources: readonly DiscoveredResource[],
  options: MigrateAllOptions,
  context: CliContext,
): Promise<readonly MigrationReport[]> {
  const view = createMigrationView(context, options.output)
  const standing = new TargetAges(context.world.clock)
  const reports: MigrationReport[] = []
  const over = new AbortController()
  const end = (): void => over.abort()
  context.signal.addEventListener('abort', end, { once: true })
  if (context.signal.aborted) end()
  const look = (some: readonly GroupResource[]): Promise<Looks> => cluster.observeAll(some, over.signal)
  const askedMs = context.world.clock.monotonicMs()
  const looks: Looks = options.all || resources.length > 1 ? await look(resources) : new Map()
  for (const each of resources) standing.see(each, looks.get(groupResourceText(each)), askedMs)
  const waiting = resources.filter((each) => !options.all || !isUnpublished(each))
  const watched = standing.watch(() => waiting, look, over.signal)
  try {
    for (let each = waiting.shift(); each; each = waiting.shift()) {
      if (context.signal.aborted && reports.length > 0) break
      reports.push(await one(each))
    }
  } finally {
    context.signal.removeEventListener('abort', end)
    end()
    await watched
  }
  return reports

  function isUnpublished(resource: DiscoveredResource): boolean {
    const name = groupResourceText(resource)
    const decision = looks.get(name)
    const isSo = decision?.agreed === true && decision.target.how === 'unpublished'
    if (isSo) view.note(name, 'skipped: the cluster does not publish its storage version')
    return isSo
  }

  /** The server names the first right that it missed, and would name the next one the next time. */
  async function allThatIsMissing(resource: DiscoveredResource, error: unknown): Promise<string | undefined> {
    if (!isForbidden(error)) return undefined
    const limit = deadline(context.world.clock, 10_000, context.signal)
    try {
      return await cluster.missingRights(resource, limit.signal)
    } catch {
      return undefined
    } finally {
      limit.dispose()
    }
  }

  async function one(resource: DiscoveredResource): Promise<MigrationReport> {
    try {
      return options.wait
        ? await migrateResource(new MigrationJob(cluster, resource, options, view, context, standing))
        : await requestMigration(cluster, resource, context)
    } catch (error) {
      if (context.signal.aborted) {
        return reportOfTarget(resource, undefined, {
          outcome: 'paused',
          proof: 'unknown',
          because: 'it was ended',
        })
      }
      const { message } = notSeenError('the cluster did not answer', error)
      const because = (await allThatIsMissing(resource, error)) ?? message
      return reportOfTarget(resource, undefined, { outcome: 'failed', proof: 'unknown', because })
    }
  }
}
