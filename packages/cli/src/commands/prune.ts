import { type Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import {
  type PruneOptions,
  type PruneReport,
  pruneDefinition,
} from '../migration/evidence/prune-definition.ts'
import { reportPrune } from '../migration/report/report-prune.ts'
import { chooseDefinitions } from '../migration/resources/choose-definitions.ts'
import {
  type Cluster,
  type MigrationFlags,
  notSeenError,
  withCluster,
} from '../migration/resources/cluster.ts'
import { patienceMs } from '../migration/run/read-with-retries.ts'
import {
  type Acceptance,
  acceptances,
  acceptedExitOfAll,
  exitCodes,
  exitCodesHelp,
} from '../output/exit-codes.ts'
import { type OutputFlags, printTo } from '../output/print-report.ts'
import { addClusterOptions, addServerOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags, OutputFlags {
  readonly all: boolean
  readonly accept: Acceptance
  readonly dryRun: boolean
}

export function addPrune(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('prune')
    .argument(
      '[crd...]',
      'CRDs, e.g. lamps.light.example.dev, or any name that kubectl accepts for the resource',
    )
    .description(
      'Remove old versions from the status.storedVersions of CRDs once no object is stored in them.',
    )
    .option('-A, --all', 'every CRD', false)
  addServerOptions(addClusterOptions(command))
    .addOption(
      new Option(
        '--accept <verdict>',
        'weakest verdict that is enough, and ends with exit code 0 (see below)',
      )
        .choices(acceptances)
        .default('proven'),
    )
    .option('--dry-run', 'print what would be changed, and change nothing', false)
    .addHelpText('after', help)
    .action(async (names: string[], flags: Flags) => {
      await withCluster(flags, context, async (cluster) => {
        const chosen = await chooseDefinitions(cluster, names, flags.all, context.signal)
        const reports: PruneReport[] = []
        // After one timeout, the other CRDs are not waited for.
        const isWorthWaiting = (): boolean => reports.every(({ result }) => result !== 'not seen')
        for (const name of chosen) {
          reports.push(await pruneOne(cluster, name, optionsOf(flags, isWorthWaiting()), context))
          // After Ctrl-C, what was pruned before is still reported.
          if (context.signal.aborted) break
        }
        printTo(context, reportPrune(reports, flags), flags)
        done(context.signal.aborted ? exitCodes.stopped : exitOf(reports, flags.accept))
      })
    })
}

const successes: ReadonlySet<PruneReport['result']> = new Set([
  'pruned',
  'would be pruned',
  'nothing to prune',
])

function exitOf(reports: readonly PruneReport[], accept: Acceptance): number {
  // An empty list was read: nothing is unknown.
  if (reports.length === 0) return exitCodes.proven
  const ended = reports.map(({ result, exit }) => ({ exit, isSuccess: successes.has(result) }))
  return acceptedExitOfAll(ended, accept)
}

/** A failure becomes a report, so that the other CRDs are reported too. */
async function pruneOne(
  cluster: Cluster,
  name: string,
  options: PruneOptions,
  context: CliContext,
): Promise<PruneReport> {
  try {
    return await pruneDefinition(cluster, name, options, context)
  } catch (error) {
    if (context.signal.aborted) {
      const because = 'stopped: it may be pruned or not'
      return { definition: name, result: 'unknown', because, exit: 'stopped' }
    }
    const { message: because } = notSeenError('it could not be read', error)
    return { definition: name, result: 'not seen', because, exit: 'notSeen' }
  }
}

function optionsOf({ accept, dryRun }: Flags, isWorthWaiting: boolean): PruneOptions {
  const wanted = accept === 'observed-clean' ? 'observed clean' : accept
  return { accept: wanted, dryRun, patienceMs: isWorthWaiting ? patienceMs : 0 }
}

const help = `
Run it after "strata migrate", before you remove an old version from a CRD. The API server accepts that removal only when
the version is not in status.storedVersions. This command removes it from there if every object is proven to be stored in the
storage version (see strata verify). Without that proof it refuses, unless --accept says that less is enough; then it ends with 0:
  --accept observed-clean  the last pass of a migration found nothing else, but a server may still store an old version
  --accept unknown         nothing is known. If an object is stored in the old version, no server can read it once the
                           version is removed
The --accept of "strata controllers" has other values: it is about the result of a migration.

It always refuses if an object is known to be stored in an old version. The API server rejects the change if the CRD
changed in the meantime (uid, generation, resourceVersion). If no answer comes, the CRD is read again; if that does not help
either, the result is unknown (6, whatever --accept says), and you can run the command again.

${exitCodesHelp}

Examples:
  $ strata prune lamps.light.example.dev
  $ strata prune --all --dry-run
  $ strata prune lamps.light.example.dev --accept observed-clean`
