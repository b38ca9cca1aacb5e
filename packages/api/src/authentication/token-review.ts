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
          ...structSchema('TokenReviewSpec', 'The token to verify.', {
            token: { ...text, description: 'The token.' },
            audiences: {
              ...audiences,
              description: 'The audiences that the token must have. Defaults to the audience of this server.',
            },
          }),
          default: {},
          description: 'The question.',
        },
        status: {
          ...structSchema('TokenReviewStatus', 'The result of the verification.', {
            authenticated: { ...boolean, description: 'Whether the token is valid.' },
            user: { ...userInfoSchema, description: 'The user that the token belongs to.' },
            audiences: { ...audiences, description: 'The requested audiences that the token has.' },
            error: { ...text, description: 'Why the token could not be verified.' },
          }),
          default: {},
          description: 'The answer.',
        },
      },
      ['spec'],
    ),
    description: 'Verifies a token and returns its user.',
  },
})
