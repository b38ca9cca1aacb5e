import {
  groupResourceText,
  type ResourceVerdict,
  type UpgradeVerdict,
  upgradeAdvice,
  versionNameOf,
} from '@strata/api'
import { counted, groupByText } from '@strata/insight'
import { CliError } from '../output/errors.ts'
import { type Level, type Report, type Result, textSections } from '../output/report.ts'
import { checkExits } from './exits.ts'
import type { CheckAnswer } from './observe-upgrade.ts'
import { pathSections, returnSections } from './render-path.ts'

/** The named resources only, by full name or plural; the worst verdict decides. */
export function narrow(answer: CheckAnswer, names: readonly string[]): CheckAnswer {
  if (names.length === 0) return withUnseen(answer)
  const is = (each: ResourceVerdict, name: string): boolean =>
    groupResourceText(each) === name || each.resource === name
  const unknown = names.filter((name) => !answer.resources.some((each) => is(each, name)))
  const elsewhere = unknown.filter((name) => isNotCovered(answer, name))
  if (elsewhere.length > 0) {
    throw new CliError(
      `not checked: ${elsewhere.join(', ')}. Aggregated servers store that, and an upgrade of this fleet does not change what they read; before you upgrade them, run "strata check" with a kubeconfig for their own servers`,
      checkExits.notSeen,
    )
  }
  if (unknown.length > 0) {
    throw new CliError(
      `no such resource: ${unknown.join(', ')}; "strata check --to RELEASE --all" lists all of them`,
      checkExits.notSeen,
    )
  }
  const resources = answer.resources.filter((each) => names.some((name) => is(each, name)))
  return withUnseen({ ...answer, resources, verdict: resources[0]?.verdict ?? 'CouldNotSee' })
}

/** By its full name, its plural, or in a version whose servers do not answer. */
function isNotCovered({ notCovered = [] }: CheckAnswer, name: string): boolean {
  return notCovered.some((each) => {
    const [group = ''] = each.includes('/') ? each.split('/') : []
    return each === name || each.startsWith(`${name}.`) || (group !== '' && name.endsWith(`.${group}`))
  })
}

/** Never Safe if something could not be read. */
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

export interface CheckForm {
  /** A row for every resource, also for those that are safe. */
  readonly all: boolean
  /** Whether the answer is about the named resources only. */
  readonly isNarrowed: boolean
}

export function reportCheck(answer: CheckAnswer, release: string, { all, isNarrowed }: CheckForm): Report {
  const isFolded = ({ verdict }: ResourceVerdict): boolean =>
    verdict === 'CouldNotSee' && answer.how !== 'UpgradeReview' && !all && !isNarrowed
  const rows =
    all || isNarrowed ? answer.resources : answer.resources.filter(({ verdict }) => verdict !== 'Safe')
  const tableOf = (resources: CheckAnswer['resources']) => ({
    columns: ['RESOURCE', 'VERDICT', 'STORED', 'READABLE', 'WHY'],
    rows: resources.map((each) => [
      groupResourceText(each),
      shown[each.verdict],
      versions(each.group, each.persistedVersions),
      versions(each.group, each.decodableVersions),
      withFlags(each.message, groupResourceText(each), release),
    ]),
  })
  const table = tableOf(rows.filter((each) => !isFolded(each)))
  const folded = tableOf(rows.filter(isFolded))
  const unseen = answer.unseen.map((each) => `Not seen: ${each}`).join('\n')
  const { notCovered = [] } = answer
  const elsewhere =
    notCovered.length === 0 || isNarrowed
      ? ''
      : `Not checked, because aggregated servers store them: ${notCovered.join(', ')}`
  return {
    command: 'check',
    sections: [
      ...(answer.kubernetes ? pathSections(answer.kubernetes) : []),
      ...(table.rows.length === 0 ? [] : [{ table }]),
      ...(folded.rows.length === 0 ? [] : [{ table: folded, isDetail: true }]),
      ...textSections(
        unseen,
        foldedText(answer.resources.filter(isFolded)),
        elsewhere,
        summary(answer, release, isNarrowed),
      ),
      ...(answer.kubernetes && !isNarrowed ? returnSections(answer.kubernetes) : []),
    ],
    overview: table,
    results: [
      ...answer.resources.map((each) => resultOf(each, release)),
      ...answer.unseen.map((message) => ({
        ...{ level: 'unknown' as const, rule: 'not seen', subject: release, message },
      })),
    ],
    document: { release, ...answer },
  }
}

