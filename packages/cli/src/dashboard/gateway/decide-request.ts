import { type ApiPath, readApiPath } from './api-path.ts'

/** What is known of a request before anything is done for it. */
export interface RequestFacts {
  readonly method: string
  /** Path and query, as on the request line. */
  readonly target: string
  readonly host: string | undefined
  readonly origin: string | undefined
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`: browsers say where a request comes from, and pages cannot change it. */
  readonly fetchSite: string | undefined
  readonly fetchMode: string | undefined
  /** It carries the token of a session. */
  readonly isSignedIn: boolean
  readonly allowWrites: boolean
  readonly hasPlayground: boolean
}

export type RequestDecision =
  | { readonly allow: 'file' | 'session' | 'link' | 'api' | 'watches' | 'rehearsals' | 'playground' }
  | { readonly deny: Denial }

export type Denial =
  | 'WrongHost'
  | 'OtherOrigin'
  | 'MethodNotAllowed'
  | 'NotFound'
  | 'NotSignedIn'
  | 'ReadOnly'
  | 'NotPassedOn'
  | 'Secrets'

const deny = (denial: Denial): RequestDecision => ({ deny: denial })
const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'

/**
 * What to do for a request. Whatever runs on this machine can reach the gateway, and so can every page in the user's browser:
 * 1. The host must be this machine by a name that no one else can own. Else a page of evil.example, whose name was pointed to
 *    127.0.0.1 after it was loaded, is of the same origin as the gateway (DNS rebinding).
 * 2. The request must come from the dashboard itself, not from a page of another origin.
 * 3. Data needs the token of a session, which only the holder of a sign-in link gets. It is a header and never a cookie, so a
 *    browser does not add it by itself.
 */
export function decideRequest(facts: RequestFacts): RequestDecision {
  const { method, target, host = '' } = facts
  if (!LOCAL_HOST.test(host)) return deny('WrongHost')
  const [path = ''] = target.split('?', 1)
  const isFile = isOfDashboard(path) && !ADDRESSES.includes(path)
  if (isForeign(facts, isFile)) return deny('OtherOrigin')
  if (isFile) return isReading(method) ? { allow: 'file' } : deny('MethodNotAllowed')
  if (path === sessionPath)
    return ['GET', 'POST', 'DELETE'].includes(method) ? { allow: 'session' } : deny('MethodNotAllowed')
  // Shows a link to the user of the terminal, and nothing to the client.
  if (path === linkPath) return method === 'POST' ? { allow: 'link' } : deny('MethodNotAllowed')
  const isWatches = path === watchesPath
  const isPlayground = path.startsWith('/playground/')
  const api = readApiPath(path)
  const isRehearsals = path === rehearsalsPath
  if (!isWatches && !isRehearsals && !isPlayground && !api) return deny('NotFound')
  if (!facts.isSignedIn) return deny('NotSignedIn')
  if (isWatches) return method === 'POST' ? { allow: 'watches' } : deny('MethodNotAllowed')
  // It is played on this machine, and changes nothing in the cluster.
  if (isRehearsals)
    return ['GET', 'POST'].includes(method) ? { allow: 'rehearsals' } : deny('MethodNotAllowed')
  if (isPlayground) return decidePlayground(facts)
  return api ? decideApi(facts, api) : deny('NotFound')
}

const sessionPath = '/dashboard/session'
const linkPath = '/dashboard/link'
const watchesPath = '/dashboard/watches'
const rehearsalsPath = '/rehearsals'
const ADDRESSES = [sessionPath, linkPath, watchesPath]

/** Behind a forwarded port, the port is another one than that of the gateway. */
const LOCAL_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/

const isOfDashboard = (path: string): boolean => path === '/dashboard' || path.startsWith('/dashboard/')

/** A link elsewhere may lead to the page, which then is no part of the other page. */
function isForeign({ host, origin, fetchSite, fetchMode }: RequestFacts, isFile: boolean): boolean {
  if (origin !== undefined && origin !== `http://${host}`) return true
  const isOwn = fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none'
  return !isOwn && !(isFile && fetchMode === 'navigate')
}

function decidePlayground({ method, hasPlayground, allowWrites }: RequestFacts): RequestDecision {
  if (!hasPlayground) return deny('NotFound')
  if (isReading(method)) return { allow: 'playground' }
  if (method !== 'POST') return deny('MethodNotAllowed')
  return allowWrites ? { allow: 'playground' } : deny('ReadOnly')
}

function decideApi({ method, allowWrites }: RequestFacts, api: ApiPath): RequestDecision {
  if (!METHODS.includes(method)) return deny('MethodNotAllowed')
  const denial =
    decideResource(api) ?? (isReading(method) ? undefined : decideChange(method, api, allowWrites))
  return denial === undefined ? { allow: 'api' } : deny(denial)
}

/** Why no request for the resource is passed on, whatever its method; undefined if those that read are. */
export function decideResource({ resource }: ApiPath): Denial | undefined {
  if (resource === undefined) return undefined
  if (isConnection(resource)) return 'NotPassedOn'
  return isSecret(resource) ? 'Secrets' : undefined
}

function decideChange(method: string, { resource }: ApiPath, allowWrites: boolean): Denial | undefined {
  const isReview = method === 'POST' && resource !== undefined && isReadingReview(resource)
  return allowWrites || isReview ? undefined : 'ReadOnly'
}

type Resource = NonNullable<ApiPath['resource']>

/** Through these, a client talks to a container or to any server in the cluster, also with GET. */
const CONNECTING = ['attach', 'exec', 'portforward', 'proxy']
const isConnection = ({ group, name, subresource }: Resource): boolean =>
  CONNECTING.includes(subresource) || (group === '' && name === 'proxy')

/**
 * Metadata has the contents too: `kubectl apply` keeps them in an annotation. So have the answers to writes, even to a patch
 * without a change. A token that the server signs for a service account is a credential that outlives the session.
 */
const isSecret = ({ group, name, subresource }: Resource): boolean =>
  group === '' && (name === 'secrets' || (name === 'serviceaccounts' && subresource === 'token'))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Reviews are created, stored nowhere, and answer a question. Without a group: in every group. */
const READING_REVIEWS: readonly { readonly group?: string; readonly name: string }[] = [
  { group: 'authentication.k8s.io', name: 'selfsubjectreviews' },
  { group: 'authorization.k8s.io', name: 'selfsubjectaccessreviews' },
  { group: 'authorization.k8s.io', name: 'selfsubjectrulesreviews' },
  { group: 'strata.dev', name: 'upgradereviews' },
  // Aggregated Strata servers count their objects in the groups of their kinds.
  { name: 'storagecensuses' },
]

function isReadingReview({ group, name, subresource }: Resource): boolean {
  const isAsked = (review: (typeof READING_REVIEWS)[number]): boolean =>
    review.name === name && (review.group === undefined ? group !== '' : review.group === group)
  return subresource === '' && READING_REVIEWS.some(isAsked)
}
