import { ChangeTimer, type ClaimFacts, decideClaim, type MigrationTarget } from '@strata/controllers'
import { shownStatus } from '@strata/insight'
import type { Processes } from '@strata/world'
import { type MigrationReport, reportOfRecord, reportOfTarget } from '../report/migration-report.ts'
import { observeControllers } from '../run/controllers-alive.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import type { HeldRecord, RecordEnd, RecordState, RecordStore } from './record.ts'

export type Place =
  /** This process has claimed it. */
  | { readonly kind: 'held'; readonly held: HeldRecord }
  /** Another process has ended it, a user has paused or cancelled it, or this command was stopped. */
  | { readonly kind: 'over'; readonly report: MigrationReport }

/**
 * Follows the process that runs the migration, until it ends or this process can claim it. A migration that was cancelled
 * before is ended, and another one is created. Otherwise:
 *
 * 1. A command is killed, and there are no controllers.
 * 2. A user cancels its migration.
 * 3. The next command finds it without a process, and resumes what the user has cancelled.
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
  /** The migration that another process was running when we looked. */
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
      // Another process was faster; the next read shows which.
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

/** It may still be open: for instance paused, and another migration of the resource goes first. */
async function lookBack(job: MigrationJob, records: RecordStore, before: RecordState): Promise<RecordState> {
  const now = await job.look((signal) => records.readById(before.id, signal))
  return now ?? { ...before, end: { ...cancelled, because: `${before.where} was deleted` } }
}

const cancelled: RecordEnd = { outcome: 'aborted', proof: 'unknown', because: 'it was cancelled' }
const paused: RecordEnd = { outcome: 'paused', proof: 'unknown', because: 'it was paused' }

/**
 * A pause or cancellation also stops the commands that follow the migration. Otherwise:
 *
 * 1. Command A runs the migration, and command B follows it.
 * 2. A user pauses it, and A releases it.
 * 3. B takes it for abandoned, removes the pause and migrates everything.
 *
 * Until A releases it, it may still end. If A could not continue, B reports that failure.
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
  return { ...reportOfRecord(resource, followed, end), handOver }
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
