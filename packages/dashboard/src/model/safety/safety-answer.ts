import {
  type ExplainedVerdict,
  groupResourceText,
  type Lease,
  type StorageAgreement,
  type UpgradeReview,
  type UpgradeVerdict,
  upgradeAdvice,
  upgradeCommands,
  versionNameOf,
} from '@strata/api'
import { counted, declaredByFleet, releasesInOrder } from '@strata/insight'

/** The verdict on one resource. */
export interface SafetyRow {
  readonly resource: string
  readonly verdict: UpgradeVerdict
  readonly message: string
  /** Versions that may be stored. */
  readonly stored: readonly string[]
  readonly readable: readonly string[] | undefined
  /** What mends it. */
  readonly advice: string | undefined
  /** Those that are part of that. */
  readonly commands: readonly string[]
}

export interface SafetyAnswer {
  readonly release: string
  readonly verdict: UpgradeVerdict
  readonly sentence: string
  /** Unsafe first, then what could not be seen. */
  readonly attention: readonly SafetyRow[]
  readonly safe: readonly SafetyRow[]
}

export function explainReview(
  release: string,
  { verdict, resources }: NonNullable<UpgradeReview['status']>,
): SafetyAnswer {
  const rows = resources.map(rowOf)
  return {
    ...{ release, verdict, sentence: sentenceOf(release, verdict, rows) },
    attention: rows.filter((each) => each.verdict !== 'Safe'),
    safe: rows.filter((each) => each.verdict === 'Safe'),
  }
}

function rowOf(each: ExplainedVerdict): SafetyRow {
  const advice = each.verdict === 'Unsafe' ? (each.advice ?? upgradeAdvice(each)) : undefined
  return {
    ...{ resource: groupResourceText(each), verdict: each.verdict, message: each.message, advice },
    stored: (each.persistedVersions ?? []).map(versionNameOf),
    readable: each.decodableVersions?.map(versionNameOf),
    commands: each.verdict === 'Unsafe' ? upgradeCommands(each) : [],
  }
}

function sentenceOf(release: string, verdict: UpgradeVerdict, rows: readonly SafetyRow[]): string {
  const count = rows.filter((each) => each.verdict === verdict).length
  const all = counted(rows.length, 'resource')
  switch (verdict) {
    case 'Safe':
      return `Safe: ${release} can read everything that is stored.`
    case 'Unsafe':
      return `Unsafe: ${count} of ${all} may have objects that ${release} cannot read.`
    case 'CouldNotSee':
      return `Unknown whether ${release} can read ${count} of ${all}. Do not take this for safe.`
  }
}

/** What a release reads that the server does not know, if servers of the fleet run it; undefined if none does. */
export function declaredQuestion(
  release: string,
  identities: readonly Lease[],
  records: readonly StorageAgreement[],
): UpgradeReview['spec'] | undefined {
  const declared = declaredByFleet(release, identities, records)
  if (declared.length === 0) return undefined
  const byName = new Map(declared.map((each) => [groupResourceText(each), each]))
  // A resource that is not named would not be checked, and must not count as safe.
  return {
    resources: records.map(({ spec: { group, resource } }) => {
      return byName.get(groupResourceText({ group, resource })) ?? { group, resource }
    }),
  }
}

/** Releases to ask about: those of the playground, else those that servers run. */
export function releasesToAsk(
  known: readonly string[],
  running: readonly (string | undefined)[],
): readonly string[] {
  return known.length > 0 ? known : releasesInOrder(running)
}
