import type { GrantedRight } from './granted-right.ts'
import { type PolicyRule, policyRules, type UrlRule } from './policy-rules.ts'

const group = 'rbac.authorization.k8s.io'

/** Who gets the rights. */
export type Subject =
  | { readonly kind: 'User' | 'Group'; readonly name: string }
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string }

interface RbacObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export interface RoleObject extends RbacObject {
  readonly rules: readonly (PolicyRule | UrlRule)[]
}

export interface RoleBindingObject extends RbacObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly subjects: readonly object[]
}

/** A ClusterRole, a Role for each namespace that rights are limited to, and their bindings if there are subjects. */
export function rolesOf(
  name: string,
  rights: readonly GrantedRight[],
  subjects: readonly Subject[],
): readonly (RoleObject | RoleBindingObject)[] {
  const places = Map.groupBy(rights, ({ namespace }) => namespace)
  return [...places]
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .flatMap(([namespace, inPlace]) => {
      const kind = namespace === undefined ? 'ClusterRole' : 'Role'
      const metadata = { name, ...(namespace === undefined ? {} : { namespace }) }
      const objectOf = (kind: string) => ({ apiVersion: `${group}/v1`, kind, metadata })
      const role = { ...objectOf(kind), rules: policyRules(inPlace) }
      if (subjects.length === 0) return [role]
      const roleRef = { apiGroup: group, kind, name }
      return [role, { ...objectOf(`${kind}Binding`), roleRef, subjects: subjects.map(subjectOf) }]
    })
}

const subjectOf = (subject: Subject): object =>
  subject.kind === 'ServiceAccount' ? subject : { apiGroup: group, ...subject }
