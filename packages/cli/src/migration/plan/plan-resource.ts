import { groupResourceText } from '@strata/api'
import { migrationLimits, observeListeners, targetText } from '@strata/controllers'
import { counted } from '@strata/insight'
import type { ExitWord } from '../../output/exit-codes.ts'
import { observeStart } from '../run/migrate-resource.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import { rehearseObjects } from '../run/rehearse-objects.ts'
import { countOf, type PlannedResource } from './planned-resource.ts'
import { RefusedObjects } from './refused-objects.ts'

/** What a migration of this resource would do and what would be refused, found out without writing anything. */
export async function planResource(job: MigrationJob): Promise<PlannedResource> {
  try {
    return await plan(job)
  } finally {
    job.view.clear(job.name)
  }
}

async function plan(job: MigrationJob): Promise<PlannedResource> {
  const resource = groupResourceText(job.resource)
  const start = await observeStart(job)
  const none = { refused: [], unknown: [] }
  if (!('decision' in start)) {
    return { resource, exit: start.exit, because: start.because, ...none }
  }
  const { decision, evidence, droppedOwnership } = start
  const { target } = decision
  const known = { resource, target, targetText: targetText(target) }
  const listeners = await job.look((signal) => observeListeners(job.cluster.client, job.resource, signal))
  const webhooks = listeners ? { webhooks: listeners } : {}
  if (evidence?.verdict === 'proven' && evidence.census !== undefined) {
    const counts = { total: evidence.census.total, stale: 0, etaSeconds: 0 }
    return {
      ...known,
      ...none,
      ...webhooks,
      ...counts,
      exit: 'rehearsed',
      because: 'nothing is left to rewrite',
    }
  }
  const { clock } = job.context.world
  const startMs = clock.monotonicMs()
  const found = new RefusedObjects()
  const result = await rehearseObjects(job, target, (each) => found.add(each))
  const tookMs = clock.monotonicMs() - startMs
  const { refused, unknown } = found
  const { total } = result.progress
  const stale = evidence?.census?.stale
  const common = {
    ...{ ...known, ...webhooks, refused, unknown },
    ...(total === undefined ? {} : { total }),
    ...(stale === undefined ? {} : { stale }),
    ...(droppedOwnership === undefined ? {} : { droppedOwnership }),
  }
  if (result.outcome !== 'rehearsed') return { ...common, exit: exitOfEnd(result), because: result.because }
  const etaSeconds = etaSecondsOf({
    tookMs,
    fenced: target.fenced,
    isPublished: target.how !== 'unpublished',
  })
  return { ...common, ...decidePlan(countOf(refused), countOf(unknown)), etaSeconds }
}

function exitOfEnd({ outcome }: { readonly outcome: string }): ExitWord {
  if (outcome === 'paused' || outcome === 'cancelled') return 'stopped'
  return outcome === 'aborted' ? 'aborted' : 'notSeen'
}

/** What is known to be refused counts more than what is not known. */
export function decidePlan(refused: number, unknown: number): Pick<PlannedResource, 'exit' | 'because'> {
  if (refused > 0) {
    const more = unknown === 0 ? '' : `, and of ${unknown} it is unknown`
    return { exit: 'incomplete', because: `${counted(refused, 'object')} would be refused${more}` }
  }
  if (unknown > 0) {
    const because = `of ${counted(unknown, 'object')} a dry run cannot tell whether it would be refused`
    return { exit: 'unknown', because }
  }
  return { exit: 'rehearsed', because: 'no object would be refused' }
}

/** Each pass takes as long as the dry run; without a fence there are two, after a wait. */
export function etaSecondsOf({
  tookMs,
  fenced,
  isPublished,
}: {
  readonly tookMs: number
  readonly fenced: boolean
  readonly isPublished: boolean
}): number {
  const isOnce = fenced || !isPublished
  const waitMs = isOnce ? 0 : migrationLimits.unfencedHoldMs
  return Math.ceil((waitMs + (isOnce ? 1 : 2) * tookMs) / 1000)
}
