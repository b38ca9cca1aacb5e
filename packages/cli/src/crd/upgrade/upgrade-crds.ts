import { namespacedName } from '@strata/api'
import { severalAtOnce } from '@strata/world'
import type { MigrationReport } from '../../migration/report/migration-report.ts'
import { notSeenError } from '../../migration/resources/cluster.ts'
import { migrateAll } from '../../migration/run/migrate-all.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import type { CrdDocument } from '../documents/index.ts'
import { stepText } from '../plan/step-text.ts'
import type { CrdLook } from './crd-look.ts'
import { CrdRun } from './crd-run.ts'
import { lookAtCrd } from './look-at-crd.ts'
import { preflight } from './preflight.ts'
import type { UpgradeSession } from './upgrade-options.ts'
import { nextText, reportOf, type UpgradeReport } from './upgrade-report.ts'
import { UpgradeStop } from './upgrade-stop.ts'

/** Each holds one page of objects. */
const looksAtOnce = 4

/** Reads everything, and decides. Writes nothing. */
export async function planUpgrades(
  session: UpgradeSession,
  documents: readonly CrdDocument[],
): Promise<readonly CrdLook[]> {
  const { progress, signal } = session.context
  const looks = new Map<string, CrdLook>()
  try {
    await severalAtOnce(looksAtOnce, documents, async (document) => {
      signal.throwIfAborted()
      const look = await lookAtCrd(session, document)
      const isOpen = look.stop === undefined && look.plan.steps.length > 0
      looks.set(document.name, isOpen ? { ...look, stop: await preflight(session, look) } : look)
      progress?.(`${looks.size} of ${documents.length}: ${document.name}`)
    })
    const all = documents.flatMap(({ name }) => looks.get(name) ?? [])
    refuseIfAllSkipped(all)
    return all
  } finally {
    progress?.('')
  }
}

function refuseIfAllSkipped(looks: readonly CrdLook[]): void {
  if (looks.length === 0 || looks.some(({ skip }) => skip === undefined)) return
  const reasons = looks.map(({ name, skip }) => `${name}: ${skip}`).join('\n')
  const because = `nothing to go back to:\n${reasons}\nTo return to an older release, give its file without --back`
  throw new CliError(because, exitCodes.usage)
}

/**
 * Takes all steps: first those before the migrations, then all migrations together, because they wait together; and applies the
 * new files at last, when each of them will be accepted. The first CRD that cannot go on stops all of them.
 */
export async function runUpgrades(
  session: UpgradeSession,
  looks: readonly CrdLook[],
): Promise<readonly UpgradeReport[]> {
  const runs = looks.map((look) => new CrdRun(session, look))
  const proofs = new Map<CrdRun, string>()
  let at: CrdRun | undefined
  let stop: UpgradeStop | undefined
  try {
    await each(runs, (step) => step.do !== 'apply' && step.do !== 'migrate')
    await migrateThem(runs.filter(({ next }) => next?.do === 'migrate'))
    await each(runs, (step) => step.do !== 'apply')
    await each(runs, () => true)
  } catch (error) {
    stop = stopOf(session, error)
  }
  return runs.map((run) => {
    const proof = proofs.get(run)
    return reportOf(run.look, {
      ...{ done: run.done, isOver: run.next === undefined },
      stop: run === at || (at === undefined && run.next !== undefined) ? stop : undefined,
      ...{ isStopped: stop !== undefined, dryRun: false },
      ...(proof === undefined ? {} : { proof }),
    })
  })

  async function each(all: readonly CrdRun[], may: (step: NonNullable<CrdRun['next']>) => boolean) {
    for (const run of all) {
      at = run
      while (run.next !== undefined && run.next.do !== 'migrate' && may(run.next)) {
        session.context.signal.throwIfAborted()
        await run.step()
      }
    }
    at = undefined
  }

  async function migrateThem(all: readonly CrdRun[]): Promise<void> {
    if (all.length === 0) return
    const resources = []
    for (const run of all) {
      at = run
      if (run.next !== undefined)
        session.context.warn?.(`${run.look.name}: ${stepText(run.next, run.look.file)}`)
      resources.push(await run.migratable())
    }
    at = undefined
    const { context, cluster, options } = session
    const reports = await migrateAll(
      cluster,
      resources,
      {
        ...{ concurrency: options.concurrency, pageSize: 500, agreementTimeoutMs: 30_000 },
        ...{ takeOver: false, dryRun: false, throughApi: false, all: false, wait: true },
        includeCurrent: true,
        output: options.output,
        beforeWrites: ({ group, resource }, signal) => {
          const run = all.find(({ look }) => look.name === `${resource}.${group}`)
          return run?.checkObjects(signal) ?? Promise.resolve(undefined)
        },
      },
      // Its progress is no result of this command.
      { ...context, print: (text) => context.warn?.(text) },
    )
    for (const run of all) {
      at = run
      const report = reports.find(({ resource }) => resource === run.look.name)
      if (report !== undefined) proofs.set(run, report.proof)
      // First: a migration aborts because of a change that this explains better.
      await run.check()
      const refusal = await run.refusal()
      if (refusal !== undefined) throw refusal
      const weak = weakness(session, report)
      if (weak !== undefined) throw weak
      run.migrated()
    }
    at = undefined
  }
}

const strengths = { unknown: 0, 'observed clean': 1, proven: 2 } as const

/** Why a migration is no ground for the next step. */
function weakness({ options }: UpgradeSession, report: MigrationReport | undefined): UpgradeStop | undefined {
  if (report === undefined) return new UpgradeStop('stopped', 'stopped', 'the migration did not start')
  const { outcome, proof, because, exit, quarantined, resource, record } = report
  if (outcome !== 'succeeded') {
    const some = report.quarantine
      .slice(0, 3)
      .map(({ message = '', ...each }) => `${namespacedName(each)}: ${message}`)
    const named = quarantined === 0 ? '' : `; refused: ${some.join('; ')}`
    const next =
      quarantined === 0
        ? 'run the same command again: it goes on where it stopped'
        : `repair these objects, then run the same command again${record === undefined ? '' : ` (all of them: ${record})`}`
    return new UpgradeStop(
      'stopped',
      exit,
      `the migration of ${resource} did not succeed: ${because}${named}`,
      next,
    )
  }
  if (strengths[proof] >= strengths[options.accept]) return undefined
  const text = `the migration of ${resource} is "${proof}" (${because}), and "${options.accept}" is required`
  const accept = proof === 'unknown' ? 'unknown' : 'observed-clean'
  return new UpgradeStop('stopped', exit, text, `--accept ${accept}, if that is enough`)
}

function stopOf({ context, options }: UpgradeSession, error: unknown): UpgradeStop {
  if (error instanceof UpgradeStop) return error
  if (context.signal.aborted) {
    return new UpgradeStop('stopped', 'stopped', 'it was stopped', nextText(options.back ? 'old' : 'new'))
  }
  const { message } = notSeenError('the cluster did not answer', error)
  return new UpgradeStop('not seen', 'notSeen', message, 'run the same command again to go on')
}
