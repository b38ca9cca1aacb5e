import { extraSchema } from '../authentication/user-info.ts'
import { defineReview } from '../machinery/define-review.ts'
import { boolean, objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import { type LabelExpression, requirementSchema } from '../meta/label-selector-object.ts'
import type { ApiObject } from '../meta/object.ts'

export const authorizationGroup = 'authorization.k8s.io'

export interface SelectorAttributes {
  readonly rawSelector?: string
  readonly requirements?: readonly LabelExpression[]
}

export interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: SelectorAttributes
  readonly labelSelector?: SelectorAttributes
}

export interface NonResourceAttributes {
  readonly path?: string
  readonly verb?: string
}

/** What is asked about; exactly one of them. */
export interface AccessAttributes {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
}

/** "May they do this?" */
export interface SubjectAccessReview extends ApiObject {
  spec?: AccessAttributes & {
    readonly user?: string
    readonly groups?: readonly string[]
    readonly uid?: string
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  status?: AccessReviewStatus
}

/** "May I do this?" */
export interface SelfSubjectAccessReview extends ApiObject {
  spec?: AccessAttributes
  status?: AccessReviewStatus
}

export interface AccessReviewStatus {
  allowed: boolean
  denied?: boolean
  reason?: string
  evaluationError?: string
}

const list: Schema = { ...textList, nullable: true, 'x-kubernetes-list-type': 'atomic' }

const selector = (name: string, requirement: string): Schema => ({
  ...structSchema(name, 'Only objects that it selects; one of its two forms.', {
    rawSelector: { ...text, description: 'As a query has it.' },
    requirements: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      items: requirementSchema(requirement),
      description: 'Already taken apart; all of it must be so.',
    },
  }),
  nullable: true,
  description: 'Only objects that it selects.',
})

const attributes = {
  resourceAttributes: {
    ...structSchema('ResourceAttributes', 'Something that may be done to resources.', {
      namespace: { ...text, description: 'The namespace; empty for all, or for none.' },
      verb: { ...text, description: 'What is done: get, list, create, …; * for everything.' },
      group: { ...text, description: 'The group of the resource; * for all.' },
      version: { ...text, description: 'The version of the resource; * for all.' },
      resource: { ...text, description: 'The resource; * for all.' },
      subresource: { ...text, description: 'A part of the resource; empty for none.' },
      name: { ...text, description: 'The name of the object; empty for all.' },
      fieldSelector: selector('FieldSelectorAttributes', 'FieldSelectorRequirement'),
      labelSelector: selector('LabelSelectorAttributes', 'LabelSelectorRequirement'),
    }),
    nullable: true,
    description: 'What would be done to resources.',
  },
  nonResourceAttributes: {
    ...structSchema('NonResourceAttributes', 'Something that may be done at a path that is no resource.', {
      path: { ...text, description: 'The path.' },
      verb: { ...text, description: 'The method, in small letters.' },
    }),
    nullable: true,
    description: 'What would be done at a path that is no resource.',
  },
} as const satisfies Record<string, Schema>

const status: Schema = {
  ...structSchema(
    'SubjectAccessReviewStatus',
    'Whether something may be done.',
    {
      // Clients send it too, as false: that is no claim to it.
      allowed: { ...boolean, default: false, description: 'True if it may.' },
      denied: { ...boolean, description: 'True if it may not, whatever others say.' },
      reason: { ...text, description: 'Why.' },
      evaluationError: { ...text, description: 'What went wrong while the answer was sought.' },
    },
    ['allowed'],
  ),
  default: {},
  description: 'The answer.',
}

const subjectReviewSchema: Schema = {
  ...objectSchema(
    {
      spec: {
        ...structSchema('SubjectAccessReviewSpec', 'Who would do what; exactly one of the attributes.', {
          ...attributes,
          user: { ...text, description: 'The name of the user.' },
          groups: { ...list, description: 'The groups that the user is in.' },
          extra: { ...extraSchema, description: 'What else the authenticator knows.' },
          uid: { ...text, description: 'Tells users of the same name apart.' },
        }),
        default: {},
        description: 'The question.',
      },
      status,
    },
    ['spec'],
  ),
  description: 'Asks: may they do this?',
}

export const subjectAccessReviews = defineReview<SubjectAccessReview>({
  group: authorizationGroup,
  kind: 'SubjectAccessReview',
  scope: 'Cluster',
  schema: subjectReviewSchema,
})

/** The same about one namespace, so that the right to ask can be given for one namespace. */
export const localSubjectAccessReviews = defineReview<SubjectAccessReview>({
  group: authorizationGroup,
  kind: 'LocalSubjectAccessReview',
  scope: 'Namespaced',
  schema: subjectReviewSchema,
})

export const selfSubjectAccessReviews = defineReview<SelfSubjectAccessReview>({
  group: authorizationGroup,
  kind: 'SelfSubjectAccessReview',
  scope: 'Cluster',
  schema: {
    ...objectSchema(
      {
        spec: {
          ...structSchema(
            'SelfSubjectAccessReviewSpec',
            'What the asker would do; exactly one of them.',
            attributes,
          ),
          default: {},
          description: 'The question.',
        },
        status,
      },
      ['spec'],
    ),
    description: 'Asks: may I do this?',
  },
})
