import { type ExplainedVerdict, migrateCommand, type UpgradeReason, type UpgradeVerdict } from '@strata/api'
import type { ReleaseTable } from '@strata/api/kubernetes-releases'
import { releaseName, stepsBetween } from '@strata/api/kubernetes-releases'
import { type BuiltInResource, type StoredBefore, storedBefore } from './stored-before.ts'

/** Minor releases of Kubernetes. */
export interface PathQuestion {
  /** What the cluster runs. */
  readonly from: number
  readonly to: number
  /** The oldest release that wrote an object which is still stored as it was written. */
  readonly bornAt?: number | undefined
}

export interface PathVerdict extends ExplainedVerdict {
  /** The first step at which the verdict holds. */
  readonly step?: string
}

/**
 * Whether a cluster can take each step of the way: what may be stored before the way, and what the releases on it store, must
 * be readable at every step.
 */
export function decidePath(
  table: ReleaseTable,
  resources: readonly BuiltInResource[],
  question: PathQuestion,
): readonly PathVerdict[] {
  return resources.map((each) => decideOne(table, each, question))
}

interface Judged {
  readonly verdict: UpgradeVerdict
  readonly reason: UpgradeReason
  readonly message: string
  readonly missing: readonly string[]
  readonly advice?: string
}

function decideOne(table: ReleaseTable, resource: BuiltInResource, question: PathQuestion): PathVerdict {
  const { name, group, resource: plural } = resource
  const before = storedBefore(table, resource, question)
  const target = table.factsOf(name, question.to)
  const described = {
    ...{ group, resource: plural },
    persistedVersions: before.written,
    ...(target ? { decodableVersions: target.decodable } : {}),
  }
  let known = before
  let unknown: (Judged & { readonly step: string }) | undefined
  for (const minor of stepsBetween(question.from, question.to)) {
    const step = releaseName(minor)
    const judged = judgeStep(table, resource, known, { ...question, minor })
    if (judged?.verdict === 'Unsafe') return { ...described, ...judged, step }
    if (judged) unknown ??= { ...judged, step }
    known = add(known, table.factsOf(name, minor)?.stored)
  }
  if (unknown) return { ...described, ...unknown }
  const last = releaseName(question.to)
  return {
    ...{ ...described, verdict: 'Safe', missing: [] },
    ...(resource.isEmpty
      ? { reason: 'NothingStored', message: `it has no objects, and ${last} reads what is written now` }
      : {
          reason: 'AllDecodable',
          message: `${last} reads ${known.possible.join(', ')}; nothing else can be stored`,
        }),
  }
}

const add = ({ written, possible }: StoredBefore, version: string | undefined): StoredBefore =>
  version === undefined
    ? { written, possible }
    : { written: [...new Set([...written, version])], possible: [...new Set([...possible, version])] }

/** Undefined if the step can be taken. */
function judgeStep(
  table: ReleaseTable,
  resource: BuiltInResource,
  { written, possible }: StoredBefore,
  question: PathQuestion & { readonly minor: number },
): Judged | undefined {
  const { name, isEmpty } = resource
  const step = releaseName(question.minor)
  const facts = table.factsOf(name, question.minor)
  if (!facts) {
    if (isEmpty) return undefined
    const message = `${step} does not have the resource: objects stay in the store, and no request reaches them`
    const advice = `save its objects and delete them before ${step}, or replace them by what ${step} has`
    return { verdict: 'Unsafe', reason: 'NotInTarget', message, missing: written, advice }
  }
  const isLost = (version: string): boolean => !facts.decodable.includes(version)
  const reads = `${step} reads only ${facts.decodable.join(', ')}`
  const lost = written.filter(isLost)
  if (lost.length > 0) {
    const versions = lost.map((each) => historyText(table, name, each)).join(', ')
    const message = `${isEmpty ? 'it has no objects now, but new ones' : 'stored objects'} may be in ${versions}; ${reads}`
    const advice = adviceFor(table, name, written, question)
    return { verdict: 'Unsafe', reason: 'NotDecodable', message, missing: lost, advice }
  }
  const unsure = possible.filter(isLost)
  if (unsure.length === 0) return undefined
  const message = `objects could be in ${unsure.map((each) => historyText(table, name, each)).join(', ')}; ${reads}`
  const advice = `give --born-at, or ${adviceFor(table, name, written, question)}`
  return { verdict: 'CouldNotSee', reason: 'PersistedUnknown', message, missing: unsure, advice }
}

/** Which releases store it: `resource.k8s.io/v1alpha3 (stored by 1.31 to 1.32)`. */
function historyText(table: ReleaseTable, name: string, version: string): string {
  const minors = Array.from({ length: table.last - table.first + 1 }, (_, index) => table.first + index)
  const storing = minors.filter((minor) => table.factsOf(name, minor)?.stored === version)
  const [first] = storing
  const last = storing.at(-1)
  if (first === undefined || last === undefined) {
    return `${version} (stored by no release since ${releaseName(table.first)})`
  }
  const span = first === last ? releaseName(first) : `${releaseName(first)} to ${releaseName(last)}`
  return `${version} (stored by ${span})`
}

/** The last release before the step that reads all of it, and writes what the step reads, can migrate. */
function adviceFor(
  table: ReleaseTable,
  name: string,
  written: readonly string[],
  { from, minor }: PathQuestion & { readonly minor: number },
): string {
  const step = releaseName(minor)
  const readable = table.factsOf(name, minor)?.decodable ?? []
  const before = [from, ...stepsBetween(from, minor).slice(0, -1)]
  const fits = before.filter((each) => {
    const facts = table.factsOf(name, each)
    const writes = facts?.stored
    return (
      writes !== undefined && readable.includes(writes) && written.every((v) => facts?.decodable.includes(v))
    )
  })
  const [first] = fits
  if (first === undefined) {
    return `save its objects and delete them before ${step}: no release on the way reads them and writes what ${step} reads`
  }
  return first === from
    ? `migrate before ${step} (${migrateCommand(name)})`
    : `migrate at ${releaseName(first)}, before ${step} (${migrateCommand(name)})`
}
