import type { InitializerResult } from '@strata/controllers'
import type { Command } from 'commander'
import { type ClusterFlags, connectCluster, turnToAnswering } from '../../connection/cluster-client.ts'
import type { CliContext } from '../../context.ts'
import { reportInitialized } from '../../migration/report/report-initialized.ts'
import { notSeenError } from '../../migration/resources/cluster.ts'
import { inheritedFlags } from '../../options/inherited-flags.ts'
import { CliError } from '../../output/errors.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type OutputFlags, printTo } from '../../output/print-report.ts'
import { addClusterOptions } from '../cluster-options.ts'

interface InitFlags extends ClusterFlags, OutputFlags {
  readonly dryRun: boolean
  readonly installCrds: boolean
}

export function addControllersInit(
  controllers: Command,
  context: CliContext,
  done: (exitCode: number) => void,
): void {
  const command = controllers
    .command('init')
    .description(
      'Create a StorageVersionMigration for every built-in resource that may be stored in more than one version. Resources that need none, or have one under way, are skipped.',
    )
    .option('--dry-run', 'print what would be created, and create nothing', false)
    .option('--install-crds', 'create the CRDs of migration.k8s.io, or add the fields they lack', false)
  addClusterOptions(command)
    .addHelpText(
      'after',
      `
Exit codes:
  0    every migration that is needed exists
  1    a CRD of the same name exists, is a different one, and was left alone
  2    a flag or argument is invalid; nothing was done
  5    the cluster did not answer, or not for some API groups, which are named
  130  stopped by Ctrl-C

Examples:
  $ strata controllers init --dry-run
  $ strata controllers init --kubeconfig admin.kubeconfig --install-crds
  $ strata controllers init -o json`,
    )
    .action(async () => {
      const flags = inheritedFlags<InitFlags>(command)
      const result = await ask(flags, context).catch((error: unknown) => {
        if (context.signal.aborted) throw new CliError('it was stopped', exitCodes.stopped, { cause: error })
        throw notSeenError('the cluster could not be asked', error)
      })
      printTo(context, reportInitialized(result, flags.dryRun), flags)
      const refused = result.definitions.filter(({ did }) => did === 'refuse')
      if (refused.length > 0) throw new CliError(refused.map(({ because }) => because).join('; '))
      done(result.unseen.length > 0 ? exitCodes.notSeen : 0)
    })
}

async function ask(flags: InitFlags, context: CliContext): Promise<InitializerResult> {
  const { initialize } = await import('@strata/controllers')
  const connection = await connectCluster(flags, context, 'strata-controllers-init')
  const { dryRun, installCrds } = flags
  try {
    await turnToAnswering(connection, context)
    const { client } = connection
    return await initialize({ world: context.world, client, dryRun, installCrds }, context.signal)
  } finally {
    connection.close()
  }
}
