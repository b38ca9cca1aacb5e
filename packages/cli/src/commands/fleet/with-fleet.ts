import { type Command, CommanderError, Option } from 'commander'
import type { CliContext } from '../../context.ts'
import type { FleetControl } from '../../fleet/control/control-client.ts'
import { defaultDataDir } from '../../fleet/fleet-options.ts'
import { exitCodes } from '../../output/exit-codes.ts'
import { type OutputFlags, outputForms } from '../../output/print-report.ts'

export interface ControlFlags extends OutputFlags {
  readonly dataDir: string
}

/** The flags of commands that control a running `strata up`. */
export function addControlOptions(command: Command): Command {
  return command
    .option('--data-dir <directory>', 'data directory of the running fleet', defaultDataDir)
    .addOption(new Option('-o, --output <form>', 'output format').choices(outputForms).default('table'))
    .exitOverride((error) => {
      throw error.exitCode === 0 ? error : new CommanderError(exitCodes.usage, error.code, error.message)
    })
}

/** Calls with a connection to the fleet, and closes it. */
export async function withFleet<T>(
  { dataDir }: ControlFlags,
  context: CliContext,
  act: (control: FleetControl) => Promise<T>,
): Promise<T> {
  const { connectFleet } = await import('../../fleet/control/control-client.ts')
  const control = await connectFleet(dataDir, context.signal)
  try {
    return await act(control)
  } finally {
    control.close()
  }
}
