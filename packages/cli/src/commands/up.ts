import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import type { FleetOptions } from '../fleet/run-fleet.ts'
import { parseCount, parsePort } from '../options/duration.ts'
import { addFlags, flag, group } from '../options/flag.ts'
import { apiHelp, serveFlags, sharedFlags } from './serve-flags.ts'

/** Every flag of `strata up`: its own, and those of its servers. */
export const upFlags = {
  ...group('Fleet:', {
    servers: flag('--servers <count>', 'how many API servers', parseCount, 3),
    dataDir: flag(
      '--data-dir <directory>',
      'embedded store, credentials, kubeconfig and logs',
      (text) => text,
      '.strata/local',
    ),
    port: flag(
      '--port <port>',
      'port of the first server; the others take the next free ones. If you give a port that is in use, the fleet does not start',
      parsePort,
      serveFlags.securePort.initial,
    ),
  }),
  ...sharedFlags,
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
  $ strata up --encryption-provider-config keys.yaml --encryption-provider-config-automatic-reload
  $ strata up --resources examples/lighthouse/resources.ts --release x+1`,
    )
    .action(async (flags: Omit<FleetOptions, 'isPortGiven'>) => {
      const { runFleet } = await import('../fleet/run-fleet.ts')
      const isPortGiven = command.getOptionValueSource('port') === 'cli'
      done(await runFleet({ ...flags, isPortGiven }, context))
    })
}
