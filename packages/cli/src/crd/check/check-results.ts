import type { FieldPath } from '@strata/insight'
import type { Result } from '../../output/report.ts'
import type { CrdStep } from '../plan/crd-plan.ts'
import { stepText } from '../plan/step-text.ts'
import type { BrokenRollback, CrdCheck, ForetoldRefusal, FoundChange } from './foretold-crd.ts'

export interface CheckRules {
  /** A release may move on for good: a broken rollback is a note. */
  readonly mayBreakRollback: boolean
  /** Warnings fail too. */
  readonly isStrict: boolean
}

export interface CheckedRelease {
  /** The name of the new release. */
  readonly name: string
  /** The first path of the new release, for findings that no file of it has. */
  readonly path: string
  /** The line of a field in the manifest of a CRD. */
  readonly lineOf: (crdName: string, at: FieldPath) => number
}

/** One result for each finding, and one for each CRD without any. */
export function checkResults(check: CrdCheck, release: CheckedRelease, rules: CheckRules): readonly Result[] {
  const { name, place } = check
  const at = (path: FieldPath) =>
    place ? { file: place.file, line: release.lineOf(name, path) } : { file: release.path }
  const warning = rules.isStrict ? 'failed' : 'warning'
  const found: Result[] = [
    ...newRefusal(check).map((message) => ({
      ...({ level: 'failed', rule: 'refused-when-new', subject: name, message, ...at(['spec']) } as const),
    })),
    ...check.refusals.map((each) => ({
      ...({ level: 'failed', rule: 'refused', subject: name, ...at(each.at) } as const),
      ...refusalTexts(each, release),
    })),
    ...check.rollbacks.map((each) => ({
      level: rules.mayBreakRollback ? ('note' as const) : ('failed' as const),
      ...{ rule: 'breaks-rollback', subject: name, ...at(each.at) },
      ...rollbackTexts(each, release),
    })),
    ...check.changes.map((each) => ({
      ...({
        level: warning,
        rule: each.kind,
        subject: name,
        message: changeText(each),
        ...at(each.at),
      } as const),
    })),
    ...check.unknownFields.map((field) => ({
      ...({ level: warning, rule: 'unknown-field', subject: name, ...at(field.split('.')) } as const),
      message: `${field}: no API server knows this field; kubectl refuses the file for it, other clients drop it`,
    })),
    ...check.goneVersions.map(({ version, since, isUnserved }) => ({
      ...({ level: 'note', rule: 'version-not-served', subject: name, ...at(['spec', 'versions']) } as const),
      message: `clients of ${version} get 404: ${since.join(', ')} served it, and it is ${isUnserved ? 'not served any more' : 'gone'}`,
    })),
    ...check.maybeStored.map(({ version, release: oldest }) => ({
      ...({ level: 'note', rule: 'maybe-stored', subject: name, ...at(['spec', 'versions']) } as const),
      message: `${version} is in the files of ${oldest}, and not in the new ones: a cluster that is older than ${oldest} may have stored it; give its release too`,
    })),
    ...check.earlier.map(({ path, release: to, refusal }) => ({
      ...({ level: 'note', rule: 'earlier-refusal', subject: name, ...at(['spec', 'versions']) } as const),
      message: `already ${to} was refused by clusters ${path}: ${refusal}`,
    })),
  ]
  if (check.verdict === 'removed') {
    const message = `${release.name} does not have this CRD: a tool that removes what is gone (Helm, Argo CD, Flux with prune) would delete it with all of its objects`
    found.push({ level: 'note', rule: 'removed', subject: name, message, ...at([]) })
  }
  if (found.length > 0) return found
  const message = check.verdict === 'new' ? 'new in this release' : 'goes in, and comes back'
  return [{ level: 'passed', rule: 'ok', subject: name, message, ...at([]) }]
}

function newRefusal({ refusedNew }: CrdCheck): string[] {
  return refusedNew === undefined ? [] : [`a cluster that does not have the CRD refuses it: ${refusedNew}`]
}

function refusalTexts(
  { path, storedVersions, refusal, steps, missing, gone }: ForetoldRefusal,
  release: CheckedRelease,
): Pick<Result, 'message' | 'fix'> {
  const message = `clusters ${path} (stored versions ${storedVersions.join(', ')}) refuse ${release.name}: ${refusal}`
  const ways = [
    ...(gone.length === 0
      ? []
      : [`keep ${gone.join(' and ')} in spec.versions of the file (served: false is enough)`]),
    ...(steps.length === 0
      ? missing
      : [`on each cluster ("strata crd upgrade" does it): ${textOf(steps, 'new')}`]),
  ]
  return { message, fix: ways.join('; or ') }
}

function rollbackTexts(
  { release: to, path, refusal, ...broken }: BrokenRollback,
  { name }: CheckedRelease,
): Pick<Result, 'message' | 'fix'> {
  const message = `clusters ${path} cannot go back from ${name} to ${to}: ${refusal}`
  return { message, fix: rollbackFix(broken) }
}

export function rollbackFix({ steps, isNewStorage }: Pick<BrokenRollback, 'steps' | 'isNewStorage'>): string {
  const back =
    steps.length === 0 ? 'no steps lead back' : `on each cluster, to go back: ${textOf(steps, 'old')}`
  const early = 'store the new version only in a release after the one that adds it'
  return isNewStorage ? `${early}; or, ${back}` : back
}

const textOf = (steps: readonly CrdStep[], file: 'new' | 'old'): string =>
  steps.map((step) => stepText(step, file)).join('; ')

export function changeText({ path, versions, message, effect, since }: FoundChange): string {
  const result =
    effect === 'pruned' ? 'stored objects lose what they have there' : 'stored objects may be invalid'
  return `${path} in ${versions.join(', ')}: ${message} (compared with ${since.join(', ')}); ${result}`
}
