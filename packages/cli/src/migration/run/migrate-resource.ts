import { migrateCommand } from '@strata/api'
import {
  decideMovement,
  EventRecorder,
  type MigrationEvent,
  type MigrationTarget,
  migrate,
  type ObjectPart,
  observeListeners,
  quarantineEvents,
  resumeOfStatus,
  type TargetDecision,
  targetText,
} from '@strata/controllers'
import { type Evidence, shownIn } from '../evidence/decide-evidence.ts'
import { establishedText } from '../evidence/established.ts'
import { observeCensus } from '../evidence/observe-census.ts'
import { observeEvidence } from '../evidence/observe-evidence.ts'
import { undecodableRemedy } from '../evidence/undecodable-remedy.ts'
import { claimOrFollow } from '../records/claim-or-follow.ts'
import { hasStoodBefore } from '../records/has-stood-before.ts'
import type { HeldRecord, RecordStore } from '../records/record.ts'
import { RunRecord } from '../records/run-record.ts'
import { type MigrationReport, reportOfResult, reportOfTarget, withKey } from '../report/migration-report.ts'
import { type DroppedOwnership, droppedOwnershipText, observeDroppedOwnership } from './dropped-ownership.ts'
import type { MigrationJob } from './migration-job.ts'
import { rehearseObjects } from './rehearse-objects.ts'
import { endOfRun, eventsOfEnd, hardStop, wantedOf } from './run-end.ts'

/** Migrates one resource, or follows the process that already does. */
export async function migrateResource(job: MigrationJob): Promise<MigrationReport> {
  try {
    return await run(job)
  } finally {
    job.view.clear(job.name)
  }
}

/** What a migration starts from. */
export interface Start {
  readonly decision: TargetDecision & { readonly agreed: true }
  /** What is stored, where servers offer a census. */
  readonly evidence: Evidence | undefined
  readonly droppedOwnership?: DroppedOwnership
}

/** Reads what a migration starts from; or reports why it cannot start. Writes nothing. */
export async function observeStart(job: MigrationJob): Promise<Start | MigrationReport> {
  // Where the store can be read, it may show that nothing has to be written, and then the rights to write do not matter.
  const isReadable = job.cluster.dataSide(job.resource) !== undefined
  const denied = isReadable ? undefined : await findDenied(job)
  if (denied) return denied
  const decision = await untilAgreed(job)
  if (!decision.agreed) {
    const outcome = job.context.signal.aborted ? 'paused' : 'aborted'
    const { because } = decision
    return reportOfTarget(job.resource, undefined, { outcome, proof: 'unknown', because })
  }
  const planned = job.options.planned?.get(job.name)
  const movement = planned && decideMovement(planned, decision, { watched: true })
  if (movement?.kind === 'moved') {
    const because = `it is not as it was planned: ${movement.because}`
    return reportOfTarget(job.resource, undefined, { outcome: 'aborted', proof: 'unknown', because })
  }
  const evidence = await observeStored(job)
  const hopeless = evidence && (await findHopeless(job, evidence))
  if (hopeless) return hopeless
  const isLeft = evidence?.verdict !== 'proven'
  const deniedNow = isReadable && isLeft ? await findDenied(job) : undefined
  if (deniedNow) return deniedNow
  const droppedOwnership = await observeDroppedOwnership(job)
  return { decision, evidence, ...(droppedOwnership === undefined ? {} : { droppedOwnership }) }
}

async function run(job: MigrationJob): Promise<MigrationReport> {
  const start = await observeStart(job)
  if (!('decision' in start)) return start
  const { droppedOwnership } = start
  if (droppedOwnership === undefined) return runFrom(job, start)
  // Before the first write, and also where programs read the output.
  job.view.clear(job.name)
  const text = droppedOwnershipText(job.name, droppedOwnership, job.options.given ?? '')
  job.context.warn?.(`${job.name}: ${text}`)
  return { ...(await runFrom(job, start)), droppedOwnership }
}

async function runFrom(job: MigrationJob, { decision, evidence }: Start): Promise<MigrationReport> {
  const { part, dryRun } = job.options
  const { target } = decision
  const known = (report: MigrationReport): MigrationReport => withSource(job, decision, report)
  if (dryRun) return known(await rehearse(job, target, evidence))
  const clean = evidence && reportOfClean(job, evidence)
  if (clean) return known(clean)
  const records = await job.look(() => job.cluster.records(job.resource))
  const past = target.how === 'definition' ? await job.look((signal) => records.readPast(signal)) : []
  const hasStood = hasStoodBefore(past, target)
  if (part) return known(await migratePart(job, part, target, hasStood))
  const place = await claimOrFollow(job, records, target)
  if (place.kind === 'over') return place.report
  return known(await migrateHeld(job, records, place.held, target, hasStood))
}

