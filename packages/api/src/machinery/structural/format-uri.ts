/** What Go takes for the target of a request: an absolute path or an absolute URI, without a fragment. */
export function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return false
  if (text === '*') return true
  if (text.startsWith(':')) return false
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? ''
  const [rest = ''] = text.slice(scheme.length).split('?')
  if (!rest.startsWith('/')) return scheme !== ''
  if (scheme === '' || !rest.startsWith('//')) return isEscaped(rest)
  const [authority = ''] = rest.slice(2).split('/')
  return isAuthority(authority) && isEscaped(rest.slice(2 + authority.length))
}

/** A percent sign begins two hexadecimal digits. */
const isEscaped = (text: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(text)

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@')
  const user = text.slice(0, Math.max(at, 0))
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) && isEscaped(user) && isHost(text.slice(at + 1))
}

const port = /^(?::\d*)?$/
const hostCharacters = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[^\0-\x7f]|%[89a-fA-F][0-9a-fA-F])*$/

function isHost(text: string): boolean {
  if (text.startsWith('[')) {
    const end = text.lastIndexOf(']')
    if (end < 0 || !port.test(text.slice(end + 1))) return false
    const zone = text.slice(0, end).indexOf('%25')
    return hostCharacters.test(zone < 0 ? text.slice(0, end) : text.slice(0, zone))
  }
  const colon = text.lastIndexOf(':')
  return (colon < 0 || port.test(text.slice(colon))) && hostCharacters.test(text)
}
