import { badRequest, type TokenReview, userInfoOf } from '@strata/api'
import type { User } from '../../authentication/index.ts'
import type { Reviewer } from './review.ts'

export type TokenAnswer =
  /** The audiences of the token that are in the spec, or among those of this API. */
  { readonly user: User; readonly audiences: readonly string[] } | { readonly error: string }

/** Finds the user of a token. Without audiences, the token must be for this API. */
export type ReviewToken = (
  token: string,
  audiences: readonly string[] | undefined,
  signal: AbortSignal,
) => TokenAnswer | Promise<TokenAnswer>

/** "Whose token is this?", for servers that authenticate their clients through this one. */
export function tokenReview(review: ReviewToken): Reviewer {
  return async ({ object, signal }) => {
    const { spec = {} } = object as TokenReview
    if (!spec.token) throw badRequest('token is required for TokenReview in authentication')
    const audiences = spec.audiences?.length ? spec.audiences : undefined
    const answer = await review(spec.token, audiences, signal)
    const status: TokenReview['status'] =
      'error' in answer
        ? { user: {}, error: answer.error }
        : {
            authenticated: true,
            user: userInfoOf(answer.user),
            ...(answer.audiences.length > 0 ? { audiences: answer.audiences } : {}),
          }
    return { ...object, status }
  }
}
