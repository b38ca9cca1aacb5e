import type { Command } from 'commander'
import { type ClusterFlags, connectCluster } from '../cluster-client.ts'
import type { CliContext } from '../context.ts'
import { collect } from '../duration.ts'

export function addControllers(
  program: Command,
  context: CliContext,
  done: (exitCode: number) => void,
): void {
  program
    .command('controllers')
    .description('Run the leader-elected controllers: they forget servers that are gone.')
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
    .addHelpText(
      'after',
      `
Examples:
  $ strata controllers
  $ strata controllers --kubeconfig admin.kubeconfig --context strata-1 --context strata-2`,
    )
    .action(async (flags: ClusterFlags) => {
      const { runControllers } = await import('@strata/controllers/main')
      const connection = await connectCluster(flags, context, 'strata-controllers')
      try {
        await runControllers({ world: context.world, client: connection.client, signal: context.signal })
      } finally {
        connection.close()
      }
      done(0)
    })
}
