import { RE2JS } from 're2js'

/** Whether a text matches; for an invalid pattern, the error. */
export type Pattern = ((text: string) => boolean) | { readonly error: string }

/** Projects copy a few patterns into all of their schemas, and compiling one takes longer than checking a schema. */
const compiled = new Map<string, Pattern>()
const kept = 256
const keptChars = 512

/**
 * Compiles a pattern of Go's RE2. JavaScript's engine is not used even where both match the same: RE2 takes time in proportion
 * to the text, JavaScript's can take exponential time.
 */
export function compilePattern(pattern: string): Pattern {
  const known = compiled.get(pattern)
  if (known) return known
  const made = compile(pattern)
  if (pattern.length <= keptChars) {
    const [oldest] = compiled.keys()
    if (compiled.size >= kept && oldest !== undefined) compiled.delete(oldest)
    compiled.set(pattern, made)
  }
  return made
}

function compile(pattern: string): Pattern {
  try {
    const re2 = RE2JS.compile(pattern)
    return (text) => re2.test(text)
  } catch (error) {
    return { error: (error as Error).message }
  }
}
