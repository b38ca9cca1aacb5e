/**
 * How a string is written in YAML, decided as upstream's emitter does (a port of libyaml's rules as they are in
 * sigs.k8s.io/yaml): clients compare texts, and a string that is not quoted where it should be becomes a number.
 */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal'

const words = new Set(
  'y Y yes Yes YES true True TRUE on On ON n N no No NO false False FALSE off Off OFF ~ null Null NULL .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF <<'.split(
    ' ',
  ),
)
const integer = /^[-+]?(?:0|[1-9][0-9]*|0[0-7]+|0[oO][0-7]+|0[xX][0-9a-fA-F]+|0[bB][01]+)$/
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
const timestamp =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/

/** True if a YAML reader would take the bare text for another type than a string. */
function looksLikeAnotherType(text: string): boolean {
  if (text === '' || words.has(text)) return true
  const first = text.charCodeAt(0)
  // Only text that begins with a digit, a sign or a point can be a number or a time.
  if (!((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e)) return false
  const digits = text.replaceAll('_', '')
  return integer.test(digits) || float.test(digits) || base60.test(text) || timestamp.test(text)
}

export function styleOf(text: string, isKey: boolean): ScalarStyle {
  const wanted = text.includes('\n') ? 'literal' : looksLikeAnotherType(text) ? 'double' : 'plain'
  if (wanted === 'double') return 'double'
  const allowed = analyze(text)
  if (wanted === 'literal') return allowed.block && !isKey ? 'literal' : 'double'
  if (allowed.plain) return 'plain'
  return allowed.single ? 'single' : 'double'
}

interface Allowed {
  readonly plain: boolean
  readonly single: boolean
  readonly block: boolean
}

const isBreak = (char: string | undefined): boolean =>
  char === '\n' || char === '\r' || char === '\u0085' || char === '\u2028' || char === '\u2029'
const isBlank = (char: string | undefined): boolean =>
  char === undefined || char === ' ' || char === '\t' || isBreak(char)

/** Characters that must be escaped: control characters, and those that libyaml does not count as printable. */
const special = /(?!\n)\p{Cc}|[\u{feff}\u{fffe}\u{ffff}\u{10000}-\u{10ffff}]|\p{Cs}/u
const startIndicator = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.)/

/** The styles that keep the text unchanged; see yaml_emitter_analyze_scalar. */
function analyze(text: string): Allowed {
  const last = text.length - 1
  let breakThenSpace = false
  let spaceThenBreak = false
  let breaks = false
  let indicator = startIndicator.test(text) || (/^[?:-]/.test(text) && isBlank(text[1]))
  for (let at = 0; at <= last; at++) {
    const char = text[at]
    if (char === ' ' && at > 0 && isBreak(text[at - 1])) breakThenSpace = true
    else if (isBreak(char)) {
      breaks = true
      if (text[at - 1] === ' ') spaceThenBreak = true
    } else if (at > 0 && char === ':' && isBlank(text[at + 1])) indicator = true
    else if (at > 0 && char === '#' && isBlank(text[at - 1])) indicator = true
  }
  const edges = isEdge(text[0]) || isEdge(text[last])
  const never = spaceThenBreak || special.test(text)
  return {
    plain: !(edges || breakThenSpace || never || breaks || indicator),
    single: !(breakThenSpace || never),
    block: !(never || text[last] === ' '),
  }
}

const isEdge = (char: string | undefined): boolean => char === ' ' || isBreak(char)

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\u001b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u00a0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

/** One character inside double quotes. */
export function escapeCharacter(char: string): string {
  const named = escapes[char]
  if (named !== undefined && char !== '\u00a0') return named
  if (!special.test(char)) return char
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
