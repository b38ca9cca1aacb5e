import {
  type ApiObject,
  type Binding,
  type ClusterRole,
  clusterRoles,
  forbidden,
  goQuoted,
  jsonEqual,
  notFound,
  type PolicyRule,
  type ResourceDefinition,
  type RoleRef,
  rbacGroup,
  roles,
} from '@strata/api'
import { onceKnown } from '@strata/world'
import { type Access, type Requester, resourceAccess } from './access.ts'
import { type Authorizer, superusers } from './authorizer.ts'
import { describeRights } from './describe-rights.ts'
import { everything } from './everything.ts'
import type { Policy } from './rbac-policy.ts'
import { type Effort, missingRights } from './rule-cover.ts'

export interface PolicyWrite {
  readonly definition: ResourceDefinition
  readonly requester: Requester
  /** The name in the path: '' for a POST. */
  readonly askedName: string
  readonly next: ApiObject
  readonly stored: ApiObject | undefined
}

/**
 * No user may grant rights that the user does not hold. Otherwise a user who may write roles may do everything: by a role with
 * all rights and a binding to it.
 */
export class Escalation {
  readonly #policy: Policy
  readonly #authorizer: Authorizer

  constructor(policy: Policy, authorizer: Authorizer) {
    this.#policy = policy
    this.#authorizer = authorizer
  }

  /** Throws unless the requester holds all granted rights, or may `escalate` the role or `bind` it. */
  check(write: PolicyWrite): void | Promise<void> {
    const { definition, requester, next, stored } = write
    if (definition.group !== rbacGroup || requester.groups.includes(superusers)) return
    if (stored && differsOnlyInCollection(next, stored)) return
    const isBinding = definition.kind === 'RoleBinding' || definition.kind === 'ClusterRoleBinding'
    const access = isBinding ? bindAccess(write) : escalateAccess(write)
    return onceKnown(this.#authorizer.authorize(requester, access), ({ allowed }) => {
      if (allowed) return
      if (isBinding) this.#checkBinding(write)
      else this.#checkRole(write)
    })
  }

  #checkRole({ definition, requester, next, stored }: PolicyWrite): void {
    const { namespace = '', name = '' } = next.metadata
    const role = next as ClusterRole
    const problem = this.#escalation(requester, namespace, role.rules ?? [])
    if (problem !== undefined) throw forbidden(definition, name, problem)
    if (definition.kind !== 'ClusterRole') return
    if (!isAggregated(role) && !isAggregated(stored as ClusterRole | undefined)) return
    // Labels decide what an aggregated role gathers, and any user may set them: it can become anything.
    if (this.#escalation(requester, namespace, everything) === undefined) return
    throw forbidden(definition, name, 'must have cluster-admin privileges to use the aggregationRule')
  }

  #checkBinding({ definition, requester, next }: PolicyWrite): void {
    const { namespace = '', name = '' } = next.metadata
    const { roleRef = {} } = next as Binding
    const rules = this.#policy.rulesToGive(roleRef, namespace)
    if (!rules) throw notFound(roleOf(roleRef), roleRef.name ?? '')
    const problem = this.#escalation(requester, namespace, rules)
    if (problem !== undefined) throw forbidden(definition, name, problem)
  }

  #escalation(requester: Requester, namespace: string, wanted: readonly PolicyRule[]): string | undefined {
    const { rules, problems } = this.#authorizer.rulesFor(requester, namespace)
    const effort: Effort = { left: mostLooks }
    const rights = describeRights(missingRights(rules, wanted, effort))
    const { name, groups } = requester
    const whose = `user ${JSON.stringify(name)} (groups=${goQuoted(groups)})`
    if (effort.left < 0) {
      return `${whose} is attempting to grant more RBAC permissions at once than can be compared with those held; use several smaller roles`
    }
    if (rights === '') return undefined
    const unresolved = problems.length === 0 ? '' : `; resolution errors: [${problems.join(', ')}]`
    return `${whose} is attempting to grant RBAC permissions not currently held:\n${rights}${unresolved}`
  }
}

function escalateAccess({ definition, askedName, next }: PolicyWrite): Access {
  const { namespace = '' } = next.metadata
  const { group, resource } = definition
  return resourceAccess('escalate', { group, resource, namespace, name: askedName })
}

function bindAccess({ next }: PolicyWrite): Access {
  const { namespace = '' } = next.metadata
  const { roleRef = {} } = next as Binding
  const { resource } = roleOf(roleRef)
  return resourceAccess('bind', {
    ...{ group: roleRef.apiGroup ?? '', resource, namespace },
    name: roleRef.name ?? '',
  })
}

const roleOf = ({ kind }: RoleRef) => (kind === 'Role' ? roles : clusterRoles)

/** Comparing rules blocks all requests: this limits it to some tenths of a second. */
const mostLooks = 2_000_000

const isAggregated = (role: ClusterRole | undefined): boolean =>
  Boolean(role?.aggregationRule?.clusterRoleSelectors?.length)

/** Users who clean up may change owners and finalizers without other rights. */
function differsOnlyInCollection(next: ApiObject, stored: ApiObject): boolean {
  return jsonEqual(withoutCollection(next), withoutCollection(stored))
}

function withoutCollection(object: ApiObject): unknown {
  const {
    ownerReferences: _,
    finalizers: __,
    managedFields: ___,
    resourceVersion: ____,
    ...metadata
  } = object.metadata
  const { apiVersion: _a, kind: _k, ...rest } = object
  return { ...rest, metadata }
}
