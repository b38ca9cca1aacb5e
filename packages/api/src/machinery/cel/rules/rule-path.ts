import type { Schema } from '../../schema.ts'
import { valuesSchema } from './rule-schema.ts'

/** The field that a rule points at, below what it is about: `.spec.replicas`, `.labels['a']`. */
export type RulePath = { readonly path: string } | { readonly problem: string }

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

/** Only fields and keys that the schema has can be pointed at, and no elements of lists. */
export function parseRulePath(text: string, schema: Schema): RulePath {
  const tokens = text.match(/'(?:\\[\s\S]|[^'\\])*'|[.[\]]|[^.[\]]+/g) ?? []
  let current = schema
  let path = ''
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at]
    if (token !== '.' && token !== '[') return { problem: `expected [ or . but got: ${token}` }
    const next = tokens[at + 1]
    if (next === undefined) return { problem: 'unexpected end of JSON path' }
    let name: string | undefined = next
    if (token === '[') {
      if (!/^'[\s\S]*'$/.test(next) || next.length < 2)
        return { problem: `expected single quoted string but got ${next}` }
      name = unescapeQuoted(next.slice(1, -1))
      if (name === undefined) return { problem: 'invalid string literal: invalid escape char' }
      if (tokens[at + 2] === undefined) return { problem: 'unexpected end of JSON path' }
      if (tokens[at + 2] !== ']') return { problem: `expected ] but got ${tokens[at + 2]}` }
    }
    at += token === '[' ? 3 : 2
    const child = childOf(current, name)
    if (!child) return { problem: 'does not refer to a valid field' }
    path += child.isKey ? `[${name}]` : `${path === '' ? '' : '.'}${name}`
    current = child.schema
  }
  return { path }
}

function childOf(schema: Schema, name: string): { schema: Schema; isKey: boolean } | undefined {
  if (schema.properties) {
    const found = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    return found && { schema: found, isKey: false }
  }
  const values = valuesSchema(schema)
  return values && { schema: values, isKey: true }
}

function unescapeQuoted(text: string): string | undefined {
  let isWrong = false
  const found = text.replace(/\\([\s\S]?)/g, (_, letter: string) => {
    const meaning = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined
    if (meaning === undefined) isWrong = true
    return meaning ?? ''
  })
  return isWrong ? undefined : found
}
