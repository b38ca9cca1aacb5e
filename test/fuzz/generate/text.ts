import { chance, integer, pick, type Random } from '@strata/world'

type NonEmpty<T> = readonly [T, ...T[]]

/** Texts that have broken parsers: names with a meaning for JavaScript, YAML's other types, edges of numbers and of Unicode. */
const nasty: NonEmpty<string> = [
  '',
  ' ',
  '\n',
  '\t',
  '\0',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'true',
  'no',
  'y',
  '~',
  '0x1f',
  '0o17',
  '017',
  '1e3',
  '.5',
  '-0',
  '.inf',
  '.nan',
  '1_000',
  '12:30:45',
  '2001-01-01',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775809',
  '=',
  '<<',
  '*a',
  '&a',
  '!!binary',
  '- a',
  'a: b',
  '# c',
  '%YAML 1.1',
  '---',
  '...',
  '"',
  "'",
  '\\',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\ud800',
  '\u{1f600}',
  'é',
  'e\u0301',
  '{{}}',
  '$patch',
  '$retainKeys',
  '../../etc',
  '%2e%2e%2f',
  'a'.repeat(64),
  'a'.repeat(254),
]

const letters = 'abcdefghijklmnopqrstuvwxyz'
const alphabet = `${letters}ABCXYZ0123456789-_./:,=!()[]{}<>&|*?+"'\\ \n\t~@#$%^;`

/** A few names only, so that two inputs, or two parts of one, meet. */
export const shortName = (random: Random): string => letters[integer(random, 6)] ?? 'a'

export const name = (random: Random): string =>
  chance(random, 0.7) ? shortName(random) : `${shortName(random)}-${shortName(random)}`

/** Any text: mostly short and plain, sometimes of the kind that breaks things. */
export function text(random: Random): string {
  const draw = random.fraction()
  if (draw < 0.4) return name(random)
  if (draw < 0.7) return pick(random, nasty)
  if (draw < 0.95) return characters(random, integer(random, 12))
  return anyUnicode(random, integer(random, 8))
}

export function characters(random: Random, length: number, from: string = alphabet): string {
  let made = ''
  for (let at = 0; at < length; at++) made += from[integer(random, from.length)]
  return made
}

function anyUnicode(random: Random, length: number): string {
  return String.fromCharCode(...Array.from({ length }, () => integer(random, 0x10000)))
}

/** One character per byte. */
export const bytes = (random: Random, length: number): string =>
  Buffer.from(random.bytes(length)).toString('latin1')

export const listOf = <T>(random: Random, most: number, make: (random: Random) => T): T[] =>
  Array.from({ length: integer(random, most + 1) }, () => make(random))
