import { isRawNumber } from '@strata/api'
import { escapeCharacter, styleOf } from './yaml-scalar.ts'

/** Longer lines are folded at the next space, as upstream does. */
const width = 80
/** A longer key gets a line of its own, after a question mark. */
const simpleKeyLength = 128

/**
 * A JSON value as YAML, in the style of sigs.k8s.io/yaml: keys sorted, lists not indented below their key, empty
 * collections in brackets.
 */
export function yamlText(value: unknown): string {
  const writer = new Writer()
  writeNode(writer, value, 0, 'root')
  return writer.text()
}

class Writer {
  readonly #parts: string[] = []
  column = 0

  put(text: string): void {
    this.#parts.push(text)
    this.column += text.length
  }

  line(indent: number): void {
    this.#parts.push(`\n${' '.repeat(indent)}`)
    this.column = indent
  }

  text(): string {
    return `${this.#parts.join('')}\n`
  }
}

/** The text before a node: nothing, `key:`, or `-`. */
type Before = 'root' | 'key' | 'dash'

/** `indent` is the column at which the lines of the parent begin. */
function writeNode(writer: Writer, value: unknown, indent: number, before: Before): void {
  if (Array.isArray(value) && value.length > 0) writeList(writer, value, indent, before)
  else if (isMap(value) && Object.keys(value).length > 0) writeMap(writer, value, indent, before)
  else {
    if (before !== 'root') writer.put(' ')
    if (typeof value === 'string') writeString(writer, value, before === 'root' ? 0 : indent + 2, false)
    else writer.put(Array.isArray(value) ? '[]' : isMap(value) ? '{}' : bareText(value))
  }
}

function writeList(writer: Writer, items: readonly unknown[], indent: number, before: Before): void {
  // A list is not indented below a key. Inside another list it is, and begins on the line of the dash.
  const column = before === 'dash' ? indent + 2 : indent
  items.forEach((item, index) => {
    if (before === 'dash' && index === 0) writer.put(' ')
    else if (before !== 'root' || index > 0) writer.line(column)
    writer.put('-')
    writeNode(writer, item, column, 'dash')
  })
}

function writeMap(writer: Writer, map: Record<string, unknown>, indent: number, before: Before): void {
  const column = before === 'root' ? 0 : indent + 2
  const keys = Object.keys(map).sort(compareKeys)
  keys.forEach((key, index) => {
    if (before === 'dash' && index === 0) writer.put(' ')
    else if (before !== 'root' || index > 0) writer.line(column)
    if (Buffer.byteLength(key) > simpleKeyLength) {
      writer.put('? ')
      writeString(writer, key, column + 2, false)
      writer.line(column)
    } else writeString(writer, key, column, true)
    writer.put(':')
    writeNode(writer, map[key], column, 'key')
  })
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !isRawNumber(value)
}

function bareText(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'boolean') return String(value)
  const text = isRawNumber(value) ? value.rawJSON : String(value)
  return /^-?\d+$/.test(text) ? text : floatText(Number(text))
}

/** The shortest form of a float, as Go writes it. */
function floatText(value: number): string {
  const [digits = '0', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 21)
    return exponent < 6 || Number.isInteger(value) ? String(value) : scientific(digits, exponent)
  return scientific(digits, exponent)
}

function scientific(digits: string, exponent: number): string {
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function writeString(writer: Writer, text: string, indent: number, isKey: boolean): void {
  switch (styleOf(text, isKey)) {
    case 'plain':
      return isKey ? writer.put(text) : writeFolded(writer, text, indent)
    case 'single':
      writer.put("'")
      if (isKey) writer.put(text.replaceAll("'", "''"))
      else writeFolded(writer, text.replaceAll("'", "''"), indent)
      return writer.put("'")
    case 'double':
      return writeDouble(writer, text, indent, isKey)
    case 'literal':
      return writeLiteral(writer, text, indent)
  }
}

/** Breaks a long line at a single space between two words. */
function writeFolded(writer: Writer, text: string, indent: number): void {
  if (writer.column + text.length <= width) return writer.put(text)
  let start = 0
  for (let at = 1; at < text.length - 1; at++) {
    if (text[at] !== ' ' || text[at - 1] === ' ' || text[at + 1] === ' ') continue
    if (writer.column + at - start <= width) continue
    writer.put(text.slice(start, at))
    writer.line(indent)
    start = at + 1
  }
  writer.put(text.slice(start))
}

function writeDouble(writer: Writer, text: string, indent: number, isKey: boolean): void {
  writer.put('"')
  let previous = ''
  let at = 0
  for (const char of text) {
    const inside = at > 0 && at + char.length < text.length
    if (char === ' ' && !isKey && inside && previous !== ' ' && writer.column > width) {
      writer.line(indent)
      if (text[at + 1] === ' ') writer.put('\\')
    } else writer.put(escapeCharacter(char))
    previous = char
    at += char.length
  }
  writer.put('"')
}

function writeLiteral(writer: Writer, text: string, indent: number): void {
  const hint = text.startsWith(' ') || text.startsWith('\n') ? '2' : ''
  const keepsBreaks = text === '\n' || text.endsWith('\n\n')
  writer.put(`|${hint}${text.endsWith('\n') ? (keepsBreaks ? '+' : '') : '-'}`)
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const line of lines) {
    if (line === '') writer.line(0)
    else {
      writer.line(indent)
      writer.put(line)
    }
  }
}

const letter = /\p{L}/u
const isDigit = (char: string): boolean => char >= '0' && char <= '9'

/** The key order of sigs.k8s.io/yaml: letters after other characters, but before them after a digit; numbers by value. */
function compareKeys(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  let digits = false
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [one = '', other = ''] = [left[at], right[at]]
    if (one === other) {
      digits = isDigit(one)
      continue
    }
    const [isLetter, isOtherLetter] = [letter.test(one), letter.test(other)]
    if (isLetter && isOtherLetter) return one < other ? -1 : 1
    if (isLetter || isOtherLetter) return (digits ? isLetter : isOtherLetter) ? -1 : 1
    return compareNumbers(left, right, at) || (one < other ? -1 : 1)
  }
  return left.length - right.length
}

function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  let seed = 0
  if (left[at] === '0' || right[at] === '0') {
    for (let before = at - 1; before >= 0 && isDigit(left[before] ?? ''); before--) {
      if (left[before] === '0') continue
      seed = 1
      break
    }
  }
  const number = (chars: readonly string[]): { value: number; end: number } => {
    let value = seed
    let end = at
    for (; end < chars.length && isDigit(chars[end] ?? ''); end++) value = value * 10 + Number(chars[end])
    return { value, end }
  }
  const [one, other] = [number(left), number(right)]
  return one.value - other.value || one.end - other.end
}
