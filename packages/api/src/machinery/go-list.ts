/** `["a" "b"]`, as Go quotes a list of texts. */
export function goQuoted(texts: readonly string[]): string {
  return `[${texts.map((each) => JSON.stringify(each)).join(' ')}]`
}

/** `[]string{"a", "b"}`, as Go writes a list of texts in its own syntax. */
export function goLiteral(texts: readonly string[]): string {
  if (texts.length === 0) return '[]string(nil)'
  return `[]string{${texts.map((each) => JSON.stringify(each)).join(', ')}}`
}
