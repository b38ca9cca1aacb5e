import type { Problem } from '../rules/problems.ts'

export type TokenKind =
  | 'symbol'
  | 'identifier'
  /** An identifier between backquotes. */
  | 'escaped'
  | 'float'
  | 'int'
  | 'uint'
  | 'string'
  | 'bytes'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly offset: number
}

const escaped = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`
const text = [
  String.raw`[rR]"""[\s\S]*?"""`,
  String.raw`[rR]'''[\s\S]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
  String.raw`"""(?:${escaped}|[^\\])*?"""`,
  String.raw`'''(?:${escaped}|[^\\])*?'''`,
  String.raw`"(?:${escaped}|[^\\"\n\r])*"`,
  String.raw`'(?:${escaped}|[^\\'\n\r])*'`,
].join('|')

/** In order: what comes first wins where two begin alike. */
const kinds: ReadonlyArray<readonly [kind: TokenKind | 'space', pattern: string]> = [
  ['space', String.raw`[\t \r\n\f]+|\/\/[^\n]*`],
  ['float', String.raw`\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?`],
  ['uint', String.raw`0x[0-9a-fA-F]+[uU]|\d+[uU]`],
  ['int', String.raw`0x[0-9a-fA-F]+|\d+`],
  ['bytes', `[bB](?:${text})`],
  ['string', text],
  ['identifier', '[A-Za-z_][A-Za-z0-9_]*'],
  ['escaped', '`[A-Za-z0-9_./ -]+`'],
  ['symbol', String.raw`==|!=|<=|>=|&&|\|\||[<>[\]{}().,!?:+*/%-]`],
]
const pattern = new RegExp(kinds.map(([, each]) => `(${each})`).join('|'), 'y')

/** The tokens of an expression. Invalid text is reported and skipped, so that one mistake is one message. */
export function tokenize(source: string, report: (problem: Problem) => void): Token[] {
  const tokens: Token[] = []
  let offset = 0
  while (offset < source.length) {
    pattern.lastIndex = offset
    const found = pattern.exec(source)
    if (!found) {
      const bad = String.fromCodePoint(source.codePointAt(offset) ?? 0)
      report({ offset, message: `Syntax error: token recognition error at: '${shownText(bad)}'` })
      offset += bad.length
      continue
    }
    const index = found.findIndex((each, group) => group > 0 && each !== undefined) - 1
    const kind = kinds[index]?.[0] ?? 'space'
    if (kind !== 'space') tokens.push({ kind, text: found[0], offset })
    offset += found[0].length
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset })
  return tokens
}

const shownText = (text: string): string =>
  text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')
