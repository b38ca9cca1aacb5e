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
        ...structSchema('SelfSubjectReviewStatus', 'Who the asker is.', {
          userInfo: { ...userInfoSchema, description: 'The asker, as the server knows them.' },
        }),
        default: {},
        description: 'The answer.',
      },
    }),
    description: 'Asks: who am I?',
  },
})
