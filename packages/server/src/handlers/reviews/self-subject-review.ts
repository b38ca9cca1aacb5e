import { userInfoOf } from '@strata/api'
import { type Clock, timestamp } from '@strata/world'
import type { Reviewer } from './review.ts'

/** "Who am I?" The body is ignored. */
export function selfSubjectReview(clock: Clock): Reviewer {
  return ({ user }) => ({
    metadata: { creationTimestamp: timestamp(clock) },
    status: { userInfo: userInfoOf(user) },
  })
}
