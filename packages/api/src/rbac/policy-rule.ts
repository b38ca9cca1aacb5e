import { type FieldError, invalid, required } from '../machinery/field-error.ts'
import { structSchema, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'

export const rbacGroup = 'rbac.authorization.k8s.io'

/** A permission on resources or, in cluster roles only, on non-resource URLs. */
export interface PolicyRule {
  verbs?: readonly string[]
  apiGroups?: readonly string[]
  resources?: readonly string[]
  resourceNames?: readonly string[]
  nonResourceURLs?: readonly string[]
}

const list: Schema = { ...textList, nullable: true, 'x-kubernetes-list-type': 'atomic' }

/** Written even when there are none, as null: that is how upstream writes it. */
export const rulesSchema: Schema = {
  type: 'array',
  nullable: true,
  default: null,
  'x-kubernetes-list-type': 'atomic',
  items: structSchema(
    'PolicyRule',
    'A permission on resources or, in cluster roles only, on non-resource URLs.',
    {
      verbs: { ...list, description: 'The verbs; * means all.' },
      apiGroups: { ...list, description: 'The API groups; * means all, "" is the core group.' },
      resources: { ...list, description: 'The resources; * means all, */status means the status of all.' },
      resourceNames: { ...list, description: 'The names of the objects. Empty means all.' },
      nonResourceURLs: { ...list, description: 'The non-resource URLs. * is allowed only at the end.' },
    },
    ['verbs'],
  ),
  description: 'The permissions. Rules are additive.',
}

export function validateRules(
  rules: readonly PolicyRule[] | null | undefined,
  namespaced: boolean,
): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => validateRule(rule, namespaced, `rules[${index}]`))
}

function validateRule(rule: PolicyRule, namespaced: boolean, path: string): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const errors: FieldError[] = []
  if (verbs.length === 0) errors.push(required(`${path}.verbs`, 'verbs must contain at least one value'))
  if (nonResourceURLs.length > 0) {
    const urls = `${path}.nonResourceURLs`
    if (namespaced) {
      errors.push(invalid(urls, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'))
    }
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      const why = 'rules cannot apply to both regular resources and non-resource URLs'
      errors.push(invalid(urls, nonResourceURLs, why))
    }
    return errors
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (resources.length === 0) {
    errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'))
  }
  return errors
}

/** None is stored as null, however the client said it. */
export function nullIfNone(object: { rules?: readonly PolicyRule[] | null }): void {
  if (!object.rules?.length) object.rules = null
}
