import { decideMovement, type MigrationTarget, migrationLimits, targetText } from '@strata/controllers'
import { isEnded, type MigrationView, objectName } from '@strata/insight'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { planResource } from '../plan/plan-resource.ts'
import type { PlannedResource } from '../plan/planned-resource.ts'
import { hasStoodBefore } from '../records/has-stood-before.ts'
import { missingText, observeMissing } from '../records/migration-rights.ts'
import type { MigrationReport } from '../report/migration-report.ts'
import { notSeenError } from '../resources/cluster.ts'
import { migrateResource } from '../run/migrate-resource.ts'
import type { MigrationJob } from '../run/migration-job.ts'
import { whyPlanForbids } from './decide-plan-allows.ts'
import type { CrdBefore } from './decide-restored.ts'
import type { InTreeApi } from './in-tree-api.ts'
import { beforeOf, InTreeObjects, isUnsettled } from './in-tree-objects.ts'
import {
  type InTreeOutcome,
  type InTreeReport,
  reportInTree,
  storedVersionsReport,
} from './in-tree-report.ts'
import { inTreeRights } from './in-tree-rights.ts'
import { decideInTreeState, type InTreeEnd, type InTreeState } from './in-tree-state.ts'
import { readCrdOf, restoreVersions } from './restore-versions.ts'
import { markSettled, settleInTree } from './settle-in-tree.ts'

/** How long a migration may stay untouched: the migrator takes one at once, unless it runs another one of the resource. */
const takenWithinMs = 30_000
/** How long the migrator may take to clean up. */
const closedWithinMs = 60_000
const lastWordsMs = 10_000

/**
 * Lets upstream's in-tree migrator migrate one resource, and then looks at everything once more: that migrator compares no
 * servers, and what it calls a success is not observed to be clean.
 */
export async function runInTree(job: MigrationJob, api: InTreeApi): Promise<MigrationReport> {
  try {
    return await new InTreeRun(job, api).run()
  } finally {
    job.view.clear(job.name)
  }
}

class InTreeRun {
  readonly #job: MigrationJob
  readonly #objects: InTreeObjects
  #target: MigrationTarget | undefined

  constructor(job: MigrationJob, api: InTreeApi) {
    const { cluster, resource, context } = job
    this.#job = job
    this.#objects = new InTreeObjects(cluster.client, api, resource, context.world.random)
  }

  async run(): Promise<MigrationReport> {
    const { name, view } = this.#job
    const denied = await this.#findDenied()
    if (denied !== undefined) return this.#report('failed', denied)
    const seen = await this.#list()
    const open = seen.find((each) => !isEnded(each) || each.saysRunning)
    if (open) {
      view.note(name, `${objectName(open)} is under way: following it`)
      return this.#follow(open, beforeOf(open) ?? (await this.#readBefore()), isUnsettled(open))
    }
    const left = seen.findLast(isUnsettled)
    if (left) {
      view.note(name, `${objectName(left)} ended without the command that made it`)
      const state = decideInTreeState(left, []) as InTreeEnd
      if (state.result === 'Succeeded') return this.#settle(left, beforeOf(left), state)
      const restored = await restoreVersions(this.#job, beforeOf(left))
      const storedVersions = storedVersionsReport(restored, name)
      view.note(name, `stored versions ${storedVersions.result}: ${storedVersions.because}`)
      if (restored.do === 'unknown') {
        const inTree = { migration: objectName(left), storedVersions }
        return this.#report('failed', 'an earlier migration failed, and is not repaired', inTree)
      }
      await markSettled(this.#job, this.#objects, left, state.result)
    }
    return this.#begin()
  }

  async #begin(): Promise<MigrationReport> {
    const job = this.#job
    const plan = await planResource(job)
    this.#target = plan.target
    const refusal = whyPlanForbids(plan)
    if (refusal !== undefined) return this.#refused(plan, refusal)
    // A census has seen it: nothing is left for any migrator.
    if (plan.stale === 0) return migrateResource(job)
    const moved = await this.#hold(plan.target)
    if (moved !== undefined) return this.#report('aborted', moved)
    const before = await this.#readBefore()
    const created = await job.look(
      (signal) => this.#objects.create(before, signal),
      lastWordsMs,
      () => false,
    )
    if (created.kind === 'unknown') return this.#lost(created.name)
    const target = plan.target === undefined ? '' : `to ${targetText(plan.target)}; `
    job.view.note(job.name, `${target}kube-controller-manager runs ${objectName(created.view)}`)
    return this.#follow(created.view, before, true)
  }

  /** The request may be on its way: the migrator would run the migration, and cut storedVersions, without this command. */
  #lost(migration: string): MigrationReport {
    const because = `${migration} was sent, and no answer came: it may begin a moment later. Run the same command again: it follows it, and adds what is cut from status.storedVersions again`
    if (this.#job.context.signal.aborted) return this.#report('paused', because, { migration })
    return { ...this.#report('failed', because, { migration }), exit: 'unknown' }
  }

  /** Until the migration has ended. Ctrl-C ends only the waiting. */
  async #follow(
    { uid, ...first }: MigrationView,
    before: CrdBefore | undefined,
    isOurs: boolean,
  ): Promise<MigrationReport> {
    const { name, view, context } = this.#job
    const { clock } = context.world
    const where = objectName(first)
    const again = 'run the same command again to follow it: it may cut status.storedVersions when it ends'
    let kind = ''
    let sinceMs = clock.monotonicMs()
    for (;;) {
      const all = await this.#list().catch((error: unknown) => {
        if (context.signal.aborted) return undefined
        const { message } = notSeenError('the cluster did not answer', error)
        const because = `${where} goes on without this command: ${again}: ${message}`
        throw new CliError(because, exitCodes.notSeen, { cause: error })
      })
      if (all === undefined) return this.#report('paused', `${where} goes on without this command: ${again}`)
      const now = all.find((each) => each.uid === uid)
      if (now === undefined) {
        const restored = await restoreVersions(this.#job, before)
        const storedVersions = storedVersionsReport(restored, name)
        const because = `${where} was deleted before it ended: how much was migrated is not known`
        return this.#report('aborted', because, { migration: where, storedVersions })
      }
      const state = decideInTreeState(now, all)
      if (state.kind !== kind) sinceMs = clock.monotonicMs()
      kind = state.kind
      const forMs = clock.monotonicMs() - sinceMs
      if (state.kind === 'ended') return this.#settle(now, before, state)
      if (state.kind === 'closing' && forMs > closedWithinMs)
        return this.#settle(now, before, decideInTreeState({ ...now, saysRunning: false }, []) as InTreeEnd)
      const isStopped = context.signal.aborted
      if (state.kind === 'untouched' && (isStopped || forMs > takenWithinMs))
        return this.#withdraw(now, isOurs, isStopped)
      if (isStopped) return this.#report('paused', `${where} goes on without this command: ${again}`)
      view.wait(name, waitText(state))
      await this.#job.pause()
    }
  }

