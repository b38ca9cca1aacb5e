import { type GoUrl, parseGoUrl } from '../../go-url.ts'
import {
  ArrayList,
  type CelError,
  EntryMap,
  fail,
  isError,
  noSuchOverload,
  OpaqueValue,
  type Value,
} from '../evaluation/value.ts'
import { BOOL, listOf, mapOf, STRING } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'
import { URL_TYPE } from './opaque-types.ts'

class UrlValue extends OpaqueValue {
  readonly type = URL_TYPE
  readonly url: GoUrl

  constructor(url: GoUrl) {
    super()
    this.url = url
  }

  equals(other: Value): boolean | CelError {
    return other instanceof UrlValue ? urlText(this.url) === urlText(other.url) : noSuchOverload()
  }
}

const urlText = ({ scheme, host, userInfo = '', path, rawQuery, fragment }: GoUrl): string =>
  JSON.stringify([scheme, userInfo, host, path, rawQuery, fragment])

/** What Go says against a text as the target of a request: an absolute address, or an absolute path. */
export function requestUrlProblem(text: string): string | undefined {
  const wrong = (message: string): string => `parse ${JSON.stringify(text)}: ${message}`
  if (text === '') return wrong('empty url')
  if (text === '*') return undefined
  // What follows a `#` belongs to the path here.
  const found = parseGoUrl(text.replaceAll('#', '%23'))
  if ('problem' in found) return found.problem.replaceAll('%23', '#')
  const isAbsolute = found.scheme !== '' || text.startsWith('/')
  return isAbsolute ? undefined : wrong('invalid URI for request')
}

function urlOf(text: string): Value {
  const problem = requestUrlProblem(text)
  if (problem !== undefined) return fail(`URL parse error during conversion from string: ${problem}`)
  const found = parseGoUrl(text)
  return 'problem' in found
    ? fail(`URL parse error during conversion from string: ${found.problem}`)
    : new UrlValue(found)
}

const portOf = (host: string): string => /:(\d*)$/.exec(host)?.[1] ?? ''

function hostnameOf(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)?.[1]
  return bracketed ?? host.replace(/:\d*$/, '')
}

/** As it was written, if that is a valid way to write it. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/%]*$/.test(path)) return path
  return encodeURI(decoded(path)).replace(
    /[!'()*[\]?#]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function queryOf({ url }: UrlValue): Value {
  const values = new Map<string, string[]>()
  for (const part of url.rawQuery.split('&')) {
    if (part === '' || part.includes(';')) continue
    const equals = part.indexOf('=')
    const [key, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
    const isEscaped = !/%(?![0-9a-fA-F]{2})/.test(part)
    if (!isEscaped) continue
    const name = decoded(key.replaceAll('+', ' '))
    values.set(name, [...(values.get(name) ?? []), decoded(value.replaceAll('+', ' '))])
  }
  let map = EntryMap.empty()
  for (const [name, all] of values) {
    const next = map.with(name, new ArrayList(all))
    if (isError(next)) return next
    map = next
  }
  return map
}

const part = (name: string, id: string, read: (url: GoUrl) => string): FunctionDeclaration =>
  declare(
    name,
    method(id, [URL_TYPE], STRING, ({ url }: UrlValue) => read(url)),
  )

export const urls: readonly FunctionDeclaration[] = [
  declare('url', globalForm('string_to_url', [STRING], URL_TYPE, urlOf)),
  declare(
    'isURL',
    globalForm('is_url_string', [STRING], BOOL, (text: string) => requestUrlProblem(text) === undefined),
  ),
  part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
  part('getHost', 'url_get_host', ({ host }) => host),
  part('getHostname', 'url_get_hostname', ({ host }) => hostnameOf(host)),
  part('getPort', 'url_get_port', ({ host }) => portOf(host)),
  part('getEscapedPath', 'url_get_escaped_path', ({ path }) => escapedPath(path)),
  declare('getQuery', method('url_get_query', [URL_TYPE], mapOf(STRING, listOf(STRING)), queryOf)),
]
