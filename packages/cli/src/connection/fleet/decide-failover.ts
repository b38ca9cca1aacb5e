import type { ClusterIdentity } from './cluster-identity.ts'

/** A context whose server may take over. */
export interface FailoverQuestion {
  /** What the servers say that were used until now; undefined: none of them has answered. */
  readonly used: ClusterIdentity | undefined
  readonly other: ClusterIdentity
  /** The user named the context; otherwise it was found beside the current one, with the same authority and user. */
  readonly isNamed: boolean
}

export type FailoverDecision = { readonly use: true } | { readonly use: false; readonly because: string }

const not = (because: string): FailoverDecision => ({ use: false, because })
const unsaid = (whose: string, because: string): FailoverDecision =>
  not(
    `whether both are of one cluster is unknown: ${whose} does not show the uid of kube-system (${because})`,
  )

/**
 * Whether a command may go on at another server. One authority and one user may serve several clusters, and a command that
 * began at one of them must not write to another one. If no server was used before, a context that the user named is as good
 * as the first one.
 */
export function decideFailover({ used, other, isNamed }: FailoverQuestion): FailoverDecision {
  if (used?.kind === 'hidden') return unsaid('the first', used.because)
  if (other.kind === 'hidden') return unsaid('the other', other.because)
  if (used === undefined) {
    return isNamed
      ? { use: true }
      : not('no server of the first has answered, so whether both are of one cluster is unknown')
  }
  if (used.uid === other.uid) return { use: true }
  return not(`it is another cluster: the uid of its kube-system is ${other.uid}, not ${used.uid}`)
}
