/** Parses a URL like Go, with Go's error messages. */
export interface GoUrl {
  readonly scheme: string
  /** With the port. */
  readonly host: string
  readonly userInfo: string | undefined
  readonly path: string
  readonly rawQuery: string
  readonly fragment: string
}

/** An address, or what Go says against it. */
export function parseGoUrl(text: string): GoUrl | { readonly problem: string } {
  const hash = text.indexOf('#')
  const [address, fragment] = hash < 0 ? [text, ''] : [text.slice(0, hash), text.slice(hash + 1)]
  try {
    return { ...parseAddress(address), fragment: unescaped(fragment) }
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error
    return { problem: `parse ${JSON.stringify(text)}: ${error.message}` }
  }
}

class UrlProblem extends Error {}

function parseAddress(text: string): Omit<GoUrl, 'fragment'> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlProblem('net/url: invalid control character in URL')
  if (text.startsWith(':')) throw new UrlProblem('missing protocol scheme')
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)
  const scheme = (found?.[1] ?? '').toLowerCase()
  const rest = text.slice(found?.[0].length ?? 0)
  const question = rest.indexOf('?')
  const beforeQuery = question < 0 ? rest : rest.slice(0, question)
  const rawQuery = question < 0 ? '' : rest.slice(question + 1)
  const none = { scheme, host: '', userInfo: undefined, rawQuery }
  if (!beforeQuery.startsWith('/')) {
    // Behind a scheme it is no path but something that only the scheme understands.
    if (scheme !== '') return { ...none, path: '' }
    if ((beforeQuery.split('/')[0] ?? '').includes(':')) {
      throw new UrlProblem('first path segment in URL cannot contain colon')
    }
  }
  if (!beforeQuery.startsWith('//') || (scheme === '' && beforeQuery.startsWith('///'))) {
    return { ...none, path: unescaped(beforeQuery) }
  }
  const slash = beforeQuery.indexOf('/', 2)
  const authority = beforeQuery.slice(2, slash < 0 ? undefined : slash)
  const path = unescaped(slash < 0 ? '' : beforeQuery.slice(slash))
  const at = authority.lastIndexOf('@')
  const host = hostOf(authority.slice(at + 1))
  if (at < 0) return { ...none, host, path }
  const userInfo = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userInfo)) throw new UrlProblem('net/url: invalid userinfo')
  unescaped(userInfo)
  return { ...none, host, userInfo, path }
}

function hostOf(host: string): string {
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : -1
  if (host.startsWith('[') && bracket < 0) throw new UrlProblem("missing ']' in host")
  const colon = host.lastIndexOf(':')
  const port = bracket >= 0 ? host.slice(bracket + 1) : colon < 0 ? '' : host.slice(colon)
  if (!/^(:\d*)?$/.test(port)) throw new UrlProblem(`invalid port ${JSON.stringify(port)} after host`)
  const wrong = /[ "<>\\^`{|}]/.exec(host)?.[0]
  if (wrong !== undefined) throw new UrlProblem(`invalid character ${JSON.stringify(wrong)} in host name`)
  return host
}

function unescaped(text: string): string {
  const wrong = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text)?.[0]
  if (wrong !== undefined) throw new UrlProblem(`invalid URL escape ${JSON.stringify(wrong)}`)
  return text
}
