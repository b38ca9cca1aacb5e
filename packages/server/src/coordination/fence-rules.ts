import { decideBrokenGuard } from './decide-broken-guard.ts'

/** Rules that the simulator breaks one at a time, to see that it would notice. */
export interface FenceRules {
  readonly guardWrites: boolean
  /** Rule 4: writes of custom resources are guarded by their definition too. */
  readonly guardDefinitions: boolean
  /** Rule 4: a write that was begun by one definition is not finished by another. */
  readonly tellDefinitionsApart: boolean
  readonly decideBrokenGuard: typeof decideBrokenGuard
  /** Rule 14: nothing is written by a view that is too old. */
  readonly checkViewAge: boolean
  /** Rule 14: what was let through by a view is given up when it does not arrive. */
  readonly limitLooseCommits: boolean
}

export const fenceRules: FenceRules = {
  guardWrites: true,
  guardDefinitions: true,
  tellDefinitionsApart: true,
  decideBrokenGuard,
  checkViewAge: true,
  limitLooseCommits: true,
}
