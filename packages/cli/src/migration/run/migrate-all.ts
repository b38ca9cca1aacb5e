import { type GroupResource, groupResourceText } from '@strata/api'
import { type DiscoveredResource, isForbidden } from '@strata/client'
import type { Looks } from '@strata/controllers'
import { deadline, severalAtOnce } from '@strata/world'
import type { CliContext } from '../../context.ts'
import type { InTreeApi } from '../in-tree/in-tree-api.ts'
import { runInTree } from '../in-tree/run-in-tree.ts'
import { type MigrationReport, reportOfSkipped, reportOfTarget } from '../report/migration-report.ts'
import { createMigrationView } from '../report/progress-view.ts'
import type { Cluster } from '../resources/cluster.ts'
import { notSeenError } from '../resources/cluster.ts'
import { needsNoRewrite } from '../resources/needs-no-rewrite.ts'
import { migrateResource } from './migrate-resource.ts'
import { type MigrateOptions, MigrationJob, shareByJobs } from './migration-job.ts'
import { requestMigration } from './request-migration.ts'

export interface MigrateAllOptions extends MigrateOptions {
  readonly output: string
  /** The user named no resources: those that need no rewrite are skipped. */
  readonly all: boolean
  /** With `all`: takes also CRDs that list no other stored version. */
  readonly includeCurrent: boolean
  readonly wait: boolean
  /** Upstream's migrator does the work. */
  readonly inTree?: InTreeApi | undefined
}

/** Each of them reads its target again and again, and lists its own pages. */
const resourcesAtOnce = 5

/**
 * Migrates several resources at the same time, within one limit of requests. Reads all targets first: unfenced targets must be
 * unchanged for a while before the first write, and wait for that together.
 */
export async function migrateAll(
  cluster: Cluster,
  resources: readonly DiscoveredResource[],
  options: MigrateAllOptions,
  context: CliContext,
): Promise<readonly MigrationReport[]> {
  const view = createMigrationView(context, options.output)
  const shared = shareByJobs(context, options)
  const { standing } = shared
  const reports = new Map<string, MigrationReport>()
  const over = new AbortController()
  const end = (): void => over.abort()
  context.signal.addEventListener('abort', end, { once: true })
  if (context.signal.aborted) end()
  const look = (some: readonly GroupResource[]): Promise<Looks> => cluster.observeAll(some, over.signal)
  const askedMs = context.world.clock.monotonicMs()
  const looks: Looks = options.all || resources.length > 1 ? await look(resources) : new Map()
  for (const each of resources) standing.see(each, looks.get(groupResourceText(each)), askedMs)
  const waiting = new Set(resources.filter((each) => !isSkipped(each)))
  const watched = standing.watch(() => [...waiting], look, over.signal)
  try {
    await severalAtOnce(Math.min(resourcesAtOnce, options.concurrency), [...waiting], async (each) => {
      if (context.signal.aborted && reports.size > 0) return
      waiting.delete(each)
      reports.set(groupResourceText(each), await one(each))
    })
  } finally {
    context.signal.removeEventListener('abort', end)
    end()
    await watched
  }
  return resources.flatMap((each) => reports.get(groupResourceText(each)) ?? [])

  function isSkipped(resource: DiscoveredResource): boolean {
    if (!options.all) return false
    const name = groupResourceText(resource)
    const decision = looks.get(name)
    const because = needsNoRewrite(decision)
    if (because === undefined) return false
    if (decision?.agreed && decision.target.how !== 'unpublished') {
      if (options.includeCurrent) return false
      reports.set(name, reportOfSkipped(resource, decision.target, because))
    } else view.note(name, `skipped: ${because}`)
    return true
  }

  /** The server names the first right that it missed, and would name the next one the next time. */
  async function allThatIsMissing(resource: DiscoveredResource, error: unknown): Promise<string | undefined> {
    if (!isForbidden(error)) return undefined
    const limit = deadline(context.world.clock, 10_000, context.signal)
    try {
      return await cluster.missingRights(resource, limit.signal, options)
    } catch {
      return undefined
    } finally {
      limit.dispose()
    }
  }

  async function one(resource: DiscoveredResource): Promise<MigrationReport> {
    try {
      if (!options.wait) return await requestMigration(cluster, resource, context)
      const job = new MigrationJob(cluster, resource, options, view, context, shared)
      return options.inTree ? await runInTree(job, options.inTree) : await migrateResource(job)
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
