import type { Binding, ClusterRole, PolicyRule, Role, RoleRef, Subject } from '@strata/api'
import type { Requester } from './access.ts'
import { ClusterRoleRules } from './cluster-role-rules.ts'
import { type Grant, Grants } from './grants.ts'

type Rules = readonly PolicyRule[]

/** All roles and bindings, so that the rules of one user are found without reading those of others. */
export class Policy {
  readonly #clusterRoles = new ClusterRoleRules()
  /** By namespace and name. */
  readonly #roles = new Map<string, Rules>()
  readonly #everywhere = new Grants()
  readonly #within = new Map<string, Grants>()

  setClusterRole(name: string, role: ClusterRole | undefined): void {
    this.#clusterRoles.set(name, role)
  }

  setRole(namespace: string, name: string, role: Role | undefined): void {
    const key = `${namespace}/${name}`
    if (role) this.#roles.set(key, role.rules ?? [])
    else this.#roles.delete(key)
  }

  setBinding(namespace: string, name: string, binding: Binding | undefined): void {
    const grants = namespace === '' ? this.#everywhere : (this.#within.get(namespace) ?? new Grants())
    const key = `${namespace}/${name}`
    if (!binding) grants.delete(key)
    else {
      const { roleRef = {}, subjects = [] } = binding
      const grant = (subject: Subject): Grant => ({
        key,
        roleRef,
        reason: describeGrant(namespace, name, roleRef, subject),
      })
      grants.set(key, subjects, grant, namespace)
    }
    if (namespace === '') return
    if (grants.isEmpty) this.#within.delete(namespace)
    else this.#within.set(namespace, grants)
  }

  /** The rules of a role that a binding in `namespace` names; undefined if there is no such role. */
  rulesOf({ kind, name = '' }: RoleRef, namespace: string): Rules | undefined {
    if (kind === 'ClusterRole') return this.#clusterRoles.allowedBy(name)
    return kind === 'Role' ? this.#roles.get(`${namespace}/${name}`) : undefined
  }

  /** The same for escalation checks: all rules that a binding of the role may give. */
  rulesToGive(roleRef: RoleRef, namespace: string): Rules | undefined {
    if (roleRef.kind !== 'ClusterRole') return this.rulesOf(roleRef, namespace)
    return this.#clusterRoles.givenBy(roleRef.name ?? '')
  }

  /**
   * The first grant of a user in a namespace ('' is outside of them) for which `visit` returns a value. The same binding may be
   * visited twice, by the user's name and by a group.
   */
  find<T>(
    { name, groups }: Requester,
    namespace: string,
    visit: (grant: Grant, rules: Rules | undefined) => T | undefined,
  ): T | undefined {
    const within = namespace === '' ? undefined : this.#within.get(namespace)
    return (
      this.#findIn(this.#everywhere, name, groups, '', visit) ??
      (within && this.#findIn(within, name, groups, namespace, visit))
    )
  }

  #findIn<T>(
    grants: Grants,
    name: string,
    groups: readonly string[],
    namespace: string,
    visit: (grant: Grant, rules: Rules | undefined) => T | undefined,
  ): T | undefined {
    for (const grant of grants.ofUser(name)) {
      const found = visit(grant, this.rulesOf(grant.roleRef, namespace))
      if (found !== undefined) return found
    }
    for (const group of groups) {
      for (const grant of grants.ofGroup(group)) {
        const found = visit(grant, this.rulesOf(grant.roleRef, namespace))
        if (found !== undefined) return found
      }
    }
    return undefined
  }
}

function describeGrant(
  namespace: string,
  name: string,
  { kind = '', name: role = '' }: RoleRef,
  to: Subject,
) {
  const quoted = JSON.stringify
  const binding =
    namespace === '' ? `ClusterRoleBinding ${quoted(name)}` : `RoleBinding ${quoted(`${name}/${namespace}`)}`
  const subject = to.kind === 'ServiceAccount' ? `${to.name}/${to.namespace || namespace}` : (to.name ?? '')
  return `RBAC: allowed by ${binding} of ${kind} ${quoted(role)} to ${to.kind} ${quoted(subject)}`
}
