/** The user of a request. */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  /** Further attributes by their names: for example the id of the credential. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

const everybody = 'system:authenticated'

/** Adds the group of all authenticated users. */
export function asAuthenticated(user: User): User {
  return user.groups.includes(everybody) ? user : { ...user, groups: [...user.groups, everybody] }
}

/** The id of the credential, by which its use can be found in audit logs. */
export const credentialId = 'authentication.kubernetes.io/credential-id'
