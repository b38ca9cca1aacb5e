import { ApiError } from '@strata/api'
import { DeadlineExceeded } from '@strata/world'
import { explain } from '../../output/errors.ts'

/** The error of a request that no server of the cluster answered. The page shows its message. */
export function explainUpstream(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const known = explain('the cluster cannot be reached', error, 1)
  const message = known instanceof Error ? known.message : String(known)
  return error instanceof DeadlineExceeded
    ? new ApiError(504, 'Timeout', message, { retryAfterSeconds: 1 })
    : new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 })
}

/**
 * The cluster refuses the credentials of the kubeconfig. To the page, a plain 401 would mean that it is signed out of the
 * gateway, which a new link would not mend.
 */
export const credentialsRefused = (): ApiError =>
  new ApiError(
    502,
    'CredentialsRefused',
    'the cluster does not accept the credentials of the kubeconfig: they have expired, or belong to another cluster. Renew them; "kubectl auth whoami" shows whether they work',
  )
