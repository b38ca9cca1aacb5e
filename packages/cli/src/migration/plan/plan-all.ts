import { groupResourceText } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { observeListeners } from '@strata/controllers'
import { deadline, severalAtOnce, timestamp } from '@strata/world'
import type { CliContext } from '../../context.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { createMigrationView } from '../report/progress-view.ts'
import { type Cluster, notSeenError } from '../resources/cluster.ts'
import { needsNoRewrite } from '../resources/needs-no-rewrite.ts'
import { type MigrateOptions, MigrationJob, shareByJobs } from '../run/migration-job.ts'
import { decideMovedOn } from './decide-moved-on.ts'
import { planResource } from './plan-resource.ts'
import type { MigrationPlan, PlannedResource } from './planned-resource.ts'

export interface PlanAllOptions extends MigrateOptions {
  readonly output: string
  readonly all: boolean
  readonly includeCurrent: boolean
}

const resourcesAtOnce = 5
const lookMs = 60_000

/** Plans several resources at the same time. One that cannot be planned does not keep the others from it. */
export async function planAll(
  cluster: Cluster,
  resources: readonly DiscoveredResource[],
  options: PlanAllOptions,
  context: CliContext,
): Promise<MigrationPlan> {
  const { world, signal } = context
  const createdAt = timestamp(world.clock)
  const view = createMigrationView(context, options.output)
  const shared = shareByJobs(context, options)
  const looks = options.all ? await cluster.observeAll(resources, signal) : new Map()
  const isTaken = (each: DiscoveredResource): boolean => {
    const decision = looks.get(groupResourceText(each))
    const isUnpublished = decision?.agreed === true && decision.target.how === 'unpublished'
    return needsNoRewrite(decision) === undefined || (options.includeCurrent && !isUnpublished)
  }
  const taken = options.all ? resources.filter(isTaken) : resources
  const planned = new Map<DiscoveredResource, PlannedResource>()
  await severalAtOnce(Math.min(resourcesAtOnce, options.concurrency), taken, async (each) => {
    signal.throwIfAborted()
    const job = new MigrationJob(cluster, each, options, view, context, shared)
    try {
      planned.set(each, await planResource(job))
    } catch (error) {
      signal.throwIfAborted()
      const { message: because } = notSeenError('the cluster did not answer', error)
      const none = { refused: [], unknown: [] }
      planned.set(each, { resource: groupResourceText(each), exit: 'notSeen', because, ...none })
    }
  })
  const found = taken.flatMap((each) => planned.get(each) ?? [])
  return { kind: 'MigrationPlan', version: 1, createdAt, cluster: await cluster.id(signal), resources: found }
}

/** Refuses a plan that does not hold any more, before anything is written. */
export async function requirePlanHolds(
  cluster: Cluster,
  plan: MigrationPlan,
  resources: readonly DiscoveredResource[],
  { world, signal }: Pick<CliContext, 'world' | 'signal'>,
): Promise<void> {
  const limit = deadline(world.clock, lookMs, signal)
  try {
    const targets = await cluster.observeAll(resources, limit.signal)
    const webhooks = new Map<string, readonly string[]>()
    for (const each of resources) {
      const names = await observeListeners(cluster.client, each, limit.signal)
      if (names) webhooks.set(groupResourceText(each), names)
    }
    const moved = decideMovedOn(plan, { cluster: await cluster.id(limit.signal), targets, webhooks })
    if (moved.length === 0) return
    const why = `the plan of ${plan.createdAt} does not hold any more, and nothing was written: ${moved.join('; ')}`
    throw new CliError(`${why}. Make a new one with "strata plan"`, exitCodes.aborted)
  } finally {
    limit.dispose()
  }
}
