import { isSuccess } from '@strata/client'
import { type Deadline, deadline, readAll, utf8 } from '@strata/world'
import type { Upstream } from './pass-on.ts'

const limitMs = 3_000
const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const body = utf8.encode(
  JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} }),
)

/** How the cluster names the user of the kubeconfig. '' if it does not say, as before Kubernetes 1.28. */
export async function readUser({ transport, clock }: Upstream, signal: AbortSignal): Promise<string> {
  const limit: Deadline = deadline(clock, limitMs, signal)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'strata-dashboard',
  }
  try {
    const answer = await transport({ method: 'POST', target: path, headers, body, signal: limit.signal })
    const text = utf8.decode(await readAll(answer.body))
    return isSuccess(answer) ? userIn(JSON.parse(text)) : ''
  } catch {
    // The page says itself that the cluster does not answer.
    return ''
  } finally {
    limit.dispose()
  }
}

const userIn = (review: {
  readonly status?: { readonly userInfo?: { readonly username?: string } }
}): string => review.status?.userInfo?.username ?? ''