  /** No controller has begun it: what is left behind could start later, when no command restores storedVersions. */
  async #withdraw(now: MigrationView, isOurs: boolean, isStopped: boolean): Promise<MigrationReport> {
    const where = objectName(now)
    const isGone = isOurs && (await this.#job.writeEnd((signal) => this.#objects.withdraw(now, signal)))
    const left = isGone ? `${where} was deleted again` : `${where} is still there: kubectl delete ${where}`
    if (isStopped) return this.#report('paused', `it was stopped before the migrator began: ${left}`)
    const why = `no controller took the migration within ${takenWithinMs / 1000} s: kube-controller-manager is away, or does not run storage-version-migrator-controller (it needs --feature-gates=StorageVersionMigrator=true)`
    return this.#report(
      'failed',
      `${why}. Nothing was migrated, and ${left}. Without --in-tree this command needs no controller`,
    )
  }

  async #findDenied(): Promise<string | undefined> {
    const { cluster, resource, name } = this.#job
    const missing = await this.#job.look((signal) =>
      observeMissing(cluster.client, inTreeRights(resource), signal),
    )
    if (missing.length === 0) return undefined
    const remedy = `an administrator can grant what "strata rbac migrate ${name} --in-tree" prints`
    return missingText(missing, name, remedy)
  }

  /** Rule 14: until then a server may write the old version, and the migrator takes each later write for a new one. */
  async #hold(first: MigrationTarget | undefined): Promise<string | undefined> {
    const job = this.#job
    const { standing } = job.shared
    let target = first
    if (target === undefined || target.fenced || target.how === 'unpublished') return undefined
    const records = await job.look(() => job.cluster.records(job.resource))
    const past = target.how === 'definition' ? await job.look((signal) => records.readPast(signal)) : []
    if (hasStoodBefore(past, target)) return undefined
    for (;;) {
      const leftMs = migrationLimits.unfencedHoldMs - standing.stoodForMs(target)
      if (leftMs <= 0) return undefined
      job.context.signal.throwIfAborted()
      job.view.hold(job.name, leftMs)
      await job.pause()
      const askedMs = job.context.world.clock.monotonicMs()
      const now = await job.look((signal) => job.cluster.observe(job.resource, signal))
      standing.see(job.resource, now, askedMs)
      const movement = decideMovement(target, now, { watched: true })
      if (movement.kind === 'moved') return `the target moved: ${movement.because}`
      if (now.agreed) target = now.target
    }
  }

  async #readBefore(): Promise<CrdBefore | undefined> {
    const crd = await this.#job.look((signal) => readCrdOf(this.#job, signal))
    const { uid } = crd?.metadata ?? {}
    return uid === undefined ? undefined : { uid, storedVersions: crd?.status.storedVersions ?? [] }
  }

  #list(): Promise<readonly MigrationView[]> {
    return this.#job.look((signal) => this.#objects.list(signal))
  }

  #refused({ exit, total, refused, unknown }: PlannedResource, because: string): MigrationReport {
    const report = this.#report(refusedOutcome(exit), because, { refused: [...refused, ...unknown] })
    return { ...report, exit, ...(total === undefined ? {} : { total }) }
  }

  #report(outcome: InTreeOutcome, because: string, inTree?: InTreeReport): MigrationReport {
    return reportInTree(this.#job, this.#target, { outcome, because }, inTree)
  }

  #settle(ended: MigrationView, before: CrdBefore | undefined, state: InTreeEnd): Promise<MigrationReport> {
    return settleInTree({
      job: this.#job,
      objects: this.#objects,
      target: this.#target,
      ended,
      before,
      state,
    })
  }
}

function waitText(state: InTreeState): string {
  switch (state.kind) {
    case 'untouched':
      return 'waiting until kube-controller-manager takes it'
    case 'queued':
      return `waiting until ${state.behind} has ended`
    case 'running':
      return state.text
    case 'closing':
    case 'ended':
      return 'it has ended: waiting until the migrator has cleaned up'
  }
}

/** The word beside the exit code of the plan: objects that would be refused, or of which it is not known, are left as they are. */
function refusedOutcome(exit: PlannedResource['exit']): InTreeOutcome {
  if (exit === 'stopped') return 'paused'
  if (exit === 'notSeen') return 'failed'
  return exit === 'incomplete' || exit === 'unknown' ? 'incomplete' : 'aborted'
}
