import { groupResourceText, identityNamespace, isIdentityLease, leases, storageAgreements } from '@strata/api'
import type { Client } from '@strata/client'
import { deadline } from '@strata/world'
import { type Command, CommanderError, Option } from 'commander'
import { stringify } from 'yaml'
import { type ClusterFlags, connectCluster } from '../cluster-client.ts'
import type { CliContext } from '../context.ts'
import { collect } from '../duration.ts'
import { CliError, explain } from '../errors.ts'
import { describeFleet, type FleetStatus } from '../status/fleet-status.ts'
import { renderStatus } from '../status/render-status.ts'

interface Flags extends ClusterFlags {
  readonly output: 'table' | 'json' | 'yaml'
}

/** Not 1: a script that asks "do they agree?" must not take a mistyped flag for a no. */
const notSeen = 2

export function addStatus(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  program
    .command('status')
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CommanderError(notSeen, error.code, error.message)
    })
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
      const connection = await connectCluster(flags, context, 'strata-status').catch((error: unknown) => {
        throw unseen(error)
      })
      const limit = deadline(context.world.clock, 30_000, context.signal)
      try {
        const nowMs = context.world.clock.wallMs()
        const status = await observeFleet(connection.client, nowMs, limit.signal)
        context.print(print(status, flags.output, nowMs))
        done(status.agreed ? 0 : 1)
      } catch (error) {
        throw unseen(explain('could not see the agreement records', error, notSeen))
      } finally {
        limit.dispose()
        connection.close()
      }
    })
}

/**
 * Leases after records: a server that came in between is then seen as one that has not reported. What is served is asked
 * before both: a definition that came in between is then seen as one of which nobody has reported.
 */
async function observeFleet(client: Client, nowMs: number, signal: AbortSignal): Promise<FleetStatus> {
  const { resources, failures } = await client.discover(signal)
  const served = new Set(resources.map(groupResourceText))
  const records = await client.resource(storageAgreements, 'v1alpha1').list({}, signal)
  const found = await client.resource(leases, 'v1').list({ namespace: identityNamespace }, signal)
  const isAllSeen = failures.length === 0
  return describeFleet(
    records.items,
    found.items.filter(isIdentityLease),
    nowMs,
    isAllSeen ? served : undefined,
  )
}

function unseen(error: unknown): CliError {
  const message = error instanceof Error ? error.message : String(error)
  return new CliError(message, notSeen, { cause: error })
}

function print(status: FleetStatus, output: Flags['output'], nowMs: number): string {
  if (output === 'json') return JSON.stringify(status, undefined, 2)
  return output === 'yaml' ? stringify(status).trimEnd() : renderStatus(status, nowMs)
}
