import type { InitializerResult } from '@strata/controllers'
import { type Command, Option } from 'commander'
import { type ClusterFlags, connectCluster, turnToAnswering } from '../connection/cluster-client.ts'
import type { CliContext } from '../context.ts'
import { notSeenError } from '../migration/resources/cluster.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { formatTable } from '../output/table.ts'

interface InitFlags extends ClusterFlags {
  readonly dryRun: boolean
  readonly installCrds: boolean
  readonly output: 'table' | 'json'
}

export function addControllersInit(
  controllers: Command,
  context: CliContext,
  done: (exitCode: number) => void,
): void {
  controllers
    .command('init')
    .description(
      'Create a StorageVersionMigration for every built-in resource that may be stored in more than one version. Resources that need none, or have one under way, are skipped.',
    )
    .option('--dry-run', 'print what would be created, and create nothing', false)
    .addOption(new Option('-o, --output <form>', 'output format').choices(['table', 'json']).default('table'))
    .addHelpText(
      'after',
      `
--kubeconfig, --context and --install-crds work as in strata controllers.

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
    .action(async (_: unknown, command: Command) => {
      const flags = command.optsWithGlobals<InitFlags>()
      const result = await ask(flags, context).catch((error: unknown) => {
        if (context.signal.aborted) throw new CliError('it was stopped', exitCodes.stopped, { cause: error })
        throw notSeenError('the cluster could not be asked', error)
      })
      const { dryRun, output } = flags
      context.print(output === 'json' ? JSON.stringify(result, undefined, 2) : render(result, dryRun))
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

function render({ definitions, created, skipped, unseen }: InitializerResult, dryRun: boolean): string {
  const made = dryRun ? 'would be created' : 'created'
  const text = (each: { readonly group: string; readonly resource: string }): string =>
    each.group === '' ? each.resource : `${each.resource}.${each.group}`
  const rows = [
    ...definitions.map(({ name, did, because = '' }) => [name, `CRD: ${did}`, because]),
    ...created.map((each) => [text(each), made, each.migration ?? '']),
    ...skipped.map((each) => [text(each), 'skipped', each.because]),
    ...unseen.map((groupVersion) => [groupVersion, 'not seen', 'its discovery does not answer']),
  ]
  return rows.length === 0
    ? 'no resource may be stored in more than one version'
    : formatTable(['RESOURCE', 'MIGRATION', 'NAME OR REASON'], rows)
}
