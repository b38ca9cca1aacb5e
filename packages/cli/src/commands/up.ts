import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { defaultDashboardPort } from '../dashboard/default-port.ts'
import { defaultDataDir, type FleetOptions } from '../fleet/fleet-options.ts'
import { parseCount, parsePort } from '../options/duration.ts'
import { addFlags, flag, group, switchFlag } from '../options/flag.ts'
import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { apiHelp, serveFlags, sharedFlags } from './serve-flags.ts'

/** Every flag of `strata up`: its own, and those of its servers. */
export const upFlags = {
  ...group('Fleet:', {
    servers: flag('--servers <count>', 'how many API servers', parseCount, 3),
    dataDir: flag(
      '--data-dir <directory>',
      'embedded store, credentials, kubeconfig and logs',
      (text) => text,
      defaultDataDir,
    ),
    port: flag(
      '--port <port>',
      'port of the first server; the others take the next free ones. If you give a port that is in use, the fleet does not start',
      parsePort,
      serveFlags.securePort.initial,
    ),
    fresh: switchFlag(
      '--fresh',
      'start over: delete what is stored in the data directory, and its credentials; asks first if anything is stored',
    ),
    yes: switchFlag('--yes', 'with --fresh: do not ask; needed without a terminal'),
    identityLeaseDurationSeconds: flag<number | undefined>(
      '--identity-lease-duration-seconds <seconds>',
      'how long a server may be silent before the others remove its entries (default: 15; 60 with --storage-version-guarantee loose; "strata serve" has an hour)',
      parseCount,
      undefined,
    ),
    identityLeaseRenewIntervalSeconds: flag<number | undefined>(
      '--identity-lease-renew-interval-seconds <seconds>',
      'how often a server says that it is there (default: a fifth of that)',
      parseCount,
      undefined,
    ),
  }),
  ...sharedFlags,
  ...group('Dashboard:', {
    dashboard: switchFlag(
      '--no-dashboard',
      'serve no dashboard: neither the one that signs in with a link and controls the fleet, nor the page of the servers',
    ),
    dashboardPort: flag(
      '--dashboard-port <port>',
      'port of the dashboard on 127.0.0.1; 0 takes a free one. If you give a port that is in use, the fleet does not start',
      parsePort,
      defaultDashboardPort,
      `${defaultDashboardPort}, or the next free one`,
    ),
  }),
}

export function addUp(program: Command, context: CliContext, done: (exitCode: number) => void): void {
  const command = program
    .command('up')
    .description('Run a local, highly available fleet: several servers over one store, and the controllers.')
  addFlags(command, upFlags)
    .addHelpText(
      'after',
      `${apiHelp('fleet')}

Examples:
  $ strata up
  $ strata up --servers 5 --data-dir /tmp/fleet
  $ strata up --servers 5 --etcd-servers http://127.0.0.1:2379
  $ strata up --fresh
  $ strata up --fresh --yes
  $ strata up --dashboard-port 8080
  $ strata up --encryption-provider-config keys.yaml --encryption-provider-config-automatic-reload
  $ strata up --resources examples/lighthouse/resources.ts --release x+1`,
    )
    .action(async (flags: Omit<FleetOptions, 'isPortGiven' | 'isDashboardPortGiven'>) => {
      const isGiven = (name: keyof typeof upFlags): boolean => command.getOptionValueSource(name) === 'cli'
      const isDashboardPortGiven = isGiven('dashboardPort')
      if (isDashboardPortGiven && !flags.dashboard)
        throw new CliError(
          '--dashboard-port has no meaning with --no-dashboard: leave out one of them',
          exitCodes.usage,
        )
      const { runFleet } = await import('../fleet/run-fleet.ts')
      done(await runFleet({ ...flags, isPortGiven: isGiven('port'), isDashboardPortGiven }, context))
    })
}
