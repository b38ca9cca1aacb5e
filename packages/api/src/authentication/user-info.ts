import { structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'

export const authenticationGroup = 'authentication.k8s.io'

/** The attributes of an authenticated user. */
export interface UserInfo {
  username?: string
  uid?: string
  groups?: readonly string[]
  extra?: Readonly<Record<string, readonly string[]>>
}

export const extraSchema: Schema = {
  type: 'object',
  nullable: true,
  additionalProperties: { ...textList, 'x-kubernetes-list-type': 'atomic' },
}

export const userInfoSchema: Schema = {
  ...structSchema('UserInfo', 'The attributes of an authenticated user.', {
    username: { ...text, description: 'The name.' },
    uid: { ...text, description: 'A unique ID. Distinguishes users of the same name.' },
    groups: {
      ...textList,
      nullable: true,
      'x-kubernetes-list-type': 'atomic',
      description: 'The groups that the user is in.',
    },
    extra: { ...extraSchema, description: 'Further attributes from the authenticator.' },
  }),
  default: {},
}

/** Without what is empty, as upstream writes it. */
export function userInfoOf(user: {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}): UserInfo {
  const { name, uid, groups, extra } = user
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  }
}