/** With the key of the target, and how it is known that all servers write it. */
function withSource(
  job: MigrationJob,
  decision: Start['decision'],
  report: MigrationReport,
): MigrationReport {
  const { asked } = job.cluster
  const isAggregated = job.cluster.isAggregated(job.resource)
  const established = establishedText(decision.target, { ...asked, ...shownIn(decision) }, isAggregated)
  return { ...withKey(report, decision), established }
}

/**
 * Before the first wait. Otherwise: a user without the right to patch waits for a minute, and then every object is set aside
 * with the same reason.
 */
async function findDenied(job: MigrationJob): Promise<MigrationReport | undefined> {
  const because = await job.look((signal) => job.cluster.missingRights(job.resource, signal, job.options))
  if (because === undefined) return undefined
  return reportOfTarget(job.resource, undefined, { outcome: 'failed', proof: 'unknown', because })
}

/** A CRD that has just changed takes a moment to reach all servers. */
async function untilAgreed(job: MigrationJob): Promise<TargetDecision> {
  const { signal, world } = job.context
  const endMs = world.clock.monotonicMs() + job.options.agreementTimeoutMs
  for (;;) {
    const askedMs = world.clock.monotonicMs()
    const decision = await job.look((each) => job.cluster.observe(job.resource, each))
    job.shared.standing.see(job.resource, decision, askedMs)
    if (decision.agreed || world.clock.monotonicMs() >= endMs || signal.aborted) return decision
    job.view.wait(job.name, `waiting for the servers to agree: ${decision.because}`)
    await job.pause()
  }
}

/** What is stored, where servers offer a census; undefined if that takes too long. */
async function observeStored(job: MigrationJob): Promise<Evidence | undefined> {
  const { cluster, resource } = job
  if (cluster.dataSide(resource) === undefined) return undefined
  return job.read((signal) => observeEvidence(cluster, resource, signal))
}

/**
 * No server can decode what is stored, and so none serves the resource. A server that can may start later, but to wait for it
 * would hide from the user that one is needed. While a server serves the rest of the resource, the rest is migrated.
 */
async function findHopeless(job: MigrationJob, evidence: Evidence): Promise<MigrationReport | undefined> {
  const { cluster, resource } = job
  const { undecodable } = evidence
  if (undecodable === undefined) return undefined
  if (!(await job.look((signal) => cluster.isRefusedByAll(resource, signal)))) return undefined
  const because = `no server can decode ${undecodable.join(', ')}, so no server serves it; ${undecodableRemedy(evidence, migrateCommand(job.name))}`
  return reportOfTarget(resource, undefined, { outcome: 'failed', proof: 'unknown', because })
}

/** Nothing is written if all is current. */
function reportOfClean({ resource }: MigrationJob, evidence: Evidence): MigrationReport | undefined {
  const { verdict, because, census, target } = evidence
  if (verdict !== 'proven' || census === undefined) return undefined
  const counts = { total: census.total, migrated: 0, alreadyCurrent: census.total }
  return reportOfTarget(resource, target, { outcome: 'succeeded', proof: 'proven', because }, counts)
}

