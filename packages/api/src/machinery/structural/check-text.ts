import { limitOf } from '../patch/raw-number.ts'
import { type Finding, invalidAt, tooLongAt } from './findings.ts'
import type { SchemaNode } from './schema-node.ts'

export type TextCheck = (value: string, name: string, found: Finding[]) => void

/** Length and pattern; only the first problem is reported. */
export function compileTextCheck(node: SchemaNode): TextCheck | undefined {
  const { pattern } = node.schema
  const maxLength = limitOf(node.schema.maxLength)
  const minLength = limitOf(node.schema.minLength)
  if (maxLength === undefined && minLength === undefined && !pattern) return undefined
  const hasLimits = maxLength !== undefined || minLength !== undefined
  return (value, name, found) => {
    if (hasLimits) {
      const length = lengthOf(value)
      if (maxLength !== undefined && length > maxLength) {
        found.push(tooLongAt(name, maxLength))
        return
      }
      if (minLength !== undefined && length < minLength) {
        found.push(invalidAt(name, value, `${name} in body should be at least ${minLength} chars long`))
        return
      }
    }
    if (!pattern) return
    const matches = node.pattern(pattern)
    if (typeof matches === 'function' && matches(value)) return
    const shown =
      typeof matches === 'function' ? pattern : `${pattern}, but pattern is invalid: ${matches.error}`
    found.push(invalidAt(name, value, `${name} in body should match '${shown}'`))
  }
}

/** In characters: a pair of surrogates is one. */
function lengthOf(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (code < 0xd800 || code > 0xdbff) continue
    const next = text.charCodeAt(at + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      length--
      at++
    }
  }
  return length
}
