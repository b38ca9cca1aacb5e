/** The attributes of a user that authorization needs. */
export interface Requester {
  readonly name: string
  readonly groups: readonly string[]
}

/** A requested access: to a resource or, without a target, to a path. */
export interface Access {
  readonly verb: string
  readonly path: string
  readonly target: AccessTarget | undefined
}

export interface AccessTarget {
  readonly group: string
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
