import { RE2JS } from 're2js'
import { ArrayList, fail, type Value } from '../evaluation/value.ts'
import { INT, listOf, STRING } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, method } from '../types/declaration.ts'

/** A cache: most patterns come from rules, so the same few recur. */
const compiled = new Map<string, RE2JS | string>()
const maxCompiled = 1000

/** A pattern, or what is wrong with it. */
function compile(pattern: string): RE2JS | string {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  let found: RE2JS | string
  try {
    found = RE2JS.compile(pattern)
  } catch (error) {
    found = (error as Error).message
  }
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(pattern, found)
  return found
}

export const patternProblem = (pattern: string): string | undefined => {
  const found = compile(pattern)
  return typeof found === 'string' ? found : undefined
}

export function matchesPattern(text: string, pattern: string): Value {
  const found = compile(pattern)
  return typeof found === 'string' ? fail(found) : found.test(text)
}

function find(text: string, pattern: string): Value {
  const found = compile(pattern)
  if (typeof found === 'string') return fail(`Illegal regex: ${found}`)
  const matcher = found.matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

function findAll(text: string, pattern: string, limit = -1n): Value {
  const found = compile(pattern)
  if (typeof found === 'string') return fail(`Illegal regex: ${found}`)
  const matcher = found.matcher(text)
  const all: string[] = []
  while ((limit < 0n || BigInt(all.length) < limit) && matcher.find()) all.push(matcher.group() ?? '')
  return new ArrayList(all)
}

export const patterns: readonly FunctionDeclaration[] = [
  declare('find', method('string_find_string', [STRING, STRING], STRING, find)),
  declare(
    'findAll',
    method('string_find_all_string', [STRING, STRING], listOf(STRING), findAll),
    method('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), findAll),
  ),
]
