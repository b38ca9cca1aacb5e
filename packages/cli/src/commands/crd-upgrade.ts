import { type Command, Option } from 'commander'
import type { CliContext } from '../context.ts'
import { readCrds } from '../crd/documents/index.ts'
import { unneededAcceptances } from '../crd/upgrade/loss-groups.ts'
import { renderPlans } from '../crd/upgrade/plan-text.ts'
import { reportUpgrades } from '../crd/upgrade/report-upgrades.ts'
import { planUpgrades, runUpgrades } from '../crd/upgrade/upgrade-crds.ts'
import type { UpgradeOptions } from '../crd/upgrade/upgrade-options.ts'
import { reportOf, type UpgradeReport } from '../crd/upgrade/upgrade-report.ts'
import { type MigrationFlags, withCluster } from '../migration/resources/cluster.ts'
import { collect } from '../options/duration.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes, worstOf } from '../output/exit-codes.ts'
import { isConfirmed } from '../output/is-confirmed.ts'
import { type OutputFlags, printTo } from '../output/print-report.ts'
import { addClusterOptions, addServerOptions } from './cluster-options.ts'

interface Flags extends MigrationFlags, OutputFlags {
  readonly recursive: boolean
  readonly yes: boolean
  readonly dryRun: boolean
  readonly back: boolean
  readonly accept: 'proven' | 'observed-clean' | 'unknown'
  readonly acceptLoss: readonly string[]
  readonly forceConflicts: boolean
}

export function addCrdUpgrade(crd: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = crd
    .command('upgrade')
    .argument('<file...>', 'files and directories with the new CRDs, in YAML or JSON')
    .description('Bring the CRDs of a cluster to new files, whatever release the cluster was born at.')
    .option('-R, --recursive', 'also read the directories in a directory', false)
    .option('-y, --yes', 'do not ask before the first write', false)
    .option('--dry-run', 'print the plan, ask the server for the first write, and store nothing', false)
    .option('--back', 'put back the CRDs as they were before an upgrade that was not finished', false)
  addServerOptions(addClusterOptions(command))
    .addOption(
      new Option(
        '--accept <verdict>',
        'weakest result of a migration that is enough; --yes does not imply it',
      )
        .choices(['proven', 'observed-clean', 'unknown'])
        .default('proven'),
    )
    .option(
      '--accept-loss <path>',
      'a field that stored objects may lose, or that the new schema may refuse, e.g. spec.rules[*].port, or CRD:PATH for one CRD; "not-compared" takes objects for which the server refuses to compare what a conversion webhook keeps; may be repeated. Objects are saved first',
      collect,
      [],
    )
    .option('--force-conflicts', 'take over fields of the CRD that other field managers own', false)
    .addHelpText('after', help)
    .action(async (files: readonly string[], flags: Flags) => {
      const documents = await readCrds(files, { recursive: flags.recursive })
      if (!flags.yes && !flags.dryRun && context.ask === undefined) {
        throw new CliError('there is no terminal to ask: give --yes or --dry-run', exitCodes.usage)
      }
      await withCluster(flags, context, async (cluster) => {
        const directory = await cluster.stateDirectory('crds')
        const session = { cluster, context, options: optionsOf(flags), directory }
        const looks = await planUpgrades(session, documents)
        const isStopped = looks.some(({ stop }) => stop !== undefined)
        const planned = looks.map((look) =>
          reportOf(look, {
            ...{ done: [], isOver: false, stop: look.stop, isStopped, dryRun: flags.dryRun },
          }),
        )
        const hasSteps = looks.some(({ plan }) => plan.steps.length > 0)
        const isOver = isStopped || flags.dryRun || !hasSteps
        const mayWrite = async () => flags.yes || (await isConfirmed(context, 'Go on?'))
        context.warn?.(renderPlans(planned))
        for (const path of unneededAcceptances(flags.acceptLoss, looks))
          context.warn?.(`--accept-loss ${path}: nothing that was compared is lost at ${path}`)
        if (isOver) return finish(planned)
        if (!(await mayWrite())) {
          context.warn?.('nothing was changed')
          return finish(planned)
        }
        finish(await runUpgrades(session, looks))
      })

      function finish(reports: readonly UpgradeReport[]): void {
        printTo(context, reportUpgrades(reports), flags)
        const word = worstOf(reports.map(({ exit }) => exit))
        done(exitCodes[context.signal.aborted ? 'stopped' : word])
      }
    })
}

function optionsOf({ accept, ...flags }: Flags): UpgradeOptions {
  const { acceptLoss, dryRun, back, forceConflicts, output } = flags
  const wanted = accept === 'observed-clean' ? 'observed clean' : accept
  return { accept: wanted, acceptLoss, dryRun, back, forceConflicts, output, concurrency: 64 }
}

const help = `
An API server refuses a CRD that drops a version in which objects may be stored. This command reads the live CRDs and their
objects, decides the steps, prints them, and takes them:
  apply          the server accepts the file as it is
  migrate-first  rewrite every object, remove old versions from status.storedVersions, then apply
  bridge         the storage version goes too: first a CRD with old and new versions that stores one which both have, or which
                 the conversion reaches
  impossible     the scope or the names change, or no conversion leads from the old versions to the new ones

Before anything is written, and again before objects are rewritten, each is compared with what would be stored afterwards.
A field that would be lost or get another value, and an object that the new schema refuses, stops the command. --accept-loss
PATH goes on, after the objects are saved in a file that only you can read. A conversion webhook must answer for every object
first. What it keeps is compared by dry runs: an object whose dry run is refused stops the command too, unless there is
--accept-loss not-compared.

It stops at the first step whose result is weaker than --accept. Where not every server guards its writes, as on any cluster but
Strata, nothing is ever proven: there it needs --accept observed-clean. It stops as well if others change a CRD meanwhile, for
example a GitOps controller that reverts the bridge. New files are applied last, when each will be accepted.

Run the same command again to continue, also after kill -9: the steps follow from what the cluster has then. --back puts the
CRDs back as they were, as long as no version was dropped; a CRD without a record of an upgrade is skipped. No CRD and no object is ever deleted.

CRDs are written in the name of the field manager that owns them (kubectl, helm, argocd-controller): none of Strata stays
behind. The plan and progress go to standard error, results to standard output.

Exit codes:
  0    every CRD is as in its file (with --dry-run: it would be)
  1    stopped: the plan is impossible or lossy, or a result is weaker than accepted
  2    a flag, an argument or a file is invalid; nothing was done
  4    aborted: others changed a CRD, or the servers disagree
  5    failed: no answer, or no permission
  6    unknown: a write was sent, and no answer came
  130  stopped by Ctrl-C

Examples:
  $ strata crd upgrade new-release/crds/ --accept observed-clean --dry-run
  $ strata crd upgrade crds.yaml --accept observed-clean
  $ strata crd upgrade crds/ --yes --accept observed-clean -o json
  $ strata crd upgrade crds.yaml --accept-loss 'spec.rules[*].port'
  $ strata crd upgrade crds.yaml --back --accept observed-clean`
