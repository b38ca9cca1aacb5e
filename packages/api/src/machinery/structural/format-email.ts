const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u0080-\\u{10ffff}]+"
const dotAtom = new RegExp(`^${atom}(?:\\.${atom})*$`, 'u')
const quotedPart = /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/u
const literal = /^\[[^[\]\\\r\n]*\]$/u
const phrase = new RegExp(`^(?:(?:${atom}|\\.|"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*")[ \\t]*)+$`, 'u')

/** An address as RFC 5322 has it, alone or in angle brackets behind a name. */
export function isEmail(text: string): boolean {
  const kept = withoutComments(text).trim()
  if (!kept.endsWith('>')) return isAddress(kept)
  const open = kept.lastIndexOf('<')
  if (open < 0) return false
  const name = kept.slice(0, open).trim()
  return (
    (name === '' || (name.length <= 1024 && phrase.test(name))) && isAddress(kept.slice(open + 1, -1).trim())
  )
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at <= 0) return false
  const [local, domain] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  return (dotAtom.test(local) || quotedPart.test(local)) && (dotAtom.test(domain) || literal.test(domain))
}

/** Comments are in parentheses, which may be nested, and may stand wherever spaces may. */
function withoutComments(text: string): string {
  if (!text.includes('(')) return text
  let kept = ''
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const each = text[at] ?? ''
    if (each === '\\') {
      if (depth === 0) kept += each + (text[at + 1] ?? '')
      at++
    } else if (depth === 0 && each === '"') {
      isQuoted = !isQuoted
      kept += each
    } else if (!isQuoted && each === '(') depth++
    else if (!isQuoted && depth > 0 && each === ')') depth--
    else if (depth === 0) kept += each
  }
  return depth === 0 ? kept : text
}
