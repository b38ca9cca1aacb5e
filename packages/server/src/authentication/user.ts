/** Who is asking. */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  /** What else is known, by names that say who knows it: by which credential somebody came, for example. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

const everybody = 'system:authenticated'

/** Everybody who is known is in one more group. */
export function asAuthenticated(user: User): User {
  return user.groups.includes(everybody) ? user : { ...user, groups: [...user.groups, everybody] }
}

/** The name of what was shown, so that what was done with it can be found. */
export const credentialId = 'authentication.kubernetes.io/credential-id'
