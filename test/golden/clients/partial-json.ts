/**
 * What the beginning of a JSON text says: values that are whole are there, a value that is cut off is not, and what
 * contains it is closed. Undefined where nothing can be said.
 */
export function parsePartialJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    for (const end of cutPoints(text)) {
      try {
        return JSON.parse(end)
      } catch {
        // Cut within a value that only looked whole; an earlier place will do.
      }
    }
    return undefined
  }
}

/** The text up to each of its last commas, closed, longest first. */
function* cutPoints(text: string): Generator<string> {
  const open: string[] = []
  const commas: { readonly at: number; readonly closers: string }[] = []
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (isInString) {
      if (char === '\\') at++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === '}' || char === ']') open.pop()
    else if (char === ',') commas.push({ at, closers: open.toReversed().join('') })
  }
  for (const { at, closers } of commas.toReversed().slice(0, 50)) yield text.slice(0, at) + closers
}
