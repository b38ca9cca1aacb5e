import { type CustomResourceDefinition, storageVersionNameOf } from '@strata/api'
import type { CrdDocument } from '../documents/index.ts'
import { asApplied } from '../plan/as-applied.ts'
import { bridgeSpec } from '../plan/bridge-definition.ts'
import type { CrdPlan, CrdStep } from '../plan/crd-plan.ts'
import { decideCrdPlan } from '../plan/decide-crd-plan.ts'
import type { Release } from './release.ts'

/** What a cluster may have been through, as far as one CRD is concerned. */
export interface ClusterLife {
  /** The releases in order. The first one created the CRD; between two of them there may have been steps of a plan. */
  readonly path: readonly LifeStep[]
  /** The CRD as the cluster has it. */
  readonly live: CustomResourceDefinition
}

export interface LifeStep {
  readonly release: string
  /** The release was refused as it is, and went in after the steps of the plan. */
  readonly isPrepared: boolean
}

/** A cluster on which the release is applied. */
export interface Arrival {
  readonly life: ClusterLife
  readonly release: string
  readonly plan: CrdPlan
  /** Afterwards; undefined if no steps lead there. */
  readonly after: ClusterLife | undefined
}

/** `v1.15.19 → v1.17.9 (prepared)` */
export function pathText({ path }: ClusterLife): string {
  return path.map(({ release, isPrepared }) => `${release}${isPrepared ? ' (prepared)' : ''}`).join(' → ')
}

/**
 * Every cluster that the releases can have made: born at any of them, and upgraded through any of the later ones. Clusters with
 * the same CRD and the same storedVersions count once, with their shortest path. `arrivals` are the upgrades on the way.
 */
export function clusterLives(
  releases: readonly Release[],
  crdName: string,
): { readonly lives: readonly ClusterLife[]; readonly arrivals: readonly Arrival[] } {
  const lives: ClusterLife[] = []
  const arrivals: Arrival[] = []
  for (const release of releases) {
    const document = release.crds.get(crdName)
    if (!document) continue
    const reached = lives.map((life) => arrive(life, release.name, document))
    arrivals.push(...reached)
    const here = [bornAt(release.name, document), ...reached.flatMap(({ after }) => (after ? [after] : []))]
    // The life before stays: a cluster may skip this release.
    lives.push(...distinct(here))
  }
  return { lives, arrivals }
}

/** A cluster that created the CRD of this release. */
export function bornAt(release: string, { crd }: CrdDocument): ClusterLife {
  const storage = storageVersionNameOf(crd)
  return {
    path: [{ release, isPrepared: false }],
    live: {
      ...crd,
      status: {
        // Some rules are only for a CRD that serves objects.
        conditions: [{ type: 'Established', status: 'True' }],
        acceptedNames: crd.spec.names,
        storedVersions: storage === undefined ? [] : [storage],
      },
    },
  }
}

/** The release is applied to the cluster, after the steps of the plan if it needs any. */
export function arrive(life: ClusterLife, release: string, { crd }: CrdDocument): Arrival {
  const plan = decideCrdPlan({ live: life.live, wanted: crd })
  if (plan.kind === 'impossible') return { life, release, plan, after: undefined }
  const step = { release, isPrepared: plan.refusal !== undefined }
  const live = plan.steps.reduce((now, each) => afterStep(now, crd, each), life.live)
  return { life, release, plan, after: { path: [...life.path, step], live } }
}

function afterStep(
  live: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
  step: CrdStep,
): CustomResourceDefinition {
  switch (step.do) {
    case 'apply':
      return asApplied(live, wanted)
    case 'bridge':
      return asApplied(live, { ...live, spec: bridgeSpec(live, wanted, step) })
    case 'prune': {
      const left = (live.status.storedVersions ?? []).filter((each) => !step.drop.includes(each))
      const storedVersions = left.includes(step.keep) ? left : [...left, step.keep]
      return { ...live, status: { ...live.status, storedVersions } }
    }
    default:
      return live
  }
}

function distinct(lives: readonly ClusterLife[]): ClusterLife[] {
  const known = new Map<string, ClusterLife>()
  for (const each of lives) {
    const key = JSON.stringify(each.live.status.storedVersions)
    const other = known.get(key)
    if (!other || each.path.length < other.path.length) known.set(key, each)
  }
  return [...known.values()]
}
