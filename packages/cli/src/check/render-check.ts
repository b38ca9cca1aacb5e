import { groupResourceText, type ResourceVerdict, type UpgradeVerdict, versionNameOf } from '@strata/api'
import { CliError } from '../errors.ts'
import { formatTable } from '../output/table.ts'
import { checkExits } from './exits.ts'
import type { CheckAnswer } from './observe-upgrade.ts'

/** Only what was asked for, by its full name or by its plural; the worst of it decides. */
export function narrow(answer: CheckAnswer, names: readonly string[]): CheckAnswer {
  if (names.length === 0) return withUnseen(answer)
  const is = (each: ResourceVerdict, name: string): boolean =>
    groupResourceText(each) === name || each.resource === name
  const unknown = names.filter((name) => !answer.resources.some((each) => is(each, name)))
  if (unknown.length > 0) {
    throw new CliError(
      `nothing is known of ${unknown.join(', ')}: "strata check --all" lists what there is`,
      checkExits.notSeen,
    )
  }
  const resources = answer.resources.filter((each) => names.some((name) => is(each, name)))
  return withUnseen({ ...answer, resources, verdict: resources[0]?.verdict ?? 'CouldNotSee' })
}

/** Where something could not be looked at, all is well cannot be said. */
function withUnseen(answer: CheckAnswer): CheckAnswer {
  return answer.verdict === 'Safe' && answer.unseen.length > 0
    ? { ...answer, verdict: 'CouldNotSee' }
    : answer
}

const shown: Readonly<Record<UpgradeVerdict, string>> = {
  Safe: 'safe',
  Unsafe: 'UNSAFE',
  CouldNotSee: 'could not see',
}

export function renderCheck(answer: CheckAnswer, release: string, all: boolean): string {
  const rows = all ? answer.resources : answer.resources.filter(({ verdict }) => verdict !== 'Safe')
  const table =
    rows.length === 0
      ? ''
      : formatTable(
          ['RESOURCE', 'VERDICT', 'STORED', 'READABLE', 'WHY'],
          rows.map((each) => [
            groupResourceText(each),
            shown[each.verdict],
            versions(each.persistedVersions),
            versions(each.decodableVersions),
            withFlags(each.message),
          ]),
        )
  const unseen = answer.unseen.map((each) => `Not seen: ${each}`).join('\n')
  return [table, unseen, summary(answer, release)].filter((part) => part !== '').join('\n\n')
}

/** The server speaks of the fields of an UpgradeReview; here they are flags. */
function withFlags(message: string): string {
  return message.replace('name it in decodableVersions', 'tell it with --decodable or --resources')
}

function summary({ verdict, resources, how }: CheckAnswer, release: string): string {
  const count = (wanted: UpgradeVerdict): number =>
    resources.filter((each: ResourceVerdict) => each.verdict === wanted).length
  const where = how === 'hints' ? ' (by what the cluster says of itself; no server was asked to look)' : ''
  switch (verdict) {
    case 'Safe':
      return `Safe: ${release} can read all that is stored, ${count('Safe')} resources${where}.`
    case 'Unsafe':
      return `UNSAFE: ${release} cannot read what may be stored of ${count('Unsafe')} of ${resources.length} resources${where}. Migrate first ("strata migrate"), or take a release that reads all of it.`
    case 'CouldNotSee':
      return `Could not see whether ${release} can read ${count('CouldNotSee')} of ${resources.length} resources${where}. That is no yes.`
  }
}

function versions(apiVersions: readonly string[] | undefined): string {
  if (!apiVersions) return '-'
  return apiVersions.length === 0 ? 'nothing' : apiVersions.map(versionNameOf).join(', ')
}
