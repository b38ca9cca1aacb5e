import { afterSpace, endOfString, isRawNumber, isSpace } from '@strata/api'

const comma = 0x2c
const colon = 0x3a
const closeBracket = 0x5d
const closeBrace = 0x7d

/**
 * The paths of duplicate keys in one object, in the order of the second occurrence. The engine silently keeps the last one;
 * strict clients want an error. Called only when the count of keys does not match. The text must be JSON.
 */
export function findDuplicateKeys(text: string): string[] {
  const found: string[] = []
  let at = 0
  const skipSpace = (): void => {
    at = afterSpace(text, at)
  }
  const readString = (): string => {
    const start = at
    at = endOfString(text, start) + 1
    const inner = text.slice(start + 1, at - 1)
    return inner.includes('\\') ? (JSON.parse(text.slice(start, at)) as string) : inner
  }
  const readValue = (path: string): void => {
    skipSpace()
    const char = text[at]
    if (char === '{') readObject(path)
    else if (char === '[') readArray(path)
    else if (char === '"') at = endOfString(text, at) + 1
    else while (at < text.length && !endsScalar(text.charCodeAt(at))) at++
    skipSpace()
  }
  const readObject = (path: string): void => {
    const seen = new Set<string>()
    at++
    skipSpace()
    while (text.charCodeAt(at) !== closeBrace) {
      const key = readString()
      const keyPath = path === '' ? key : `${path}.${key}`
      if (seen.has(key)) found.push(keyPath)
      seen.add(key)
      skipSpace()
      at++
      readValue(keyPath)
      if (text.charCodeAt(at) === comma) at++
      skipSpace()
    }
    at++
  }
  const readArray = (path: string): void => {
    at++
    skipSpace()
    for (let index = 0; text.charCodeAt(at) !== closeBracket; index++) {
      readValue(`${path}[${index}]`)
      if (text.charCodeAt(at) === comma) at++
      skipSpace()
    }
    at++
  }
  readValue('')
  return found
}

/** How many keys the text has, duplicates included: each is a string before a colon. */
export function countKeysIn(text: string): number {
  let count = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start)
    if (text.charCodeAt(afterSpace(text, end + 1)) === colon) count++
    start = text.indexOf('"', end + 1)
  }
  return count
}

/** How many keys the value has. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 0
  let count = 0
  if (Array.isArray(value)) for (const each of value) count += countKeys(each)
  else for (const each of Object.values(value)) count += 1 + countKeys(each)
  return count
}

const endsScalar = (code: number): boolean =>
  code === comma || code === closeBracket || code === closeBrace || isSpace(code)
