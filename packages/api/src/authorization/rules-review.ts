import { defineReview } from '../machinery/define-review.ts'
import { boolean, objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
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

const rules = (name: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'array',
  nullable: true,
  'x-kubernetes-list-type': 'atomic',
  items: structSchema(name, 'One allowed action.', properties, ['verbs']),
  description: 'The allowed actions, in no particular order.',
})

export const selfSubjectRulesReviews = defineReview<SelfSubjectRulesReview>({
  group: authorizationGroup,
  kind: 'SelfSubjectRulesReview',
  scope: 'Cluster',
  schema: {
    ...objectSchema(
      {
        spec: {
          ...structSchema('SelfSubjectRulesReviewSpec', 'Where.', {
            namespace: { ...text, description: 'The namespace to evaluate.' },
          }),
          default: {},
          description: 'The question.',
        },
        status: {
          ...structSchema(
            'SubjectRulesReviewStatus',
            'The allowed actions.',
            {
              resourceRules: rules('ResourceRule', {
                verbs: list,
                apiGroups: list,
                resources: list,
                resourceNames: list,
              }),
              nonResourceRules: rules('NonResourceRule', { verbs: list, nonResourceURLs: list }),
              incomplete: { ...boolean, description: 'Whether the list may be incomplete.' },
              evaluationError: { ...text, description: 'An error during evaluation, if any.' },
            },
            ['resourceRules', 'nonResourceRules', 'incomplete'],
          ),
          default: {},
          description: 'The answer.',
        },
      },
      ['spec'],
    ),
    description: 'Lists what the current user may do in a namespace.',
  },
})
