import type { ReleaseTable } from '@strata/api/kubernetes-releases'
import { minorOf, releaseName } from '@strata/api/kubernetes-releases'
import type { ServerVersion } from '@strata/client'
import { CliError } from '../../output/errors.ts'
import { checkExits } from '../exits.ts'

/** The oldest release that the flag names; it must be in the table, because its storage versions are needed. */
export function readBornAt(table: ReleaseTable, bornAt: string | undefined): number | undefined {
  if (bornAt === undefined) return undefined
  const minor = minorOf(bornAt)
  if (minor !== undefined && isKnown(table, minor)) return minor
  throw new CliError(
    `--born-at ${bornAt}: give a release from ${releaseName(table.first)} to ${releaseName(table.last)}; leave it out if the cluster is older`,
    checkExits.usage,
  )
}

const isKnown = ({ first, last }: ReleaseTable, minor: number): boolean => first <= minor && minor <= last

/** Says what the table has instead; undefined if it has the release. */
export function unknownReleaseOf(table: ReleaseTable, release: string): string | undefined {
  const minor = minorOf(release)
  if (minor !== undefined && isKnown(table, minor)) return undefined
  return `${release} is not in the table of this strata, which knows Kubernetes ${releaseName(table.first)} to ${releaseName(table.last)}`
}

/** What is taken for granted, and what the servers say against it. */
export function assumptionsOf(
  { emulationMinor, minCompatibilityMinor }: ServerVersion,
  from: number | undefined,
): string[] {
  const isOther = (minor: string | undefined, usual: number): boolean =>
    from !== undefined && minor !== undefined && minor !== '' && Number(minor) !== usual
  return [
    'Every release runs with default feature gates, --runtime-config and emulation version.',
    ...(isOther(emulationMinor, from ?? 0)
      ? [`The servers emulate 1.${emulationMinor}: check what they store and serve.`]
      : []),
    ...(isOther(minCompatibilityMinor, (from ?? 0) - 1)
      ? [`The servers store what 1.${minCompatibilityMinor} can read (--min-compatibility-version).`]
      : []),
  ]
}
