import type { InitializerResult } from '@strata/controllers'
import { type Command, Option } from 'commander'
import { type ClusterFlags, connectCluster } from '../cluster-client.ts'
import type { CliContext } from '../context.ts'
import { CliError } from '../errors.ts'
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
      'Ask once for a migration of every built-in resource that may be stored in more than one version, and for nothing that is under way or not needed.',
    )
    .option('--dry-run', 'say what would be made, and make nothing', false)
    .addOption(
      new Option('-o, --output <form>', 'how it is shown').choices(['table', 'json']).default('table'),
    )
    .addHelpText(
      'after',
      `
--kubeconfig, --context and --install-crds mean what they mean for strata controllers.

Examples:
  $ strata controllers init --dry-run
  $ strata controllers init --kubeconfig admin.kubeconfig --install-crds
  $ strata controllers init -o json`,
    )
    .action(async (_: unknown, command: Command) => {
      const flags = command.optsWithGlobals<InitFlags>()
      const { initialize } = await import('@strata/controllers')
      const connection = await connectCluster(flags, context, 'strata-controllers-init')
      const { world, signal, print } = context
      const { dryRun, installCrds } = flags
      try {
        const result = await initialize({ world, client: connection.client, dryRun, installCrds }, signal)
        print(flags.output === 'json' ? JSON.stringify(result, undefined, 2) : render(result, dryRun))
        const refused = result.definitions.filter(({ did }) => did === 'refuse')
        if (refused.length > 0) throw new CliError(refused.map(({ because }) => because).join('; '))
        done(result.unseen.length > 0 ? 2 : 0)
      } finally {
        connection.close()
      }
    })
}

function render({ definitions, created, skipped, unseen }: InitializerResult, dryRun: boolean): string {
  const made = dryRun ? 'would be asked for' : 'asked for'
  const text = (each: { readonly group: string; readonly resource: string }): string =>
    each.group === '' ? each.resource : `${each.resource}.${each.group}`
  const rows = [
    ...definitions.map(({ name, did, because = '' }) => [name, `definition: ${did}`, because]),
    ...created.map((each) => [text(each), made, each.migration ?? '']),
    ...skipped.map((each) => [text(each), 'skipped', each.because]),
    ...unseen.map((groupVersion) => [groupVersion, 'not seen', 'its discovery does not answer']),
  ]
  return rows.length === 0
    ? 'nothing may be stored in more than one version'
    : formatTable(['RESOURCE', 'MIGRATION', 'WHICH, OR WHY'], rows)
}
