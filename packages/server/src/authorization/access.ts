/** The attributes of a user that authorization needs. RBAC looks at names and groups, another server may look at all. */
export interface Requester {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** A requested access: to a resource or, without a target, to a path. */
export interface Access {
  readonly verb: string
  readonly path: string
  readonly target: AccessTarget | undefined
  /** The selectors of a list, watch or deletecollection are in it. */
  readonly query?: URLSearchParams
}

export interface AccessTarget {
  readonly group: string
  /** The version in the path; absent if no path is meant. */
  readonly versionName?: string
  readonly resource: string
  readonly subresource: string
  /** '' at the cluster scope. */
  readonly namespace: string
  /** '' if no single object is meant. */
  readonly name: string
}

export function resourceAccess(verb: string, target: Partial<AccessTarget>): Access {
  return {
    verb,
    path: '',
    target: { group: '', resource: '', subresource: '', namespace: '', name: '', ...target },
  }
}
