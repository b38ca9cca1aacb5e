import { identityNamespace, isIdentityLease, leases, storageAgreements } from '@strata/api'
import type { Client } from '@strata/client'
import { deadline } from '@strata/world'
import { type Command, Option } from 'commander'
import { stringify } from 'yaml'
import { type ClusterFlags, connectCluster } from '../cluster-client.ts'
import type { CliContext } from '../context.ts'
import { collect } from '../duration.ts'
import { explain } from '../errors.ts'
import { describeFleet, type FleetStatus } from '../status/fleet-status.ts'
import { renderStatus } from '../status/render-status.ts'

interface Flags extends ClusterFlags {
  readonly output: 'table' | 'json' | 'yaml'
}

export function addStatus(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  program
    .command('status')
    .description('Show servers × resources: who encodes and decodes what, and whether they agree.')
    .option(
      '--kubeconfig <file>',
      'how to reach the cluster (default: $KUBECONFIG, the local fleet, ~/.kube/config)',
    )
    .option('--context <name>', 'which context of the kubeconfig; may be repeated', collect, [])
    .addOption(
      new Option('-o, --output <form>', 'how to print').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addHelpText(
      'after',
      `
The exit code is 0 when all servers agree on every resource, 1 when they do not, 2 when it could not be seen.

Examples:
  $ strata status
  $ strata status --context strata-2
  $ strata status -o json | jq '.resources[] | select(.agreedVersion == null)'`,
    )
    .action(async (flags: Flags) => {
      const connection = await connectCluster(flags, context, 'strata-status')
      const limit = deadline(context.world.clock, 30_000, context.signal)
      try {
        const status = await observeFleet(connection.client, limit.signal)
        context.print(print(status, flags.output, context.world.clock.wallMs()))
        done(status.agreed ? 0 : 1)
      } catch (error) {
        throw explain('could not see the agreement records', error, 2)
      } finally {
        limit.dispose()
        connection.close()
      }
    })
}

/** Leases after records: a server that came in between is then seen as one that has not reported. */
async function observeFleet(client: Client, signal: AbortSignal): Promise<FleetStatus> {
  const records = await client.resource(storageAgreements, 'v1alpha1').list({}, signal)
  const found = await client.resource(leases, 'v1').list({ namespace: identityNamespace }, signal)
  return describeFleet(records.items, found.items.filter(isIdentityLease))
}

function print(status: FleetStatus, output: Flags['output'], nowMs: number): string {
  if (output === 'json') return JSON.stringify(status, undefined, 2)
  return output === 'yaml' ? stringify(status).trimEnd() : renderStatus(status, nowMs)
}
