import { defineReview } from '../machinery/define-review.ts'
import { boolean, objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
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
  schema: {
    ...objectSchema(
      {
        spec: {
          ...structSchema('TokenReviewSpec', 'A token to look at.', {
            token: { ...text, description: 'The token.' },
            audiences: { ...audiences, description: 'For whom it must be; by default, this server.' },
          }),
          default: {},
          description: 'The question.',
        },
        status: {
          ...structSchema('TokenReviewStatus', 'What is known of a token.', {
            authenticated: { ...boolean, description: 'Whether the token is good.' },
            user: { ...userInfoSchema, description: 'Whose it is.' },
            audiences: { ...audiences, description: 'Which of the audiences that were asked for it is for.' },
            error: { ...text, description: 'Why it could not be looked at.' },
          }),
          default: {},
          description: 'The answer.',
        },
      },
      ['spec'],
    ),
    description: 'Asks: whose token is this?',
  },
})
