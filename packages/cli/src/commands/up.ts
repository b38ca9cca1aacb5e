import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import type { FleetOptions } from '../fleet/run-fleet.ts'
import { collect, parsePort, parseWhole } from '../options/duration.ts'
import { parseEtcdServers } from '../options/etcd-servers.ts'
import { addApiFlags } from './api-flags.ts'
import { addCoordinationFlags } from './coordination-flags.ts'
import { addEncryptionFlags } from './encryption-flags.ts'
import { addUndecodableFlag } from './undecodable-flag.ts'

export function addUp(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('up')
    .description('Run a local highly available fleet: several servers over one store, and the controllers.')
    .option('--servers <count>', 'how many API servers', parseWhole, 3)
    .option('--data-dir <directory>', 'store, credentials, kubeconfig and logs', '.strata/local')
    .option(
      '--port <port>',
      'of the first server; the others follow (a port that is taken is skipped)',
      parsePort,
      6443,
    )
    .option('--release <name>', 'play an older or newer release of the kinds')
    .option('--resources <module>', 'a module that exports kinds of your own; may be repeated', collect, [])
    .option(
      '--expected-servers <count>',
      'agreement needs at least this many servers; 0 makes no claim',
      parseWhole,
      0,
    )
    .option(
      '--webhook-service <mapping>',
      'where a service of webhooks is: namespace/name=https://host:port; may be repeated',
      collect,
      [],
    )
    .option('--etcd-servers <urls>', 'use etcd instead of the embedded store', parseEtcdServers)
  addUndecodableFlag(addApiFlags(addCoordinationFlags(addEncryptionFlags(command))))
    .addHelpText(
      'after',
      `
Exit codes: 0 when it was told to stop, 2 if an option, or a file that it names, is wrong, 1 if it cannot go on.

Examples:
  $ strata up
  $ strata up --servers 5 --data-dir /tmp/fleet
  $ strata up --encryption-provider-config keys.yaml --encryption-provider-config-automatic-reload
  $ strata up --resources examples/lighthouse/resources.ts --release x+1`,
    )
    .action(async (flags: FleetOptions) => {
      const { runFleet } = await import('../fleet/run-fleet.ts')
      done(await runFleet(flags, context))
    })
}
