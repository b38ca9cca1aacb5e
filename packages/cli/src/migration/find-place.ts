import { isAbandoned, type MigrationTarget, Stillness } from '@strata/controllers'
import type { Processes } from '@strata/world'
import { observeControllers } from './controllers-alive.ts'
import { decideRole, type RoleFacts } from './decide-role.ts'
import type { MigrationJob } from './migration-job.ts'
import { type MigrationReport, reportOfRecord, reportOfTarget } from './migration-report.ts'
import type { HeldRecord, RecordState, RecordStore } from './record.ts'
import { shownStatus } from './shown-progress.ts'

export type Place =
  /** It is ours to do. */
  | { readonly kind: 'held'; readonly held: HeldRecord }
  /** Somebody else has done it, or we were not to wait for it. */
  | { readonly kind: 'over'; readonly report: MigrationReport }

/** Watches whoever is at it, until it is over, or ours. */
export async function findPlace(
  job: MigrationJob,
  records: RecordStore,
  target: MigrationTarget,
): Promise<Place> {
  const { world, signal } = job.context
  const still = new Stillness(world.clock)
  const controllers = observeControllers(job.cluster.client, world.clock)
  let followed: RecordState | undefined
  let told = ''
  while (!signal.aborted) {
    const open = await job.look((each) => records.readOpen(each))
    if (followed && open?.id !== followed.id)
      return { kind: 'over', report: await lookBack(job, records, followed) }
    const role = decideRole({
      open: open && openFacts(open, world.processes, still.unmovedForMs(open.id, open.mark)),
      controllers: await job.look((each) => controllers(each)),
      takeOver: job.options.takeOver,
    })
    if (role.do === 'run') {
      const held = await job.look((each) => records.claim(open, target, each))
      if (held && open) job.view.note(job.name, `going on with ${held.where}: ${role.because}`)
      if (held) return { kind: 'held', held }
      // Somebody was quicker: who, the next look shows.
      continue
    }
    followed = open
    if (open && role.because !== told) {
      told = role.because
      job.view.note(job.name, `following ${open.where}: ${told}`)
    }
    if (open) job.view.progress(job.name, shownStatus(open.progress))
    await job.pause()
  }
  return { kind: 'over', report: stopped(job, followed) }
}

function openFacts(
  { claim, isPaused }: RecordState,
  processes: Processes,
  silentForMs: number,
): NonNullable<RoleFacts['open']> {
  const held = claim && (isAbandoned(claim, processes, silentForMs) ? 'abandoned' : 'alive')
  return { claim: held ?? 'none', isPaused, silentForMs }
}

async function lookBack(
  job: MigrationJob,
  records: RecordStore,
  before: RecordState,
): Promise<MigrationReport> {
  const now = await job.look((signal) => records.readById(before.id, signal))
  return reportOfRecord(job.resource, now ?? before, now === undefined)
}

function stopped({ resource }: MigrationJob, followed: RecordState | undefined): MigrationReport {
  const because = followed ? `${followed.where} goes on without us` : 'it was stopped'
  return reportOfTarget(
    resource,
    undefined,
    { outcome: 'paused', proof: 'unknown', because },
    followed?.progress,
  )
}
