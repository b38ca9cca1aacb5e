import type { HttpHeaders } from '@strata/world'
import type { User } from '../authentication/index.ts'

/** About one connection, and not about the request. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Credentials of the client: the backend gets the name of the user instead, from this server. */
const credentials = new Set(['authorization', 'proxy-authorization', 'cookie'])
/** A client that could set these would choose its own name. */
const identityPrefixes = ['x-remote-', 'impersonate-']
const tokenProtocol = 'base64url.bearer.authorization.k8s.io.'

export interface ProxiedRequest {
  readonly headers: HttpHeaders
  readonly user: User
  readonly auditId: string
  readonly remoteAddress: string | undefined
  /** `name.namespace.svc:port`. */
  readonly host: string
  readonly isUpgrade: boolean
}

/** The headers of the request to the backend. */
export function requestHeaders(request: ProxiedRequest): HttpHeaders {
  const { headers, user, auditId, remoteAddress, host, isUpgrade } = request
  const dropped = namedIn(headers)
  const sent: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || hopByHop.has(name) || dropped.has(name)) continue
    if (credentials.has(name) || isIdentity(name)) continue
    if (name === 'expect' || name === 'host' || name === 'http2-settings') continue
    const kept = name === 'sec-websocket-protocol' ? withoutTokens(value) : value
    if (kept !== undefined) sent[name] = kept
  }
  if (isUpgrade) {
    sent['connection'] = 'Upgrade'
    sent['upgrade'] = headers['upgrade'] ?? ''
  }
  if (remoteAddress) {
    const before = headers['x-forwarded-for']
    const plain = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '')
    sent['x-forwarded-for'] = before === undefined ? plain : `${[before].flat().join(', ')}, ${plain}`
  }
  return { ...sent, host, 'audit-id': auditId, ...userHeaders(user) }
}

/** Some web servers take an underscore for a hyphen. */
function isIdentity(name: string): boolean {
  const plain = name.replaceAll('_', '-')
  return identityPrefixes.some((prefix) => plain.startsWith(prefix))
}

/** Upstream's headers for an authenticated user; the backend trusts them because of the client certificate. */
export function userHeaders({ name, uid = '', groups, extra = {} }: User): HttpHeaders {
  const headers: Record<string, string | readonly string[]> = { 'x-remote-user': headerText(name) }
  if (uid !== '') headers['x-remote-uid'] = headerText(uid)
  if (groups.length > 0) headers['x-remote-group'] = groups.map(headerText)
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`x-remote-extra-${escapeKey(key)}`] = values.map(headerText)
  }
  return headers
}

/** The headers of the answer to the client. */
export function responseHeadersOf(headers: HttpHeaders, isUpgrade: boolean): HttpHeaders {
  const dropped = namedIn(headers)
  const kept: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    // As upstream: which web pages may read an answer is decided here, and not by the backend.
    if (hopByHop.has(name) || dropped.has(name) || name.startsWith('access-control-')) continue
    kept[name] = value
  }
  if (isUpgrade) Object.assign(kept, { connection: 'Upgrade', upgrade: headers['upgrade'] ?? '' })
  return kept
}

/** The headers that `Connection` declares to be about the connection. */
function namedIn({ connection }: HttpHeaders): ReadonlySet<string> {
  if (connection === undefined) return new Set()
  const names = [connection].flat().flatMap((each) => each.split(','))
  return new Set(names.map((each) => each.trim().toLowerCase()))
}

/** A browser sends its token as a protocol of the WebSocket. */
function withoutTokens(value: string | readonly string[]): string | undefined {
  const all = [value].flat().flatMap((each) => each.split(','))
  const kept = all.map((each) => each.trim()).filter((each) => !each.startsWith(tokenProtocol))
  return kept.length === 0 ? undefined : kept.join(', ')
}

/** A header carries bytes, which the backend reads as UTF-8. */
const headerText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** As upstream: everything that a header name cannot have, and `%` itself, is percent-encoded. The backend ignores case. */
function escapeKey(key: string): string {
  return [...Buffer.from(key.toLowerCase(), 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`
    })
    .join('')
}