async function migrateHeld(
  job: MigrationJob,
  records: RecordStore,
  held: HeldRecord,
  target: MigrationTarget,
  hasStood: boolean,
): Promise<MigrationReport> {
  const { log, view, name, resource, cluster } = job
  const { world, signal } = job.context
  const record = new RunRecord(held, { clock: world.clock, log })
  const hard = hardStop(world.clock, signal)
  const events = new EventRecorder({ world, client: cluster.client, log, component: 'strata-migrate' })
  const recordEvent = (event: MigrationEvent): void => {
    if (held.subject) events.record(held.subject, event)
  }
  const kept =
    held.unkept === undefined
      ? `progress is stored in ${held.where}`
      : `no progress is stored, because ${held.unkept}`
  view.note(name, `to ${targetText(target)}; ${kept}`)
  recordEvent({ kind: 'started', target: targetText(target), by: '"strata migrate"' })
  record.start()
  try {
    const nextToData = await mayWorkNextToData(job)
    const result = await migrate({
      ...{ world: { ...world, log }, client: cluster.client, target, nextToData, limits: job.limits },
      ...{ resume: resumeOfStatus(resource, held.progress), budget: job.shared.budget },
      stoodForMs: stoodForMs(job, target, hasStood),
      observe: (each) => cluster.observe(resource, each),
      control: () => wantedOf(signal, record),
      onProgress: (report) => {
        const { waitingFor } = report
        record.note(report)
        if (view.waits(name, waitingFor) && waitingFor !== undefined) {
          recordEvent({ kind: 'stalled', because: waitingFor })
        }
        view.progress(name, report.progress)
      },
      onHold: (leftMs) => view.hold(name, leftMs),
      beforeWrites: (each) => job.options.beforeWrites?.(resource, each) ?? Promise.resolve(undefined),
      signal: hard.signal,
    })
    await record.stop()
    record.note(result)
    if (result.outcome === 'succeeded' && !nextToData) await tellServers(job)
    const end = endOfRun(result, record.lost)
    const isOver = ['succeeded', 'incomplete', 'aborted'].includes(end.outcome)
    // This process also ends a cancelled migration: there may be no controllers to do it.
    const isOurs = record.lost !== 'taken'
    const { progress } = record
    for (const each of quarantineEvents(result.quarantine)) recordEvent(each)
    if (isOurs) {
      const failure = end.outcome === 'failed' ? end.because : undefined
      const written = await job.writeEnd((each) =>
        isOver ? held.finish(end, progress, each) : held.release(progress, failure, each),
      )
      for (const each of eventsOfEnd(end, written)) recordEvent(each)
    }
    const handOver = isOver || !isOurs ? undefined : records.handOver(held.where)
    const where = held.unkept === undefined ? held.where : undefined
    return reportOfResult(resource, end, { where, handOver, tookMs: job.tookMs })
  } finally {
    await record.stop()
    await events.end()
    hard.dispose()
  }
}

/** Not where admission webhooks apply to updates: servers do not call them next to the data. */
async function mayWorkNextToData(job: MigrationJob): Promise<boolean> {
  const { options, cluster, resource, view, name } = job
  if (options.throughApi || cluster.dataSide(resource) === undefined) return false
  const listeners = await job.look((signal) => observeListeners(cluster.client, resource, signal))
  if (listeners === undefined || listeners.length === 0) return listeners !== undefined
  const who = listeners.join(', ')
  view.note(name, `rewriting each object through the API, because admission webhooks apply: ${who}`)
  return false
}

/** A census after the migration lets the servers remove old versions from their record: our result alone does not. */
async function tellServers(job: MigrationJob): Promise<void> {
  const { cluster, resource } = job
  const offered = cluster.dataSide(resource)
  if (offered === undefined) return
  try {
    await job.read((signal) => observeCensus(cluster.client, offered, resource, 0, signal))
  } catch (error) {
    job.log.info('census after the migration failed', { error: String(error) })
  }
}

const stoodForMs = ({ shared }: MigrationJob, target: MigrationTarget, hasStood: boolean): number =>
  hasStood ? Number.POSITIVE_INFINITY : shared.standing.stoodForMs(target)

/**
 * Rewrites some of the objects. It is not recorded: what a record says is about all objects, and a run that resumed it would
 * skip those that were not selected.
 */
async function migratePart(
  job: MigrationJob,
  part: ObjectPart,
  target: MigrationTarget,
  hasStood: boolean,
): Promise<MigrationReport> {
  const { cluster, resource, log, view, name } = job
  const { world, signal } = job.context
  const hard = hardStop(world.clock, signal)
  view.note(name, `to ${targetText(target)}; only the selected objects, and no progress is stored`)
  try {
    const result = await migrate({
      ...{ world: { ...world, log }, client: cluster.client, target, part, limits: job.limits },
      ...{ budget: job.shared.budget, stoodForMs: stoodForMs(job, target, hasStood) },
      observe: (each) => cluster.observe(resource, each),
      control: () => (signal.aborted ? 'pause' : 'run'),
      onProgress: ({ progress, waitingFor }) => {
        view.waits(name, waitingFor)
        view.progress(name, progress)
      },
      onHold: (leftMs) => view.hold(name, leftMs),
      signal: hard.signal,
    })
    const nowhere = { where: undefined, handOver: undefined, tookMs: job.tookMs }
    return reportOfResult(resource, endOfRun(result, undefined), nowhere)
  } finally {
    hard.dispose()
  }
}

async function rehearse(
  job: MigrationJob,
  target: MigrationTarget,
  evidence: Evidence | undefined,
): Promise<MigrationReport> {
  const { resource } = job
  const result = await rehearseObjects(job, target)
  const nowhere = { where: undefined, handOver: undefined, tookMs: job.tookMs }
  const stale = evidence?.census?.stale
  return { ...reportOfResult(resource, result, nowhere), stale }
}
