import { ChangeTimer, type ClaimFacts, decideClaim, type MigrationTarget } from '@strata/controllers'
import type { Processes } from '@strata/world'
import { type MigrationReport, reportOfRecord, reportOfTarget } from '../report/migration-report.ts'
import { shownStatus } from '../report/shown-progress.ts'
import { observeControllers } from '../run/controllers-alive.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import type { HeldRecord, RecordEnd, RecordState, RecordStore } from './record.ts'

export type Place =
  /** It is ours to do. */
  | { readonly kind: 'held'; readonly held: HeldRecord }
  /** Somebody else has done it, or we were not to wait for it. */
  | { readonly kind: 'over'; readonly report: MigrationReport }

/**
 * Watches whoever is at it, until it is over, or ours. One that was cancelled before we came is neither: whoever did that
 * did not mean us. Otherwise: somebody cancels a migration whose command was killed, where there are no controllers to end
 * it; the next command finds one that nobody is at, and goes on with what was not to go on.
 */
export async function claimOrFollow(
  job: MigrationJob,
  records: RecordStore,
  target: MigrationTarget,
): Promise<Place> {
  const { world, signal } = job.context
  const still = new ChangeTimer(world.clock)
  const controllers = observeControllers(job.cluster.client, world.clock)
  let followed: RecordState | undefined
  /** Which one was at work when we looked. */
  let atWork = ''
  let noted = ''
  const note = (text: string): void => {
    if (text !== noted) job.view.note(job.name, text)
    noted = text
  }
  while (!signal.aborted) {
    const open = await job.look((each) => records.readOpen(each))
    const before = followed && (open?.id === followed.id ? open : await lookBack(job, records, followed))
    if (before?.end) return { kind: 'over', report: reportOfRecord(job.resource, before, before.end) }
    const role = open
      ? decideClaim({
          ...claimFactsOf(open, world.processes, still.unchangedForMs(open.id, open.mark)),
          controllers: await job.look((each) => controllers(each)),
          takeOver: job.options.takeOver,
        })
      : ({ do: 'take', because: 'there is none' } as const)
    const stop = before && decideStop(before, before.id === atWork && role.do === 'take')
    if (stop) return { kind: 'over', report: reportOfStop(job, records, before, stop) }
    if (open?.isCancelled && open.id !== followed?.id) {
      if (role.do === 'take' && (await job.look((each) => records.endCancelled(open, each)))) {
        note(`${open.where} was cancelled, and is now marked as failed`)
        continue
      }
      note(`waiting for the cancelled migration ${open.where} to end`)
    } else if (role.do === 'take') {
      const held = await job.look((each) => records.claim(open, target, each))
      if (held && open) note(`resuming ${held.where}: ${role.because}`)
      if (held) return { kind: 'held', held }
      // Somebody was quicker: who, the next look shows.
    } else if (open) {
      followed = open
      if (!open.isPaused) atWork = open.id
      note(`following ${open.where}: ${role.because}`)
      job.view.waits(job.name, open.waitingFor)
      job.view.progress(job.name, shownStatus(open.progress))
    }
    await job.pause()
  }
  return { kind: 'over', report: stopped(job, followed) }
}

function claimFactsOf(
  { claim, isForeign, isPaused }: RecordState,
  processes: Processes,
  silentForMs: number,
): Omit<ClaimFacts, 'controllers' | 'takeOver'> {
  const holder = claim && ({ by: claim.by, is: processes.isGone(claim) ? 'gone' : 'there' } as const)
  return { seeker: 'command', holder, isForeign, isPaused, silentForMs }
}

/** It may not be over: it was paused, say, and another migration of the resource goes first. */
async function lookBack(job: MigrationJob, records: RecordStore, before: RecordState): Promise<RecordState> {
  const now = await job.look((signal) => records.readById(before.id, signal))
  return now ?? { ...before, end: { ...cancelled, because: `${before.where} was deleted` } }
}

const cancelled: RecordEnd = { outcome: 'aborted', proof: 'unknown', because: 'it was cancelled' }
const paused: RecordEnd = { outcome: 'paused', proof: 'unknown', because: 'it was paused' }

/**
 * Whoever stops a migration stops those that watch it too. Otherwise: somebody pauses the one that two commands are at, the
 * first lets it go, and the second, which was started long before, takes it for left over, removes the pause and
 * migrates everything. Until it is let go it may yet come to its end. One that could not go on is noted of as that.
 */
function decideStop(followed: RecordState, isLetGo: boolean): RecordEnd | undefined {
  if (followed.isCancelled) return cancelled
  if (!followed.isPaused || !isLetGo) return undefined
  const { failure } = followed
  return failure === undefined ? paused : { outcome: 'failed', proof: 'unknown', because: failure }
}

function reportOfStop(
  { resource }: MigrationJob,
  records: RecordStore,
  followed: RecordState,
  end: RecordEnd,
): MigrationReport {
  const handOver = end === cancelled ? undefined : records.handOver(followed.where)
  return { ...reportOfRecord(resource, followed, end), ...(handOver === undefined ? {} : { handOver }) }
}

function stopped({ resource }: MigrationJob, followed: RecordState | undefined): MigrationReport {
  const because = followed ? `${followed.where} continues without this command` : 'it was stopped'
  return reportOfTarget(
    resource,
    undefined,
    { outcome: 'paused', proof: 'unknown', because },
    followed?.progress,
  )
}
