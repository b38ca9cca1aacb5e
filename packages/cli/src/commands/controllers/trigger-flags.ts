import { type Command, Option } from 'commander'
import { parseServerUrl } from '../../connection/server-url.ts'
import { durationOption, parseCount } from '../../options/duration.ts'

/** How the migration trigger polls and decides. */
export interface TriggerFlags {
  readonly pollPeriod: number
  readonly equalPolls: number
  readonly staleAfterPeriods: number
  readonly accept: 'proven' | 'observed-clean' | 'succeeded'
  readonly installCrds: boolean
  readonly reporterFor?: string
}

export function addTriggerFlags(command: Command): Command {
  return command
    .optionsGroup('Trigger:')
    .option(
      '--reporter-for <url>',
      'report what this one server writes, and connect to no other; run one per server, on clusters whose servers do not publish their storage versions',
      parseServerUrl,
    )
    .addOption(
      durationOption(
        '--poll-period <duration>',
        'how often discovery is polled, where storage versions cannot be watched',
        600_000,
        '10m',
      ),
    )
    .option(
      '--equal-polls <count>',
      'how many polls in a row must be equal before a migration starts',
      parseCount,
      2,
    )
    .option(
      '--stale-after-periods <count>',
      'reset a StorageState to Unknown when its heartbeat is older than so many poll periods',
      parseCount,
      2,
    )
    .addOption(
      new Option(
        '--accept <result>',
        'weakest migration result that lets old versions be forgotten (see below)',
      )
        .choices(['proven', 'observed-clean', 'succeeded'])
        .default('proven'),
    )
    .option('--install-crds', 'create the CRDs of migration.k8s.io, or add the fields they lack', false)
}
