import type { UpgradeVerdict } from '@strata/api'
import type { ReleaseTable } from '@strata/api/kubernetes-releases'
import { releaseName, stepsBetween } from '@strata/api/kubernetes-releases'
import type { PathQuestion, PathVerdict } from './decide-path.ts'
import type { BuiltInResource } from './stored-before.ts'

/** One minor release on the way. */
export interface PathStep {
  readonly release: string
  /** The tag of the Kubernetes repository that the facts come from. */
  readonly tag?: string
  readonly verdict: UpgradeVerdict
  /** Whether the release that the cluster runs today can read what this one, and those before it, write. */
  readonly canComeBack: boolean
  /** Versions that clients can use today, and from this step on no more. */
  readonly notServed: readonly NotServed[]
}

export interface NotServed {
  readonly name: string
  readonly apiVersion: string
  /** Flags could bring it back. */
  readonly isOptional: boolean
}

/** A resource whose objects the release of today cannot read once a later one has written them. */
export interface NoReturn {
  readonly name: string
  /** The first step after which there is no way back. */
  readonly step: string
  readonly written: string
  /** The release on the way back that does not read it. */
  readonly unreadableAt: string
}

export interface ReturnDecision {
  readonly noReturns: readonly NoReturn[]
  /** Resources that only releases on the way have: after a return their objects stay in the store, unseen. */
  readonly leftBehind: readonly string[]
}

/** What each release on the way writes must be readable by all before it, down to the one of today. */
export function decideReturn(
  table: ReleaseTable,
  resources: readonly BuiltInResource[],
  { from, to }: PathQuestion,
): ReturnDecision {
  const steps = stepsBetween(from, to)
  const noReturns = resources.flatMap(({ name }): NoReturn[] => {
    for (const [index, minor] of steps.entries()) {
      const written = table.factsOf(name, minor)?.stored
      const back = [from, ...steps.slice(0, index)].reverse()
      const unreadable = back.find((each) => {
        const facts = table.factsOf(name, each)
        return facts !== undefined && written !== undefined && !facts.decodable.includes(written)
      })
      if (written !== undefined && unreadable !== undefined) {
        return [{ name, step: releaseName(minor), written, unreadableAt: releaseName(unreadable) }]
      }
    }
    return []
  })
  const leftBehind = table.names.filter((name) => {
    const isServed = steps.some((minor) => (table.factsOf(name, minor)?.served.length ?? 0) > 0)
    return isServed && table.factsOf(name, from) === undefined
  })
  return { noReturns, leftBehind }
}

/** The steps, each with what changes there. */
export function describeSteps(
  table: ReleaseTable,
  served: ReadonlyArray<{ readonly name: string; readonly apiVersion: string }>,
  verdicts: readonly PathVerdict[],
  { noReturns }: ReturnDecision,
  { from, to }: PathQuestion,
): PathStep[] {
  const steps = stepsBetween(from, to)
  const isGone = ({ name, apiVersion }: { name: string; apiVersion: string }, minor: number): boolean => {
    const now = table.factsOf(name, from)
    const then = table.factsOf(name, minor)
    if (!now || then?.served.includes(apiVersion)) return false
    return now.served.includes(apiVersion) || !then?.optional.includes(apiVersion)
  }
  return steps.map((minor, index) => {
    const release = releaseName(minor)
    const passed = steps.slice(0, index).map(releaseName)
    const tag = table.tagOf(minor)
    const own = verdicts.filter(({ step }) => step === release).map(({ verdict }) => verdict)
    return {
      release,
      ...(tag === undefined ? {} : { tag }),
      verdict: own.includes('Unsafe') ? 'Unsafe' : own.includes('CouldNotSee') ? 'CouldNotSee' : 'Safe',
      canComeBack: !noReturns.some(({ step }) => [...passed, release].includes(step)),
      notServed: served
        .filter(
          (each) => isGone(each, minor) && !steps.slice(0, index).some((before) => isGone(each, before)),
        )
        .map((each) => ({
          ...each,
          isOptional: table.factsOf(each.name, minor)?.optional.includes(each.apiVersion) ?? false,
        })),
    }
  })
}
