import { textWork } from '../cost/work.ts'
import { ArrayList, fail, type ListValue, type Value } from '../evaluation/value.ts'
import { BOOL, DYN, INT, listOf, STRING } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, globalForm, method } from '../types/declaration.ts'
import { formatText } from './format-text.ts'
import { matchesPattern } from './patterns.ts'

const TEXTS = listOf(STRING)
const outOfRange = (index: bigint): Value => fail(`index out of range: ${index}`)

function charAt(text: string, index: bigint): Value {
  const characters = [...text]
  if (index < 0n || index > characters.length) return outOfRange(index)
  return characters[Number(index)] ?? ''
}

function indexOf(text: string, part: string, from: bigint): Value {
  if (from < 0n) return outOfRange(from)
  const characters = [...text]
  if (part === '') return from > characters.length ? BigInt(characters.length) : from
  if (from >= characters.length) return -1n
  const start = characters.slice(0, Number(from)).join('').length
  const found = text.indexOf(part, start)
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length)
}

function lastIndexOf(text: string, part: string, from?: bigint): Value {
  const characters = [...text]
  const last = from ?? BigInt(part === '' ? characters.length : characters.length - 1)
  if (from !== undefined && from < 0n) return outOfRange(from)
  if (part === '') return last > characters.length ? BigInt(characters.length) : last
  if (last >= characters.length || last < 0n) return -1n
  const start = characters.slice(0, Number(last)).join('').length
  const found = text.lastIndexOf(part, start)
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length)
}

function replace(text: string, old: string, by: string, times: bigint): Value {
  // No more often than there are characters, and one before the first.
  const count = old === '' ? text.length + 1 : Math.ceil(text.length / old.length)
  textWork(by.length * (times < 0n ? count : Math.min(count, Number(times))))
  if (times < 0n) return text.replaceAll(old === '' ? /(?:)/gu : old, () => by)
  const parts = splitTimes(text, old, times + 1n)
  if (old !== '') return parts.join(by)
  // Nothing is found before each character and at the end.
  const limit = Number(times)
  const characters = [...text]
  const replaced = characters.slice(0, limit).map((each) => by + each)
  const atEnd = limit > characters.length ? by : ''
  return replaced.join('') + characters.slice(limit).join('') + atEnd
}

function splitTimes(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return []
  const parts = separator === '' ? [...text] : text.split(separator)
  if (limit < 0n || BigInt(parts.length) <= limit) return parts
  const count = Number(limit)
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]
}

function substring(text: string, start: bigint, end?: bigint): Value {
  const characters = [...text]
  const { length } = characters
  if (end !== undefined && start > end) {
    return fail(`invalid substring range. start: ${start}, end: ${end}`)
  }
  if (start < 0n || start > length) return outOfRange(start)
  if (end !== undefined && (end < 0n || end > length)) return outOfRange(end)
  return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join('')
}

function join(list: ListValue, separator: string): Value {
  const parts: string[] = []
  let length = 0
  for (const each of list) {
    if (typeof each !== 'string') return fail(`join: invalid input: ${String(each)}`)
    parts.push(each)
    length += each.length + separator.length
    textWork(length)
  }
  return parts.join(separator)
}

const quoted: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped.
const escaped = /[\x07\b\f\n\r\t\v\\"]/g
const quote = (text: string): string =>
  `"${text.toWellFormed().replace(escaped, (each) => quoted[each] ?? each)}"`

const texts = (parts: readonly string[]): Value => new ArrayList([...parts])
const ascii = (text: string, pattern: RegExp, change: (each: string) => string): string =>
  text.replace(pattern, change)
/** What Go takes for space. */
const space =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g

export const strings: readonly FunctionDeclaration[] = [
  declare(
    'contains',
    method('contains_string', [STRING, STRING], BOOL, (text: string, part: string) => text.includes(part)),
  ),
  declare(
    'startsWith',
    method('starts_with_string', [STRING, STRING], BOOL, (text: string, part: string) =>
      text.startsWith(part),
    ),
  ),
  declare(
    'endsWith',
    method('ends_with_string', [STRING, STRING], BOOL, (text: string, part: string) => text.endsWith(part)),
  ),
  declare(
    'matches',
    globalForm('matches', [STRING, STRING], BOOL, matchesPattern),
    method('matches_string', [STRING, STRING], BOOL, matchesPattern),
  ),
  declare('charAt', method('string_char_at_int', [STRING, INT], STRING, charAt)),
  declare(
    'indexOf',
    method('string_index_of_string', [STRING, STRING], INT, (text: string, part: string) =>
      indexOf(text, part, 0n),
    ),
    method('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
  ),
  declare(
    'lastIndexOf',
    method('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf),
    method('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf),
  ),
  declare(
    'lowerAscii',
    method('string_lower_ascii', [STRING], STRING, (text: string) =>
      ascii(text, /[A-Z]+/g, (each) => each.toLowerCase()),
    ),
  ),
  declare(
    'upperAscii',
    method('string_upper_ascii', [STRING], STRING, (text: string) =>
      ascii(text, /[a-z]+/g, (each) => each.toUpperCase()),
    ),
  ),
  declare(
    'replace',
    method(
      'string_replace_string_string',
      [STRING, STRING, STRING],
      STRING,
      (text: string, old: string, by: string) => replace(text, old, by, -1n),
    ),
    method('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
  ),
  declare(
    'split',
    method('string_split_string', [STRING, STRING], TEXTS, (text: string, separator: string) =>
      texts(splitTimes(text, separator, -1n)),
    ),
    method(
      'string_split_string_int',
      [STRING, STRING, INT],
      TEXTS,
      (text: string, separator: string, limit: bigint) => texts(splitTimes(text, separator, limit)),
    ),
  ),
  declare(
    'substring',
    method('string_substring_int', [STRING, INT], STRING, substring),
    method('string_substring_int_int', [STRING, INT, INT], STRING, substring),
  ),
  declare(
    'trim',
    method('string_trim', [STRING], STRING, (text: string) => text.replace(space, '')),
  ),
  declare(
    'join',
    method('list_join', [TEXTS], STRING, (list: ListValue) => join(list, '')),
    method('list_join_string', [TEXTS, STRING], STRING, join),
  ),
  declare('strings.quote', globalForm('strings_quote', [STRING], STRING, quote)),
  declare('format', method('string_format', [STRING, listOf(DYN)], STRING, formatText)),
]
