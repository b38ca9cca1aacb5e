/**
 * The paths of keys that stand twice in one object, in the order in which the second one comes. The engine keeps the
 * last silently; strict clients want to know. Only asked when the count of keys does not add up, so it may be slow.
 * The text must be JSON.
 */
export function findDuplicateKeys(text: string): string[] {
  const found: string[] = []
  let at = 0
  const skipSpace = (): void => {
    while (/[ \t\r\n]/.test(text[at] ?? 'x')) at++
  }
  const readString = (): string => {
    const start = at++
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at++
    return JSON.parse(text.slice(start, at)) as string
  }
  const readValue = (path: string): void => {
    skipSpace()
    const char = text[at]
    if (char === '{') readObject(path)
    else if (char === '[') readArray(path)
    else if (char === '"') readString()
    else while (at < text.length && !/[,\]}\s]/.test(text[at] ?? '')) at++
    skipSpace()
  }
  const readObject = (path: string): void => {
    const seen = new Set<string>()
    at++
    skipSpace()
    while (text[at] !== '}') {
      const key = readString()
      const keyPath = path === '' ? key : `${path}.${key}`
      if (seen.has(key)) found.push(keyPath)
      seen.add(key)
      skipSpace()
      at++
      readValue(keyPath)
      if (text[at] === ',') at++
      skipSpace()
    }
    at++
  }
  const readArray = (path: string): void => {
    at++
    skipSpace()
    for (let index = 0; text[at] !== ']'; index++) {
      readValue(`${path}[${index}]`)
      if (text[at] === ',') at++
      skipSpace()
    }
    at++
  }
  readValue('')
  return found
}

/** How many keys the text has at most: each is a string before a colon. Never too few; a string value may add some. */
export function countKeysAtMost(text: string): number {
  let count = 0
  for (const _ of text.matchAll(/"\s*:/g)) count++
  return count
}

/** How many keys the value has. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) for (const each of value) count += countKeys(each)
  else for (const each of Object.values(value)) count += 1 + countKeys(each)
  return count
}
