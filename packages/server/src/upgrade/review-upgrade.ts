import {
  type DecodableResource,
  decideUpgrade,
  type GroupResource,
  groupResourceText,
  type PersistedResource,
  type ResourceDefinition,
  type UpgradeReview,
} from '@strata/api'
import { decideStored } from './decide-stored.ts'
import type { StoredResource } from './stored-resources.ts'
import { decodableAtRelease, fullVersions } from './target-release.ts'

export interface ReviewedStorage {
  /** Every resource of which something may be stored. */
  readonly resources: readonly StoredResource[]
  /** The program's kinds, in all their releases. */
  readonly definitions: readonly ResourceDefinition[]
  /** What this software is called, where no release of the kinds is. */
  readonly ownName: string
}

type Spec = UpgradeReview['spec']

/**
 * Whether a release can read all that may be stored. By the records first, which costs nothing; where that is no clear yes,
 * every object is looked at, so that neither what nobody recorded nor what has long been migrated decides.
 */
export function reviewUpgrade(spec: Spec, storage: ReviewedStorage): NonNullable<UpgradeReview['status']> {
  const resources = askedFor(spec, storage.resources)
  const target = targetOf(spec, storage)
  const isTargetComplete = (spec.release ?? '') !== ''
  const decide = (persisted: readonly PersistedResource[]) =>
    decideUpgrade({ persisted, target, isTargetComplete })

  const byRecord = resources.map((each) => persistedOf(each, undefined))
  const unclear = new Set(
    decide(byRecord)
      .resources.filter(({ verdict }) => verdict !== 'Safe')
      .map(groupResourceText),
  )
  const seen = resources.map((each, index) =>
    unclear.has(groupResourceText(each))
      ? persistedOf(each, each.read())
      : (byRecord[index] ?? persistedOf(each, undefined)),
  )
  const { verdict, resources: verdicts } = decide(seen)
  const persistedBy = new Map(seen.map((each) => [groupResourceText(each), each.persisted]))
  const decodableBy = new Map(target.map((each) => [groupResourceText(each), each.decodable]))
  return {
    verdict,
    resources: verdicts.map((each) => {
      const persistedVersions = persistedBy.get(groupResourceText(each))
      const decodableVersions = decodableBy.get(groupResourceText(each))
      return {
        ...each,
        ...(persistedVersions ? { persistedVersions } : {}),
        ...(decodableVersions ? { decodableVersions } : {}),
      }
    }),
  }
}

interface AskedResource extends GroupResource {
  readonly status: StoredResource['status']
  readonly read: StoredResource['read']
  readonly unseen?: string
}

/** All that there is, for a release; else what was named, also what nobody here has ever heard of. */
function askedFor(
  { resources: named = [] }: Spec,
  known: readonly StoredResource[],
): readonly AskedResource[] {
  if (named.length === 0) return known
  return named.map(({ group = '', resource }) => {
    const name = groupResourceText({ group, resource })
    const found = known.find((each) => groupResourceText(each) === name)
    if (found) return found
    const unseen = 'this server has no such resource, and there is no agreement record of it'
    return { group, resource, status: undefined, read: () => undefined, unseen }
  })
}

function persistedOf(
  { group, resource, status, unseen }: AskedResource,
  read: readonly string[] | undefined,
): PersistedResource {
  if (unseen !== undefined) return { group, resource, unseen }
  return { group, resource, persisted: decideStored(status, read) }
}

function targetOf(
  { release = '', resources: named = [] }: Spec,
  { resources, definitions, ownName }: ReviewedStorage,
): readonly DecodableResource[] {
  if (named.length > 0) {
    return named.map(({ group = '', resource, decodableVersions }) => {
      if (decodableVersions) {
        return { group, resource, decodable: fullVersions(group, decodableVersions) }
      }
      const name = groupResourceText({ group, resource })
      return (
        customTargets(resources).find((each) => groupResourceText(each) === name) ?? {
          ...{ group, resource },
          unseen: 'name it in decodableVersions',
        }
      )
    })
  }
  const isOwn = new Set(definitions.map((each) => groupResourceText(each)))
  const strangers = resources.filter((each) => !each.codec && !isOwn.has(groupResourceText(each)))
  return [
    ...decodableAtRelease(definitions, release, ownName),
    ...customTargets(resources),
    ...strangers.map(({ group, resource }) => ({ group, resource, unseen: 'no kind of this server is it' })),
  ]
}

/** What a custom resource can be read as is said by its definition, in every release. */
function customTargets(resources: readonly StoredResource[]): DecodableResource[] {
  return resources.flatMap(({ group, resource, codec }) =>
    codec?.definition.isCustom ? [{ group, resource, decodable: codec.decodableVersions }] : [],
  )
}
