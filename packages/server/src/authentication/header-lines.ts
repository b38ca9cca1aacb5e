import type { HttpHeaders } from '@strata/world'

/** The headers of a request. */
export interface HeaderSource {
  readonly headers: HttpHeaders
  /** Names and values in turn, as received. In `headers`, repeated lines may be joined by commas. */
  readonly rawHeaders?: readonly string[]
}

/** Values by the lower-case name of their header. */
export type HeaderLines = ReadonlyMap<string, readonly string[]>

/** Each header line is one value, with its commas: `CN=dev,OU=x` is one group. */
export function headerLines(
  { headers, rawHeaders }: HeaderSource,
  isWanted: (name: string) => boolean,
): HeaderLines {
  const lines = new Map<string, string[]>()
  const add = (name: string, values: readonly string[]): void => {
    if (!isWanted(name)) return
    const before = lines.get(name)
    if (before) before.push(...values)
    else lines.set(name, [...values])
  }
  if (rawHeaders) {
    for (let index = 0; index < rawHeaders.length; index += 2) {
      add((rawHeaders[index] ?? '').toLowerCase(), [rawHeaders[index + 1] ?? ''])
    }
  } else {
    for (const [name, value] of Object.entries(headers)) add(name, [value ?? []].flat())
  }
  return lines
}

/** The values of all headers with the prefix, by the rest of their names. */
export function extraOf(
  lines: HeaderLines,
  prefixes: readonly string[],
  textOf: (value: string) => string = (value) => value,
): Readonly<Record<string, readonly string[]>> {
  // Without a prototype: a key may be `__proto__`.
  const extra: Record<string, readonly string[]> = Object.create(null)
  for (const prefix of prefixes) {
    for (const [name, values] of lines) {
      if (!name.startsWith(prefix)) continue
      const key = unescapeKey(name.slice(prefix.length))
      extra[key] = [...(extra[key] ?? []), ...values.map(textOf)]
    }
  }
  return extra
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    // As upstream: a badly escaped key is used as it is.
    return key
  }
}
