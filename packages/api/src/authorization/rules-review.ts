import { defineReview } from '../machinery/define-review.ts'
import { boolean, objectSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import type { PolicyRule } from '../rbac/policy-rule.ts'
import { authorizationGroup } from './access-review.ts'

/** "What may I do in this namespace?" */
export interface SelfSubjectRulesReview extends ApiObject {
  spec?: { namespace?: string }
  status?: {
    resourceRules: readonly PolicyRule[]
    nonResourceRules: readonly PolicyRule[]
    incomplete: boolean
    evaluationError?: string
  }
}

const list: Schema = { ...textList, nullable: true, 'x-kubernetes-list-type': 'atomic' }

const rules = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'array',
  nullable: true,
  'x-kubernetes-list-type': 'atomic',
  items: { type: 'object', required: ['verbs'], properties },
})

export const selfSubjectRulesReviews = defineReview<SelfSubjectRulesReview>({
  group: authorizationGroup,
  kind: 'SelfSubjectRulesReview',
  scope: 'Cluster',
  schema: objectSchema({
    spec: { type: 'object', default: {}, properties: { namespace: text } },
    status: {
      type: 'object',
      default: {},
      required: ['resourceRules', 'nonResourceRules', 'incomplete'],
      properties: {
        resourceRules: rules({ verbs: list, apiGroups: list, resources: list, resourceNames: list }),
        nonResourceRules: rules({ verbs: list, nonResourceURLs: list }),
        incomplete: boolean,
        evaluationError: text,
      },
    },
  }),
})
