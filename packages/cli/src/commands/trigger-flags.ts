import { type Command, InvalidArgumentError, Option } from 'commander'
import { durationOption, parseWhole } from '../duration.ts'

/** How the trigger of migrations looks and decides. */
export interface TriggerFlags {
  readonly pollPeriod: number
  readonly equalPolls: number
  readonly staleAfterPeriods: number
  readonly accept: 'proven' | 'observed-clean' | 'succeeded'
  readonly installCrds: boolean
  readonly reporterFor?: string
}

const count = (text: string): number => {
  const number = parseWhole(text)
  if (number < 1) throw new InvalidArgumentError('give a whole number, 1 or more.')
  return number
}

function parseServer(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('give the address of one server, e.g. https://127.0.0.1:6443.')
  }
  return text.replace(/\/+$/, '')
}

export function addTriggerFlags(command: Command): Command {
  return command
    .option(
      '--reporter-for <url>',
      'stand beside this one server, talk to no other, and report what it shows; for clusters whose servers do not publish what they write',
      parseServer,
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
      count,
      2,
    )
    .option(
      '--stale-after-periods <count>',
      'a heartbeat that is older than so many periods resets a StorageState to Unknown',
      count,
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
