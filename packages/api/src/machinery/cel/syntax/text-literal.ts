/** What a string or bytes literal stands for, or what is wrong with it. */
export type Unescaped<T> = { readonly value: T } | { readonly problem: string }

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  "'": 39,
  '"': 34,
  '`': 96,
  '?': 63,
}

/** The text of a literal with its quotes, and with the `r` of a raw one. */
export function unescapeText(literal: string): Unescaped<string> {
  const { body, isRaw } = unquote(literal)
  if (isRaw || !body.includes('\\')) return { value: body }
  let value = ''
  for (const part of parts(body)) {
    if (typeof part === 'string') value += part
    else if (part.code > 0x10ffff || (part.code >= 0xd800 && part.code < 0xe000)) {
      return { problem: 'invalid unicode code point' }
    } else value += String.fromCodePoint(part.code)
  }
  return { value }
}

/** As above, without the `b`. Escapes are bytes here, not characters. */
export function unescapeBytes(literal: string): Unescaped<Uint8Array> {
  const { body, isRaw } = unquote(literal)
  const encoder = new TextEncoder()
  if (isRaw || !body.includes('\\')) return { value: encoder.encode(body) }
  const bytes: number[] = []
  for (const part of parts(body)) {
    if (typeof part === 'string') bytes.push(...encoder.encode(part))
    else if (part.isUnicode) return { problem: 'unable to unescape string' }
    else bytes.push(part.code & 0xff)
  }
  return { value: Uint8Array.from(bytes) }
}

function unquote(literal: string): { body: string; isRaw: boolean } {
  const isRaw = /^[rR]/.test(literal)
  const quoted = (isRaw ? literal.slice(1) : literal).replace(/\r\n?/g, '\n')
  const quotes = /^(?:"""[\s\S]*"""|'''[\s\S]*''')$/.test(quoted) && quoted.length >= 6 ? 3 : 1
  return { body: quoted.slice(quotes, quoted.length - quotes), isRaw }
}

function* parts(body: string): Iterable<string | { code: number; isUnicode: boolean }> {
  const pattern =
    /\\(?:([abfnrtv\\'"`?])|[xX]([0-9a-fA-F]{2})|[uU]([0-9a-fA-F]{4,8})|([0-3][0-7]{2}))|[^\\]+/g
  // A `\u` takes four digits and no more; the tokenizer has let nothing else through.
  const unicode = /^\\u([0-9a-fA-F]{4})/
  for (let at = 0; at < body.length; ) {
    const short = unicode.exec(body.slice(at, at + 6))
    if (short) {
      yield { code: Number.parseInt(short[1] ?? '', 16), isUnicode: true }
      at += 6
      continue
    }
    pattern.lastIndex = at
    const found = pattern.exec(body)
    if (!found) return
    const [all, letter, hex, long, octal] = found
    if (letter !== undefined) yield { code: simple[letter] ?? 0, isUnicode: false }
    else if (hex !== undefined) yield { code: Number.parseInt(hex, 16), isUnicode: false }
    else if (long !== undefined) yield { code: Number.parseInt(long, 16), isUnicode: true }
    else if (octal !== undefined) yield { code: Number.parseInt(octal, 8), isUnicode: false }
    else yield all
    at += all.length
  }
}
