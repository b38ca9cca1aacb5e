const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const words: ReadonlyMap<string, string> = new Map([
  ['__', 'underscores'],
  ['.', 'dot'],
  ['-', 'dash'],
  ['/', 'slash'],
])
const meanings: ReadonlyMap<string, string> = new Map([...words].map(([text, word]) => [word, text]))

/** How expressions write the name of a property: `a-b` is `a__dash__b`. Undefined if they cannot. */
export function escapeFieldName(name: string): string | undefined {
  if (name === '' || /^\d/.test(name) || /[^a-zA-Z0-9\-./_]/.test(name)) return undefined
  if (reserved.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (each) => `__${words.get(each)}__`)
}

/** The property that such a name stands for; undefined if it is none. */
export function unescapeFieldName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped
  let isWrong = false
  const name = escaped.replace(/__[^_]+__/g, (each) => {
    const word = each.slice(2, -2)
    const meaning = meanings.get(word)
    if (meaning !== undefined) return meaning
    if (!reserved.has(word) || each.length !== escaped.length) isWrong = true
    return word
  })
  return isWrong ? undefined : name
}
