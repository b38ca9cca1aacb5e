import { compilePattern, type JsonSchemaProps } from '@strata/api'
import { chance, integer, type Random } from '@strata/world'
import { textOfPattern } from './text-of-pattern.ts'

const texts: Readonly<Record<string, (random: Random) => string>> = {
  'date-time': (random) => `2026-01-0${1 + integer(random, 9)}T00:00:00Z`,
  date: (random) => `2026-01-0${1 + integer(random, 9)}`,
  duration: (random) => `${1 + integer(random, 50)}s`,
  byte: (random) => Buffer.from(`bytes ${integer(random, 1000)}`).toString('base64'),
  ipv4: (random) => `10.0.0.${1 + integer(random, 250)}`,
  ipv6: (random) => `fd00::${(1 + integer(random, 5000)).toString(16)}`,
  cidr: (random) => `10.${integer(random, 250)}.0.0/16`,
  hostname: (random) => `host-${integer(random, 1000)}.example.com`,
  'idn-hostname': (random) => `host-${integer(random, 1000)}.example.com`,
  uuid: (random) => `3f2504e0-4f89-41d3-9a0c-0305e82c${(1000 + integer(random, 8999)).toString()}`,
  uri: (random) => `https://example.com/${integer(random, 1000)}`,
  email: (random) => `name${integer(random, 1000)}@example.com`,
}

const attempts = 50

/** A text of the right length that all patterns match, that has the format and that is not among those that are excluded. */
export function textOf(schema: JsonSchemaProps, random: Random): string {
  const all = [schema, ...(schema.allOf ?? [])]
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(({ format }) => format)
  const patterns = all.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]))
  const format = alternatives[0]?.format ?? schema.format ?? ''
  const limits = { minLength: Number(schema.minLength ?? 0), maxLength: Number(schema.maxLength ?? 1e6) }
  const isExcluded = (text: string): boolean => schema.not?.enum?.includes(text) ?? false
  const write = Object.hasOwn(texts, format) ? texts[format] : undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    const pattern = patterns[attempt % Math.max(1, patterns.length)]
    const text = write
      ? write(random)
      : pattern === undefined
        ? word(limits, random)
        : textOfPattern(pattern, limits, random)
    const isShort = text.length >= limits.minLength && text.length <= limits.maxLength
    if (isShort && !isExcluded(text) && patterns.every((each) => matches(each, text))) return text
  }
  throw new Error(`found no text for ${JSON.stringify(schema)}`)
}

function matches(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern)
  return typeof compiled === 'function' && compiled(text)
}

/** A schema may ask for more than the memory of this process holds. */
const mostCharacters = 1_000_000

function word({ minLength, maxLength }: { minLength: number; maxLength: number }, random: Random): string {
  if (minLength > mostCharacters) throw new Error(`no text of ${minLength} characters is made up`)
  const length = Math.min(maxLength, Math.max(minLength, 3 + integer(random, 6)))
  return Array.from({ length }, () => String.fromCharCode(0x61 + integer(random, 26))).join('')
}

export function numberOf(schema: JsonSchemaProps, isWhole: boolean, random: Random): number {
  const step = Number(schema.multipleOf ?? 1)
  const { minimum, maximum } = schema
  const low = minimum === undefined ? undefined : Number(minimum) + (schema.exclusiveMinimum ? 1 : 0)
  const high = maximum === undefined ? undefined : Number(maximum) - (schema.exclusiveMaximum ? 1 : 0)
  const from = low ?? (high === undefined ? 1 : high - 8)
  const to = Math.min(high ?? from + 8, from + 8)
  const found = Math.ceil(from / step) * step + step * integer(random, Math.floor((to - from) / step) + 1)
  return !isWhole && chance(random, 0.3) && found + 0.5 <= to && step === 1 ? found + 0.5 : found
}