/** A line for each reason, in place of a row for each resource. */
function foldedText(resources: readonly ResourceVerdict[]): string {
  const texts = resources.map((each) => {
    const resource = groupResourceText(each)
    return { resource, text: each.message.replaceAll(resource, 'RESOURCE') }
  })
  return groupByText(texts)
    .map((each) => `Could not see (-v lists all): ${each}`)
    .join('\n')
}

const levelOf: Readonly<Record<UpgradeVerdict, Level>> = {
  Safe: 'passed',
  Unsafe: 'failed',
  CouldNotSee: 'unknown',
}

function resultOf(each: CheckAnswer['resources'][number], release: string): Result {
  const subject = groupResourceText(each)
  return {
    ...{ level: levelOf[each.verdict], rule: shown[each.verdict].toLowerCase(), subject },
    message: withFlags(each.message, subject, release),
    ...(each.verdict === 'Unsafe' ? { fix: each.advice ?? upgradeAdvice(each) } : {}),
  }
}

/** Replaces the fields of an UpgradeReview in a message with the flags of the command. */
function withFlags(message: string, name: string, release: string): string {
  const give = `no server of ${release} is part of the fleet; give --decodable ${name}=… with what ${release} reads, or --resources with its kinds`
  return message.replace('name it in decodableVersions', give)
}

/** How far the answer can be trusted. */
const wheres: Readonly<Record<CheckAnswer['how'], string>> = {
  UpgradeReview: '',
  hints: ' (by hints of the cluster; no server read the store)',
  releases: ' (by the releases that the cluster has been at; no server read the store)',
}

function summary(
  { verdict, resources, how, notCovered = [] }: CheckAnswer,
  release: string,
  isNarrowed: boolean,
): string {
  const count = (wanted: UpgradeVerdict): number =>
    resources.filter((each: ResourceVerdict) => each.verdict === wanted).length
  const where = wheres[how]
  const named = isNarrowed ? ' named' : ''
  const all = `${counted(resources.length, 'resource')}${named}`
  switch (verdict) {
    case 'Safe':
      return isNarrowed
        ? `Safe: ${release} can read everything that is stored of the named resources: ${resources.length}${where}. Other resources were not checked.`
        : `Safe: ${release} can read everything that ${notCovered.length === 0 ? 'is stored' : 'this fleet stores'}, ${all}${where}.`
    case 'Unsafe': {
      const advices = resources
        .filter((each) => each.verdict === 'Unsafe')
        .map((each) => ({ resource: groupResourceText(each), text: each.advice ?? upgradeAdvice(each) }))
      return [
        `UNSAFE: ${count('Unsafe')} of ${all} may have objects that ${release} cannot read${where}.`,
        ...groupByText(advices).map((each) => `  ${each}.`),
        '  Or choose a release that reads everything that is stored.',
      ].join('\n')
    }
    case 'CouldNotSee':
      return `Could not see whether ${release} can read ${count('CouldNotSee')} of ${all}${where}. Do not take this for safe.`
  }
}

/** Versions of another group in full: events are read as v1 and as events.k8s.io/v1. */
function versions(group: string, apiVersions: readonly string[] | undefined): string {
  if (!apiVersions) return '-'
  if (apiVersions.length === 0) return 'nothing'
  const names = apiVersions.map((each) => (each.startsWith(`${group}/`) ? versionNameOf(each) : each))
  return [...new Set(names)].join(', ')
}
