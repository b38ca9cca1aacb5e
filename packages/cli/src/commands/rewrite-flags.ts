import type { Command } from 'commander'
import { durationOption } from '../options/duration.ts'
import { addClusterOptions, addServerOptions } from './cluster-options.ts'
import { addPaceOptions, type PaceFlags } from './pace-flags.ts'

/** Which resources are rewritten, or would be. */
export interface RewriteFlags extends PaceFlags {
  readonly all: boolean
  readonly includeCurrent: boolean
  readonly agreementTimeout: number
}

/** What `migrate` and `plan` have in common: a plan is made with the flags that the migration will have. */
export function addRewriteOptions(command: Command, allHelp: string): Command {
  command
    .argument(
      '[resource...]',
      'resources, by any name that kubectl accepts, e.g. lamps.light.example.dev secrets',
    )
    .option('-A, --all', allHelp, false)
    .option('--include-current', 'with --all: also CRDs that list no other stored version', false)
  addPaceOptions(addServerOptions(addClusterOptions(command)))
  return command.addOption(
    durationOption(
      '--agreement-timeout <duration>',
      'how long to wait until the servers agree',
      30_000,
      '30s',
    ),
  )
}
