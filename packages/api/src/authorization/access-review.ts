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

/** The request to check; exactly one of the two. */
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
  ...structSchema(name, 'Limits the request to matching objects. Set one of the two fields.', {
    rawSelector: { ...text, description: 'The selector as a query parameter.' },
    requirements: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      items: requirementSchema(requirement),
      description: 'The parsed requirements, all of which must match.',
    },
  }),
  nullable: true,
  description: 'Limits the request to matching objects.',
})

const attributes = {
  resourceAttributes: {
    ...structSchema('ResourceAttributes', 'A request for a resource.', {
      namespace: { ...text, description: 'The namespace. Empty means all namespaces, or no namespace.' },
      verb: { ...text, description: 'The verb, such as get, list or create; * means all.' },
      group: { ...text, description: 'The API group; * means all.' },
      version: { ...text, description: 'The API version; * means all.' },
      resource: { ...text, description: 'The resource; * means all.' },
      subresource: { ...text, description: 'The subresource, if any.' },
      name: { ...text, description: 'The name of the object. Empty means all.' },
      fieldSelector: selector('FieldSelectorAttributes', 'FieldSelectorRequirement'),
      labelSelector: selector('LabelSelectorAttributes', 'LabelSelectorRequirement'),
    }),
    nullable: true,
    description: 'The request, if it is for a resource.',
  },
  nonResourceAttributes: {
    ...structSchema('NonResourceAttributes', 'A request for a non-resource URL.', {
      path: { ...text, description: 'The URL path.' },
      verb: { ...text, description: 'The HTTP method, in lower case.' },
    }),
    nullable: true,
    description: 'The request, if it is for a non-resource URL.',
  },
} as const satisfies Record<string, Schema>

const status: Schema = {
  ...structSchema(
    'SubjectAccessReviewStatus',
    'The decision.',
    {
      // Clients send it too, as false: they do not own it by that.
      allowed: { ...boolean, default: false, description: 'Whether the request is allowed.' },
      denied: { ...boolean, description: 'Whether the request is denied explicitly.' },
      reason: { ...text, description: 'The reason of the decision.' },
      evaluationError: { ...text, description: 'An error during evaluation, if any.' },
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
        ...structSchema(
          'SubjectAccessReviewSpec',
          'The user and the request. Set exactly one kind of attributes.',
          {
            ...attributes,
            user: { ...text, description: 'The user name.' },
            groups: { ...list, description: 'The groups that the user is in.' },
            extra: { ...extraSchema, description: 'Further attributes from the authenticator.' },
            uid: { ...text, description: 'A unique ID. Distinguishes users of the same name.' },
          },
        ),
        default: {},
        description: 'The question.',
      },
      status,
    },
    ['spec'],
  ),
  description: 'Checks whether a user may make a request.',
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
            'The request. Set exactly one kind of attributes.',
            attributes,
          ),
          default: {},
          description: 'The question.',
        },
        status,
      },
      ['spec'],
    ),
    description: 'Checks whether the current user may make a request.',
  },
})
