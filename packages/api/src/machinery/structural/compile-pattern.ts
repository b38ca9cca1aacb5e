import { RE2JS } from 're2js'

/** Whether a text matches, or, for a pattern that is none, why. */
export type Pattern = ((text: string) => boolean) | { readonly error: string }

/** Projects copy the same few patterns into all of their schemas, and to compile one takes longer than to check a schema. */
const compiled = new Map<string, Pattern>()
const kept = 256
const keptChars = 512

/**
 * A pattern as Go has them. JavaScript's engine is not used even where both agree about what matches: theirs takes
 * time in proportion to the text, ours can be made to think for ever.
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
