import { defineReview } from '../machinery/define-review.ts'
import { boolean, objectSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import { authenticationGroup, type UserInfo, userInfoSchema } from './user-info.ts'

/** "Whose token is this?" */
export interface TokenReview extends ApiObject {
  spec?: { token?: string; audiences?: readonly string[] }
  status?: {
    authenticated?: boolean
    user?: UserInfo
    audiences?: readonly string[]
    error?: string
  }
}

const audiences: Schema = { ...textList, nullable: true, 'x-kubernetes-list-type': 'atomic' }

export const tokenReviews = defineReview<TokenReview>({
  group: authenticationGroup,
  kind: 'TokenReview',
  scope: 'Cluster',
  schema: objectSchema({
    spec: { type: 'object', default: {}, properties: { token: text, audiences } },
    status: {
      type: 'object',
      default: {},
      properties: { authenticated: boolean, user: userInfoSchema, audiences, error: text },
    },
  }),
})
