import { type Command, Option } from 'commander'
import { parseServerUrl } from '../connection/server-url.ts'
import { durationOption, parseCount } from '../options/duration.ts'

/** How the trigger of migrations looks and decides. */
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
    .option(
      '--reporter-for <url>',
      'stand beside this one server, talk to no other, and report what it shows; for clusters whose servers do not publish what they write',
      parseServerUrl,
    )
    .addOption(
      durationOption(
        '--poll-period <duration>',
        'how often discovery is looked at where nothing can be watched',
        600_000,
        '10m',
      ),
    )
    .option(
      '--equal-polls <count>',
      'how many looks in a row must show the same before a migration starts',
      parseCount,
      2,
    )
    .option(
      '--stale-after-periods <count>',
      'a heartbeat that is older than so many periods resets a StorageState to Unknown',
      parseCount,
      2,
    )
    .addOption(
      new Option(
        '--accept <result>',
        'how sure a migration must be before persisted versions are forgotten; only servers that guard their writes can be proven right. With less than proven, storedVersions of definitions are pruned too, where a second pass found nothing (observed-clean), and never on less',
      )
        .choices(['proven', 'observed-clean', 'succeeded'])
        .default('proven'),
    )
    .option(
      '--install-crds',
      'make the kinds of migration.k8s.io, or the fields they lack, on clusters that do not have them',
      false,
    )
}
