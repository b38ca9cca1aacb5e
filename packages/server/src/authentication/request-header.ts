import { extraOf, type HeaderSource, headerLines } from './header-lines.ts'
import { isProxyAnchor, type PeerAnchor } from './peer-anchor.ts'
import { anonymous, asAuthenticated, type User } from './user.ts'

/** Which headers name the user of a request, and which front proxies may send them. */
export interface RequestHeaderOptions {
  /** The first of these headers that has a value names the user. */
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  /** Every value of every one of these headers is a group. */
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
  /** Common names of front proxies. Empty: every certificate of the request-header CA is one. */
  readonly allowedNames: readonly string[]
}

/** The names that aggregators send. */
export const remoteHeaders: Omit<RequestHeaderOptions, 'allowedNames'> = {
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
}

/** The client certificate, as far as it matters here. */
interface ProxyPeer {
  readonly anchor: PeerAnchor
  readonly commonName: string
}

/** The options with lower-case names, made once and not per request. */
interface HeaderRules {
  readonly usernames: readonly string[]
  readonly uids: readonly string[]
  readonly groups: readonly string[]
  readonly extraPrefixes: readonly string[]
  readonly allowedNames: readonly string[]
  /** All of the headers that have whole names. */
  readonly names: ReadonlySet<string>
}

function headerRules(options: RequestHeaderOptions): HeaderRules {
  const lowerCase = (names: readonly string[]): readonly string[] => names.map((each) => each.toLowerCase())
  const usernames = lowerCase(options.usernameHeaders)
  const uids = lowerCase(options.uidHeaders)
  const groups = lowerCase(options.groupHeaders)
  return {
    ...{ usernames, uids, groups, extraPrefixes: lowerCase(options.extraHeaderPrefixes) },
    allowedNames: options.allowedNames,
    names: new Set([...usernames, ...uids, ...groups]),
  }
}

const matches = ({ names, extraPrefixes }: HeaderRules, name: string): boolean =>
  names.has(name) || extraPrefixes.some((prefix) => name.startsWith(prefix))

const usual = headerRules({ ...remoteHeaders, allowedNames: [] })

/**
 * Authentication by a front proxy, which has authenticated the user itself. The headers count only over a certificate of a front
 * proxy, since any client can send them. They are removed from every request, so that nothing behind believes them.
 */
export class RequestHeader {
  #rules: HeaderRules | undefined

  /** Without options no header is believed. Those with the usual names are removed nevertheless. */
  constructor(options?: RequestHeaderOptions) {
    this.use(options)
  }

  /** Other options, from the next request on. */
  use(options: RequestHeaderOptions | undefined): void {
    this.#rules = options && headerRules(options)
  }

  /** The user that a front proxy names; undefined if there is none, or the client is no front proxy. */
  identify(request: HeaderSource & { readonly peer?: ProxyPeer }): User | undefined {
    const { peer } = request
    return peer && this.#rules && decideUser(this.#rules, peer, request)
  }

  /** The request without the headers. The same request if it has none. */
  strip<T extends HeaderSource>(request: T): T {
    const { headers, rawHeaders } = request
    let isFound = false
    for (const name in headers) if (this.#isClaim(name)) isFound = true
    if (!isFound) return request
    const kept = Object.entries(headers).filter(([name]) => !this.#isClaim(name))
    const stripped = { ...request, headers: Object.fromEntries(kept) }
    if (!rawHeaders) return stripped
    const isKept = (index: number): boolean =>
      !this.#isClaim((rawHeaders[index - (index % 2)] ?? '').toLowerCase())
    return { ...stripped, rawHeaders: rawHeaders.filter((_, index) => isKept(index)) }
  }

  #isClaim(name: string): boolean {
    return matches(usual, name) || (this.#rules !== undefined && matches(this.#rules, name))
  }
}

/** Undefined if the certificate is not that of an allowed front proxy, or the headers name no user. */
function decideUser(rules: HeaderRules, peer: ProxyPeer, request: HeaderSource): User | undefined {
  const { allowedNames, usernames, uids, groups, extraPrefixes } = rules
  if (!isProxyAnchor(peer.anchor)) return undefined
  if (allowedNames.length > 0 && !allowedNames.includes(peer.commonName)) return undefined
  const lines = headerLines(request, (name) => matches(rules, name))
  // As upstream: of a repeated header the first line counts, and an empty one is none.
  const firstOf = (names: readonly string[]): string => {
    for (const name of names) {
      const [value = ''] = lines.get(name) ?? []
      if (value !== '') return headerText(value)
    }
    return ''
  }
  const name = firstOf(usernames)
  if (name === '') return undefined
  const uid = firstOf(uids)
  const all = groups.flatMap((each) => lines.get(each) ?? [])
  const extra = extraOf(lines, extraPrefixes, headerText)
  return asNamed({
    name,
    groups: all.filter((each) => each !== '').map(headerText),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  })
}

/** A front proxy also passes on requests of anonymous users: these do not become authenticated by it. */
function asNamed(user: User): User {
  if (user.name === anonymous.name) return user
  return user.groups.some((each) => anonymous.groups.includes(each)) ? user : asAuthenticated(user)
}

/** A header carries bytes, which are UTF-8. */
const headerText = (value: string): string => Buffer.from(value, 'latin1').toString('utf8')
