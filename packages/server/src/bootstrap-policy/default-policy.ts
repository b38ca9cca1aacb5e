import { type Binding, type ClusterRole, type Role, rbacGroup, type Subject } from '@strata/api'
import { type BindingTable, clusterBindings, namespaceBindings } from './bindings.ts'
import { clusterRoleRules } from './cluster-roles.ts'
import { controllerRules } from './controller-roles.ts'
import { namespaceRoleRules } from './namespace-roles.ts'
import { ruleOf, type ShortRule } from './rule-table.ts'

export interface DefaultPolicy {
  readonly clusterRoles: readonly ClusterRole[]
  readonly clusterRoleBindings: readonly Binding[]
  readonly roles: readonly Role[]
  readonly roleBindings: readonly Binding[]
}

const aggregateTo = (role: string): Record<string, string> => ({
  [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true',
})

/** Roles that aggregate others: a label adds the rules of a new kind for viewers, editors and admins. */
const aggregated = ['admin', 'edit', 'view'] as const

/** Which role aggregates which. */
const gatheredBy: Readonly<Record<string, Record<string, string>>> = {
  edit: aggregateTo('admin'),
  view: aggregateTo('edit'),
  'system:aggregate-to-admin': aggregateTo('admin'),
  'system:aggregate-to-edit': aggregateTo('edit'),
  'system:aggregate-to-view': aggregateTo('view'),
}

/** The policy that every server ensures: without it, only superusers could even use discovery. */
export function defaultPolicy(): DefaultPolicy {
  const controllers = Object.entries(controllerRules).map(
    ([name, rules]) => [`system:controller:${name}`, rules] as const,
  )
  const controllerBindings: BindingTable = Object.fromEntries(
    Object.keys(controllerRules).map((name) => [
      `system:controller:${name}`,
      ['', `ServiceAccount kube-system/${name}`] as const,
    ]),
  )
  return {
    clusterRoles: [
      ...aggregated.map(
        (name): ClusterRole => ({
          metadata: metadataOf(name),
          rules: null,
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(name) }] },
        }),
      ),
      ...[...Object.entries(clusterRoleRules), ...controllers].map(([name, rules]) => roleOf(name, rules)),
    ],
    clusterRoleBindings: bindingsOf('ClusterRole', { ...clusterBindings, ...controllerBindings }),
    roles: Object.entries(namespaceRoleRules).flatMap(([namespace, table]) =>
      Object.entries(table).map(([name, rules]) => roleOf(name, rules, namespace)),
    ),
    roleBindings: Object.entries(namespaceBindings).flatMap(([namespace, table]) =>
      bindingsOf('Role', table, namespace),
    ),
  }
}

function metadataOf(name: string, namespace?: string): ClusterRole['metadata'] {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...gatheredBy[name] },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  }
}

function roleOf(name: string, rules: readonly ShortRule[], namespace?: string): Role {
  return { metadata: metadataOf(name, namespace), rules: rules.map(ruleOf) }
}

function bindingsOf(kind: string, table: BindingTable, namespace?: string): Binding[] {
  return Object.entries(table).map(([name, [role, ...subjects]]) => ({
    metadata: metadataOf(name, namespace),
    ...(subjects.length === 0 ? {} : { subjects: subjects.map(subjectOf) }),
    roleRef: { apiGroup: rbacGroup, kind, name: role || name },
  }))
}

/** Parses `Group x`, `User x` or `ServiceAccount namespace/name`. */
function subjectOf(text: string): Subject {
  const space = text.indexOf(' ')
  const [kind, rest] = [text.slice(0, space), text.slice(space + 1)]
  if (kind !== 'ServiceAccount') return { kind, apiGroup: rbacGroup, name: rest }
  const [namespace = '', name = ''] = rest.split('/')
  return { kind, name, namespace }
}
