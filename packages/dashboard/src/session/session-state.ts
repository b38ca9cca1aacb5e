/** Who serves the page: an API server, or `strata dashboard` on this machine. */
export type ServedBy = 'server' | 'gateway'

export interface Session {
  readonly by: ServedBy
  /** '' if the cluster does not say. */
  readonly user: string
  readonly cluster: string
  /** False if the gateway passes on only what reads. An API server decides by the rights of the user. */
  readonly allowWrites: boolean
  /** The servers can be rolled, frozen and so on. */
  readonly playground: boolean
  /** Absent for a client certificate, which the browser presents. */
  readonly token?: string | undefined
}

export type SessionState =
  | { readonly state: 'starting' }
  /** Why the last try failed, if there was one. */
  | { readonly state: 'signed-out'; readonly by: ServedBy; readonly problem?: string }
  | { readonly state: 'signed-in'; readonly session: Session }
  | { readonly state: 'unreachable'; readonly problem: string }
