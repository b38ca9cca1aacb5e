import { extraSchema } from '../authentication/user-info.ts'
import { defineReview } from '../machinery/define-review.ts'
import { boolean, objectSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { LabelExpression } from '../meta/label-selector-object.ts'
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

const selector: Schema = {
  type: 'object',
  nullable: true,
  properties: {
    rawSelector: text,
    requirements: {
      type: 'array',
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        required: ['key', 'operator'],
        properties: { key: text, operator: text, values: list },
      },
    },
  },
}

const attributes = {
  resourceAttributes: {
    type: 'object',
    nullable: true,
    properties: {
      namespace: text,
      verb: text,
      group: text,
      version: text,
      resource: text,
      subresource: text,
      name: text,
      fieldSelector: selector,
      labelSelector: selector,
    },
  },
  nonResourceAttributes: { type: 'object', nullable: true, properties: { path: text, verb: text } },
} as const satisfies Record<string, Schema>

const status: Schema = {
  type: 'object',
  default: {},
  required: ['allowed'],
  // Clients send it too, as false: that is no claim to it.
  properties: {
    allowed: { ...boolean, default: false },
    denied: boolean,
    reason: text,
    evaluationError: text,
  },
}

const subjectReviewSchema: Schema = objectSchema({
  spec: {
    type: 'object',
    default: {},
    properties: { ...attributes, user: text, groups: list, extra: extraSchema, uid: text },
  },
  status,
})

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
  schema: objectSchema({ spec: { type: 'object', default: {}, properties: attributes }, status }),
})
