import type { Command } from 'commander'
import { type ClusterFlags, connectCluster } from '../cluster-client.ts'
import type { CliContext } from '../context.ts'
import { collect } from '../duration.ts'
import { CliError } from '../errors.ts'

export function addControllers(
  program: Command,
  context: CliContext,
  done: (exitCode: number) => void,
): void {
  program
    .command('controllers')
    .description(
      'Run the leader-elected controllers: they forget servers that are gone, empty namespaces, collect garbage.',
    )
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: $KUBECONFIG, the local fleet, ~/.kube/config)',
    )
    .option(
      '--context <name>',
      'a server of the fleet; may be repeated, then the next one is asked when one fails',
      collect,
      [],
    )
    .option(
      '--controllers <names>',
      "which to run, separated by commas: '*' for all, '-name' for all but this one",
      (names: string) => names.split(','),
      ['*'],
    )
    .addHelpText(
      'after',
      `
Examples:
  $ strata controllers
  $ strata controllers --kubeconfig admin.kubeconfig --context strata-1 --context strata-2
  $ strata controllers --controllers '*,-garbage-collector'`,
    )
    .action(async (flags: ClusterFlags & { readonly controllers: readonly string[] }) => {
      const { chosenControllers, runControllers } = await import('@strata/controllers/main')
      try {
        chosenControllers(flags.controllers)
      } catch (error) {
        throw new CliError(`--controllers: ${error instanceof Error ? error.message : error}`)
      }
      const connection = await connectCluster(flags, context, 'strata-controllers')
      try {
        await runControllers({
          world: context.world,
          client: connection.client,
          options: { controllers: flags.controllers },
          signal: context.signal,
        })
      } finally {
        connection.close()
      }
      done(0)
    })
}
