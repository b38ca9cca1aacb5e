import type { ClusterRole, PolicyRule } from '@strata/api'
import { aggregateRules, type RoleSource, roleSource } from './aggregated-rules.ts'

type Rules = readonly PolicyRule[]

/**
 * The rules of all ClusterRoles. Those of aggregated roles are gathered here, from labels, on first use and again after any
 * ClusterRole has changed. Access decisions do not wait for the controller that stores them. Otherwise:
 *
 * 1. A fleet runs without controllers, so `admin` is stored without rules.
 * 2. A user who may write RoleBindings binds `admin`: no rules, hence nothing to escalate to.
 * 3. Controllers start and store the rules. The user holds them all.
 */
export class ClusterRoleRules {
  readonly #roles = new Map<string, RoleSource>()
  readonly #aggregated = new Map<string, Rules>()

  set(name: string, role: ClusterRole | undefined): void {
    this.#aggregated.clear()
    if (role) this.#roles.set(name, roleSource(role))
    else this.#roles.delete(name)
  }

  /** The rules of a role; undefined if it does not exist. */
  allowedBy(name: string): Rules | undefined {
    const role = this.#roles.get(name)
    if (!role?.selectors) return role?.rules
    const known = this.#aggregated.get(name)
    if (known) return known
    const gathered = aggregateRules(name, this.#roles)
    this.#aggregated.set(name, gathered)
    return gathered
  }

  /** All rules that a binding of the role may give away: also the stored ones, by which older servers decide. */
  givenBy(name: string): Rules | undefined {
    const role = this.#roles.get(name)
    const allowed = this.allowedBy(name)
    return role?.selectors && allowed ? [...allowed, ...role.rules] : allowed
  }
}
