import { RE2JS } from 're2js'

/** Whether a text matches, or, for a pattern that is none, why. */
export type Pattern = ((text: string) => boolean) | { readonly error: string }

/**
 * A pattern as Go has them. JavaScript's engine is not used even where both agree about what matches: theirs takes
 * time in proportion to the text, ours can be made to think for ever.
 */
export function compilePattern(pattern: string): Pattern {
  try {
    const compiled = RE2JS.compile(pattern)
    return (text) => compiled.test(text)
  } catch (error) {
    return { error: (error as Error).message }
  }
}
