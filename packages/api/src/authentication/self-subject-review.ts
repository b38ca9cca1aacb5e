import { defineReview } from '../machinery/define-review.ts'
import { objectSchema, structSchema } from '../machinery/identity-version.ts'
import type { ApiObject } from '../meta/object.ts'
import { authenticationGroup, type UserInfo, userInfoSchema } from './user-info.ts'

/** "Who am I?" */
export interface SelfSubjectReview extends ApiObject {
  status?: { userInfo?: UserInfo }
}

export const selfSubjectReviews = defineReview<SelfSubjectReview>({
  group: authenticationGroup,
  kind: 'SelfSubjectReview',
  scope: 'Cluster',
  schema: {
    ...objectSchema({
      status: {
        ...structSchema('SelfSubjectReviewStatus', 'The attributes of the current user.', {
          userInfo: { ...userInfoSchema, description: 'The current user.' },
        }),
        default: {},
        description: 'The answer.',
      },
    }),
    description: 'Returns the attributes of the current user.',
  },
})
