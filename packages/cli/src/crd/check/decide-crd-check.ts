import { cloneJson, customResourceDefinitions, storageVersionNameOf, versionsOf } from '@strata/api'
import type { CrdDocument } from '../documents/index.ts'
import { refusalText, updateErrors, versionNames } from '../plan/as-applied.ts'
import { decideCrdPlan } from '../plan/decide-crd-plan.ts'
import { type Arrival, arrive, clusterLives, pathText } from './cluster-life.ts'
import type {
  BrokenRollback,
  CheckVerdict,
  CrdCheck,
  EarlierRefusal,
  ForetoldRefusal,
  GoneVersion,
  MaybeStored,
} from './foretold-crd.ts'
import { foundChanges } from './found-changes.ts'
import type { Release } from './release.ts'

/** Foretells for every CRD what the newest release does to clusters that were born at any of the older ones. */
export function decideCrdChecks(older: readonly Release[], newest: Release): readonly CrdCheck[] {
  const names = new Set([...older, newest].flatMap(({ crds }) => [...crds.keys()]))
  return [...names].sort().map((name) => decideCrdCheck(older, newest, name))
}

function decideCrdCheck(older: readonly Release[], newest: Release, name: string): CrdCheck {
  const document = newest.crds.get(name)
  if (!document) return { ...nothing, name, verdict: 'removed' }
  const { lives, arrivals } = clusterLives(older, name)
  const reached = lives.map((life) => arrive(life, newest.name, document))
  const found = {
    ...{
      name,
      place: document.place,
      refusedNew: refusedNew(document),
      unknownFields: document.unknownFields,
    },
    refusals: reached.flatMap((each) => refusalOf(each, document)),
    earlier: arrivals.flatMap(earlierRefusal),
    rollbacks: brokenRollbacks(older, document, reached),
    changes: foundChanges(older, document),
    goneVersions: goneVersions(older, document),
    maybeStored: maybeStored(older, document, reached),
  }
  return { ...found, verdict: verdictOf(found, lives.length === 0) }
}

const nothing = {
  place: undefined,
  refusedNew: undefined,
  ...{
    refusals: [],
    earlier: [],
    rollbacks: [],
    changes: [],
    goneVersions: [],
    maybeStored: [],
    unknownFields: [],
  },
} as const

function verdictOf(found: Omit<CrdCheck, 'verdict'>, isNew: boolean): CheckVerdict {
  const { refusals, rollbacks, changes, goneVersions, maybeStored, unknownFields } = found
  if (found.refusedNew !== undefined || refusals.length > 0) return 'refused'
  if (rollbacks.length > 0) return 'breaks rollback'
  const remarks = [changes, goneVersions, maybeStored, unknownFields]
  if (remarks.some((each) => each.length > 0)) return 'warnings'
  return isNew ? 'new' : 'ok'
}

/** The rules for a new CRD are stricter than those for a change: what was wrong before is tolerated. */
function refusedNew({ crd, apiVersion, name }: CrdDocument): string | undefined {
  if (apiVersion !== 'apiextensions.k8s.io/v1') {
    return `no matches for kind "CustomResourceDefinition" in version "${apiVersion}"`
  }
  const created = cloneJson(crd)
  const { prepareForCreate, validateCreate } = customResourceDefinitions.strategy
  prepareForCreate?.(created, '')
  return refusalText(name, validateCreate?.(created) ?? [])
}

function refusalOf({ life, plan }: Arrival, { crd }: CrdDocument): ForetoldRefusal[] {
  if (plan.refusal === undefined) return []
  const storedVersions = life.live.status.storedVersions ?? []
  const known = new Set(versionNames(crd))
  const { refusal, steps, missing } = plan
  return [
    {
      ...{ path: pathText(life), storedVersions, refusal, steps, missing },
      gone: storedVersions.filter((each) => !known.has(each)),
      at: ['spec', 'versions'],
    },
  ]
}

function earlierRefusal({ life, release, plan }: Arrival): EarlierRefusal[] {
  return plan.refusal === undefined ? [] : [{ path: pathText(life), release, refusal: plan.refusal }]
}

/** For each older release, one way by which clusters come from it to the newest and cannot go back. */
function brokenRollbacks(
  older: readonly Release[],
  document: CrdDocument,
  reached: readonly Arrival[],
): BrokenRollback[] {
  return older.flatMap(({ name, crds }) => {
    const back = crds.get(document.name)
    if (!back) return []
    const ways = reached.filter(({ life }) => life.path.some(({ release }) => release === name))
    return ways.flatMap((way) => brokenRollback(way, name, back, document)).slice(0, 1)
  })
}

function brokenRollback(
  { after }: Arrival,
  release: string,
  back: CrdDocument,
  { crd }: CrdDocument,
): BrokenRollback[] {
  if (!after) return []
  const refusal = refusalText(back.name, updateErrors(after.live, back.crd))
  if (refusal === undefined) return []
  const { steps } = decideCrdPlan({ live: after.live, wanted: back.crd })
  const storage = storageVersionNameOf(crd) ?? ''
  const index = versionsOf(crd).findIndex(({ name }) => name === storage)
  const known = new Set(versionNames(back.crd))
  const gone = (after.live.status.storedVersions ?? []).filter((each) => !known.has(each))
  const isNewStorage = !known.has(storage)
  const at = ['spec', 'versions', index, 'storage']
  return [{ release, path: pathText(after), refusal, steps, gone, isNewStorage, at }]
}

function goneVersions(older: readonly Release[], { name, crd }: CrdDocument): GoneVersion[] {
  const now = new Map(versionsOf(crd).map((each) => [each.name, each.served]))
  const since = new Map<string, string[]>()
  for (const { name: release, crds } of older) {
    const before = crds.get(name)
    for (const each of before ? versionsOf(before.crd) : []) {
      if (!each.served || now.get(each.name) === true) continue
      since.set(each.name, [...(since.get(each.name) ?? []), release])
    }
  }
  return [...since].map(([version, releases]) => ({
    ...{ version, since: releases },
    isUnserved: now.has(version),
  }))
}

/**
 * Versions of the oldest file that the new one does not have. The oldest file stores another one, but the release before it may
 * have stored these: such a cluster is none of those that were followed, and refuses the new file.
 */
function maybeStored(
  older: readonly Release[],
  { name, crd }: CrdDocument,
  reached: readonly Arrival[],
): MaybeStored[] {
  const oldest = older.find(({ crds }) => crds.has(name))
  const before = oldest?.crds.get(name)
  if (!oldest || !before) return []
  const known = new Set([
    ...versionNames(crd),
    ...reached.flatMap(({ life }) => life.live.status.storedVersions ?? []),
  ])
  return versionNames(before.crd)
    .filter((each) => !known.has(each))
    .map((version) => ({ version, release: oldest.name }))
}
