import { defineResource } from '../machinery/define-resource.ts'
import { type FieldError, required } from '../machinery/field-error.ts'
import { identityVersion, objectSchema, structSchema } from '../machinery/identity-version.ts'
import { pathSegment } from '../machinery/name-rules.ts'
import type { Schema } from '../machinery/schema.ts'
import {
  type LabelSelectorObject,
  labelSelectorSchema,
  validateLabelSelector,
} from '../meta/label-selector-object.ts'
import type { ApiObject } from '../meta/object.ts'
import { nullIfNone, type PolicyRule, rbacGroup, rulesSchema, validateRules } from './policy-rule.ts'

/** A set of permissions, for the whole cluster or for the namespaces that it is bound in. */
export interface ClusterRole extends ApiObject {
  rules?: readonly PolicyRule[] | null
  /** If set, the rules are those of all cluster roles that one of these selects; a controller keeps them so. */
  aggregationRule?: { clusterRoleSelectors?: readonly LabelSelectorObject[] }
}

function validate({ rules, aggregationRule }: ClusterRole): FieldError[] {
  return [...validateRules(rules, false), ...validateAggregation(aggregationRule)]
}

function validateAggregation(rule: ClusterRole['aggregationRule']): FieldError[] {
  if (!rule) return []
  const path = 'aggregationRule.clusterRoleSelectors'
  const { clusterRoleSelectors = [] } = rule
  if (clusterRoleSelectors.length === 0) {
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  }
  return clusterRoleSelectors.flatMap((each, index) => validateLabelSelector(each, `${path}[${index}]`))
}

const schema: Schema = {
  ...objectSchema({
    rules: rulesSchema,
    aggregationRule: {
      ...structSchema('AggregationRule', 'Selects the cluster roles whose rules are combined.', {
        clusterRoleSelectors: {
          type: 'array',
          nullable: true,
          'x-kubernetes-list-type': 'atomic',
          items: labelSelectorSchema,
          description: 'The selectors. The rules of every matching cluster role are included.',
        },
      }),
      nullable: true,
      description: 'If set, a controller fills in the rules from other cluster roles.',
    },
  }),
  description: 'A set of permissions, for the whole cluster or for the namespaces that it is bound in.',
}

export const clusterRoles = defineResource<ClusterRole>({
  group: rbacGroup,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  typed: true,
  versions: {
    v1: identityVersion<ClusterRole>(schema),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'clusterroles',
  strategy: {
    nameRule: pathSegment,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: true,
    prepareForCreate: nullIfNone,
    prepareForUpdate: nullIfNone,
    validate,
  },
})
