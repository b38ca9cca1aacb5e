import {
  type DecodableResource,
  decideUpgrade,
  explainUpgrade,
  type GroupResource,
  groupResourceText,
  isWrittenUnrecorded,
  type PersistedResource,
  type ResourceDefinition,
  type RunningFacts,
  type UpgradeReview,
} from '@strata/api'
import { writersOf } from '../coordination/index.ts'
import { decideSealed, decideStored } from './decide-stored.ts'
import type { StoredResource } from './stored-resources.ts'
import { decodableAtRelease, fullVersions, releasesOf } from './target-release.ts'

export interface ReviewedStorage {
  /** Every resource that may have stored objects. */
  readonly resources: readonly StoredResource[]
  /** The built-in kinds, in all their releases. */
  readonly definitions: readonly ResourceDefinition[]
  /** The name of this software: its newest state, for kinds that have no release of that name. */
  readonly ownName: string
}

type Spec = UpgradeReview['spec']

/**
 * Whether a release can read everything that may be stored. The records are checked first, which costs nothing. If they do not
 * prove it, every object is read, so that neither unrecorded nor long migrated versions decide.
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
  return explainUpgrade(decide(seen), { persisted: seen, target, running: runningIn(resources, storage) })
}

/** What current servers write and read, and what the releases of the kinds would: the remedy depends on it. */
function runningIn(
  resources: readonly AskedResource[],
  { definitions }: ReviewedStorage,
): (resource: GroupResource) => RunningFacts {
  return (asked) => {
    const name = groupResourceText(asked)
    const status = resources.find((each) => groupResourceText(each) === name)?.status
    const definition = definitions.find((each) => groupResourceText(each) === name)
    const releases = definition ? releasesOf(definition) : []
    if (!status || isWrittenUnrecorded(status)) return { releases }
    return {
      written: writersOf(status.servers).map(({ encodingVersion }) => encodingVersion),
      readable: status.servers.flatMap(({ decodableVersions }) => decodableVersions),
      releases,
    }
  }
}

interface AskedResource extends GroupResource {
  readonly status: StoredResource['status']
  readonly read: StoredResource['read']
  readonly unseen?: string
}

/** All resources, for a release; otherwise the named ones, also those that are unknown here. */
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
  const sealed = decideSealed(status, read)
  return { group, resource, persisted: decideStored(status, read), ...(sealed ? { unseen: sealed } : {}) }
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
    ...strangers.map(({ group, resource }) => ({ group, resource, unseen: 'this server has no such kind' })),
  ]
}

/** The CRD decides which versions of a custom resource can be read, in every release. */
function customTargets(resources: readonly StoredResource[]): DecodableResource[] {
  return resources.flatMap(({ group, resource, codec }) =>
    codec?.definition.isCustom ? [{ group, resource, decodable: codec.decodableVersions }] : [],
  )
}
