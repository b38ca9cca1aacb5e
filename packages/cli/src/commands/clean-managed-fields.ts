import { type Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import type { CleanReport } from '../managed-fields/clean-report.ts'
import { type CleanOptions, type CleanPlan, commandName, planClean } from '../managed-fields/plan-clean.ts'
import { renderLosses, reportClean } from '../managed-fields/render-clean.ts'
import { runClean } from '../managed-fields/run-clean.ts'
import { chooseDefinitions } from '../migration/resources/choose-definitions.ts'
import {
  type Cluster,
  type MigrationFlags,
  notSeenError,
  withCluster,
} from '../migration/resources/cluster.ts'
import { collect } from '../options/duration.ts'
import { CliError } from '../output/errors.ts'
import { type Acceptance, acceptances, acceptedExitOfAll, exitCodes } from '../output/exit-codes.ts'
import { isConfirmed } from '../output/is-confirmed.ts'
import { type OutputFlags, printTo } from '../output/print-report.ts'
import { addClusterOptions, addServerOptions } from './cluster-options.ts'
import { addPaceOptions, type PaceFlags, paceOf } from './pace-flags.ts'

interface Flags extends MigrationFlags, OutputFlags, PaceFlags {
  readonly version: readonly string[]
  readonly accept: Acceptance
  readonly dryRun: boolean
  readonly yes: boolean
}

export function addCleanManagedFields(
  program: Command,
  context: CliContext,
  done: (exitCode: number) => void,
): void {
  // Otherwise --version is that of the program, wherever it stands.
  const command = program
    .enablePositionalOptions()
    .command(commandName)
    .argument(
      '<crd...>',
      'CRDs, e.g. lamps.light.example.dev, or any name that kubectl accepts for the resource',
    )
    .description('Remove entries of dead versions from the managedFields of objects.')
    .option(
      '--version <version>',
      'only this version, e.g. v1alpha1; may be repeated (default: every dead version, see below)',
      collect,
      [],
    )
  addPaceOptions(addServerOptions(addClusterOptions(command)))
    .addOption(
      new Option('--accept <verdict>', 'weakest verdict of "strata verify" that is enough')
        .choices(acceptances)
        .default('proven'),
    )
    .option('--dry-run', 'ask the server for every write, and store nothing', false)
    .option('-y, --yes', 'do not ask before the first write; does not imply --accept', false)
    .addHelpText('after', help)
    .action(async (names: readonly string[], flags: Flags) => {
      if (!flags.yes && !flags.dryRun && context.ask === undefined) {
        throw new CliError('there is no terminal to ask: give --yes or --dry-run', exitCodes.usage)
      }
      const { version: versions, accept, dryRun, pageSize } = flags
      const { concurrency, qps } = paceOf(flags)
      const options = { versions, accept, dryRun, concurrency, qps, pageSize }
      await withCluster(flags, context, async (cluster) => {
        const reports = await cleanAll(cluster, names, options, flags.yes, context)
        printTo(context, reportClean(reports), flags)
        const ended = reports.map(({ result, exit }) => ({ exit, isSuccess: successes.has(result) }))
        done(context.signal.aborted ? exitCodes.stopped : acceptedExitOfAll(ended, accept))
      })
    })
}

const successes: ReadonlySet<CleanReport['result']> = new Set([
  'cleaned',
  'would be cleaned',
  'nothing to clean',
])

/** Reads everything first: the user decides once, about all of it. */
async function cleanAll(
  cluster: Cluster,
  names: readonly string[],
  options: CleanOptions,
  yes: boolean,
  context: CliContext,
): Promise<readonly CleanReport[]> {
  const chosen = [...new Set(await chooseDefinitions(cluster, names, false, context.signal))]
  const planned: (CleanPlan | CleanReport)[] = []
  for (const name of chosen) planned.push(await planOne(cluster, name, options, context))
  const plans = planned.flatMap((each) => ('seen' in each ? [each] : []))
  if (plans.length > 0) context.warn?.(renderLosses(plans.map(({ seen }) => seen)))
  const isAllowed =
    plans.length === 0 || options.dryRun || yes || (await isConfirmed(context, 'Remove these entries?'))
  const reports: CleanReport[] = []
  for (const each of planned) {
    if (!('seen' in each)) reports.push(each)
    else if (isAllowed) reports.push(await runClean(cluster, each, options, context))
    else
      reports.push({ ...each.seen, result: 'declined', because: 'nothing was written', exit: 'incomplete' })
  }
  return reports
}

/** A failure becomes a report, so that the other CRDs are reported too. */
async function planOne(
  cluster: Cluster,
  name: string,
  options: CleanOptions,
  context: CliContext,
): Promise<CleanPlan | CleanReport> {
  try {
    const planned = await planClean(cluster, name, options, context)
    return planned.kind === 'over' ? planned.report : planned
  } catch (error) {
    if (context.signal.aborted) throw error
    const { message: because } = notSeenError('it could not be read', error)
    return { definition: name, result: 'not seen', because, exit: 'notSeen' }
  }
}

const help = `
kube-apiserver refuses every server-side apply to an object whose managedFields name a version that its CRD no longer has ("request
to convert CR to an invalid group/version"). At the next write that is no apply it drops all of managedFields, also the entries of
other managers. This command removes only the entries of dead versions, and changes nothing else.

A version is dead if the CRD does not have it, or if the CRD neither serves nor stores it and status.storedVersions does not
list it. --version of a version that is not dead is refused.

It reads every object (metadata only), prints which managers lose which ownership in how many objects, and asks. Nothing is
written unless the verdict of "strata verify" is as good as --accept. If the CRD no longer has the versions, reading every object
makes it "observed clean": no server can decode an object that is stored in such a version.

Each write has the uid and resourceVersion of the object: if another client changed it, it is read again. If the CRD changes
meanwhile, the command stops. It keeps no record: run it again after an interruption, and it goes on with the objects that are left.

Exit codes:
  0    no object names a dead version any more (with --dry-run: the server would accept every write)
  1    refused: the verdict is not accepted, a version is not dead, or you said no; or some objects are left, each with its reason
  2    a flag or argument is invalid; nothing was done
  4    aborted: the servers disagree, or the CRD changed meanwhile
  5    failed: no answer, no permission, or no such CRD
  6    unknown: writes were sent, and no answer came
  130  stopped by Ctrl-C

Examples:
  $ strata clean-managed-fields lamps.light.example.dev --dry-run
  $ strata clean-managed-fields lamps.light.example.dev
  $ strata clean-managed-fields lamps.light.example.dev --accept observed-clean --yes
  $ strata clean-managed-fields lamps.light.example.dev --version v1alpha1 -o json`
