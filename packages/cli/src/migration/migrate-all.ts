import { groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import type { CliContext } from '../context.ts'
import type { Cluster } from './cluster.ts'
import { notSeenError } from './cluster.ts'
import { migrateResource } from './migrate-resource.ts'
import { type MigrateOptions, MigrationJob } from './migration-job.ts'
import { type MigrationReport, reportOfTarget } from './migration-report.ts'
import { createMigrationView } from './migration-view.ts'
import { requestMigration } from './request-migration.ts'

export interface MigrateAllOptions extends MigrateOptions {
  readonly output: string
  /** Nobody named them: what says nothing of its storage is left alone. */
  readonly all: boolean
  readonly wait: boolean
}

/** One after the other: what one resource leaves of the server's patience, the next one needs. */
export async function migrateAll(
  cluster: Cluster,
  resources: readonly DiscoveredResource[],
  options: MigrateAllOptions,
  context: CliContext,
): Promise<readonly MigrationReport[]> {
  const view = createMigrationView(context, options.output)
  const reports: MigrationReport[] = []
  for (const resource of resources) {
    if (context.signal.aborted && reports.length > 0) break
    if (options.all && (await isUnpublished(cluster, resource, context))) {
      view.note(groupResourceText(resource), 'left alone: nothing is published about its storage')
      continue
    }
    reports.push(await one(resource))
  }
  return reports

  async function one(resource: DiscoveredResource): Promise<MigrationReport> {
    try {
      return options.wait
        ? await migrateResource(new MigrationJob(cluster, resource, options, view, context))
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
      return reportOfTarget(resource, undefined, { outcome: 'failed', proof: 'unknown', because: message })
    }
  }
}

async function isUnpublished(
  cluster: Cluster,
  resource: DiscoveredResource,
  { signal }: CliContext,
): Promise<boolean> {
  try {
    const decision = await cluster.observe(resource, signal)
    return decision.agreed && decision.target.how === 'unpublished'
  } catch {
    // Whoever migrates it will say what is wrong.
    return false
  }
}
