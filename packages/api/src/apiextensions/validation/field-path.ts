import type { JsonSchemaProps } from '../json-schema-props.ts'
import { additionalOf } from './walk-schema.ts'

export type FoundField =
  | { readonly names: readonly string[]; readonly schema: JsonSchemaProps | undefined }
  | { readonly problem: string }

/** Tokens: a dot, a bracket, a quoted text, or other characters up to one of those. */
const pieces = /\.|\[|\]|'(?:[^'\\]|\\[\s\S])*'|'[\s\S]*|[^.[\]']+[^.[\]]*/g

/** Resolves a field path (`.spec.color`, `.data['a.b']`) in a schema, or returns upstream's error. */
export function findField(
  path: string,
  root: JsonSchemaProps,
  { allowBrackets = true }: { readonly allowBrackets?: boolean } = {},
): FoundField {
  const names: string[] = []
  const found = [...path.matchAll(pieces)].map(([piece]) => piece)
  const ended = { problem: 'unexpected end of JSON path' }
  let schema: JsonSchemaProps | undefined = root
  for (let at = 0; at < found.length; at++) {
    const piece = found[at]
    let name: string
    if (piece === '.') {
      const next = found[++at]
      if (next === undefined) return ended
      name = next
    } else if (piece === '[') {
      if (!allowBrackets) return { problem: 'array notation is not allowed' }
      const quoted = found[++at]
      if (quoted === undefined) return ended
      if (!/^'[\s\S]*'$/.test(quoted) || quoted.length < 2) {
        return { problem: `expected single quoted string but got ${quoted}` }
      }
      const inside = quoted.slice(1, -1)
      const wrong = inside.match(/\\[\s\S]/g)?.find((each) => !Object.hasOwn(escapes, each))
      if (wrong !== undefined) return { problem: `invalid string literal: invalid escape char ${wrong}` }
      name = inside.replace(/\\[\s\S]/g, (each) => escapes[each] ?? '')
    } else return { problem: `expected [ or . but got: ${piece}` }
    const next: JsonSchemaProps | undefined | 'none' = step(schema, name)
    if (next === 'none') return { problem: 'does not refer to a valid field' }
    schema = next
    names.push(name)
    if (piece === '[') {
      const close = found[++at]
      if (close === undefined) return ended
      if (close !== ']') return { problem: `expected ] but got ${close}` }
    }
  }
  return { names, schema }
}

function step(schema: JsonSchemaProps | undefined, name: string): JsonSchemaProps | undefined | 'none' {
  if (!schema) return 'none'
  if (schema.properties) {
    return Object.hasOwn(schema.properties, name) ? schema.properties[name] : 'none'
  }
  return schema.additionalProperties === undefined ? 'none' : additionalOf(schema)
}

const escapes: Readonly<Record<string, string>> = {
  '\\a': '\u0007',
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\v': '\v',
  "\\'": "'",
  '\\\\': '\\',
}
