import { severalAtOnce } from '@strata/world'
import { type ClusterFlags, lookAtContext } from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { type OutputFlags, printTo } from '../output/print-report.ts'
import { type ContextsFlags, chooseContexts } from './choose-contexts.ts'
import { type ClusterOutcome, mergeReports, type Outcome } from './merge-reports.ts'

/** Commands differ in what --server is. */
export type ReportFlags = Omit<ClusterFlags, 'server'> & ContextsFlags & OutputFlags

/** More at a time would make one slow cluster out of many quick ones. */
const clustersAtOnce = 8

/**
 * Reports about the cluster of the flags; or, with --contexts or --all-contexts, about each of several in one report. A cluster
 * that cannot be reached has a row, and the exit code `notSeen`. Returns the exit code.
 */
export async function reportClusters<Flags extends ReportFlags>(
  command: string,
  flags: Flags,
  context: CliContext,
  notSeen: number,
  look: (flags: Flags, context: CliContext) => Promise<Outcome>,
  sightOf = (name: string) => lookAtContext(name, flags, context),
): Promise<number> {
  const chosen = await chooseContexts(flags, context, sightOf)
  if (chosen === undefined) {
    const { report, exit } = await look(flags, context)
    if (report.results.length > 0 || report.sections.length > 0) printTo(context, report, flags)
    return exit
  }
  const outcomes = new Map<string, ClusterOutcome>()
  await severalAtOnce(clustersAtOnce, chosen, async ({ label, contexts }) => {
    // Each would write over the progress of the others.
    const quiet = {
      ...context,
      progress: undefined,
      warn: (text: string) => context.warn?.(`${label}: ${text}`),
    }
    outcomes.set(label, await lookAt(label, () => look({ ...flags, context: contexts }, quiet)))
    context.progress?.(`${outcomes.size} of ${chosen.length} clusters`)
  }).finally(() => context.progress?.(''))
  const merged = mergeReports(
    command,
    chosen.flatMap(({ label }) => outcomes.get(label) ?? []),
  )
  printTo(context, merged.report, flags)
  return context.signal.aborted ? exitCodes.stopped : merged.exit

  async function lookAt(label: string, ask: () => Promise<Outcome>): Promise<ClusterOutcome> {
    try {
      return { label, ...(await ask()) }
    } catch (error) {
      // A wrong flag is wrong for every cluster. Only status uses the same code for a cluster that it could not see.
      const isUsage = error instanceof CliError && error.exitCode === exitCodes.usage
      if (!(error instanceof CliError) || (isUsage && notSeen !== exitCodes.usage)) throw error
      return { label, unseen: error.message, exit: error.exitCode === 1 ? notSeen : error.exitCode }
    }
  }
}
