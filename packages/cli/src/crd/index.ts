/** What `strata crd check` does, for programs that release CRDs. */
export { arrive, bornAt } from './check/cluster-life.ts'
export { decideCrdChecks, type Release, toRelease } from './check/index.ts'
export { readCrds } from './documents/index.ts'
export { bridgeSpec } from './plan/bridge-definition.ts'
export type { CrdStep } from './plan/crd-plan.ts'
export { decideCrdPlan } from './plan/decide-crd-plan.ts'
