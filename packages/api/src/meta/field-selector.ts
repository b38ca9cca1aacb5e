import { MalformedSelector } from './label-selector.ts'

export interface FieldRequirement {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** All of them must hold. An empty selector selects everything. */
export type FieldSelector = readonly FieldRequirement[]

/** Splits at commas that are not escaped, and keeps the escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let term = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '\\' && at + 1 < text.length) {
      term += char + text[++at]
    } else if (char === ',') {
      terms.push(term)
      term = ''
    } else term += char
  }
  return [...terms, term].filter((each) => each !== '')
}

function unescaped(text: string): string {
  return text.replace(/\\([\\,=])/g, '$1')
}

export function parseFieldSelector(text: string): FieldSelector {
  return splitTerms(text).map((term) => {
    for (let at = 0; at < term.length; at++) {
      if (term[at] === '\\') {
        at++
        continue
      }
      for (const operator of ['!=', '==', '=']) {
        if (term.startsWith(operator, at)) {
          const value = unescaped(term.slice(at + operator.length))
          return { field: term.slice(0, at), equal: operator !== '!=', value }
        }
      }
    }
    throw new MalformedSelector(`invalid selector: '${text}'; can't understand '${term}'`)
  })
}

/** `value` reads a field of the object; what is absent is the empty string, as upstream has it. */
export function matchesFields(selector: FieldSelector, value: (field: string) => string): boolean {
  return selector.every(({ field, equal, value: wanted }) => (value(field) === wanted) === equal)
}

/** The value that a field must have, if the selector says so. */
export function requiredField(selector: FieldSelector, field: string): string | undefined {
  return selector.find((each) => each.field === field && each.equal)?.value
}
