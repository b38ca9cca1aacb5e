import {
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  wrongType,
} from '../field-error.ts'

/** The path of what has none: the object itself. Upstream prints a nil pointer there. */
export const nowhere = '<nil>'

/** A problem with a value. Equal problems are reported once; their text identifies them. */
export interface Finding {
  readonly text: string
  /** Given what stands before the names of fields, the error. */
  readonly error: (base: string) => FieldError
}

/** The findings of a walk over a value. */
export interface Findings {
  found: Finding[]
  /** How many values matched. If no alternative is valid, the errors of the one with most matches are reported. */
  matches: number
}

export const noFindings = (): Findings => ({ found: [], matches: 0 })

/** Each text once, in the order in which they were found first. */
export function errorsOf({ found }: Findings, base = ''): FieldError[] {
  const texts = new Set<string>()
  return found.flatMap(({ text, error }) => {
    if (texts.has(text)) return []
    texts.add(text)
    return [error(base)]
  })
}

function place(base: string, name: string): string {
  const field = name.startsWith('.') ? name.slice(1) : name
  if (field === '') return base === '' ? nowhere : base
  return base === '' ? field : `${base}.${field}`
}

export const wrongTypeAt = (name: string, type: string, found: string): Finding => {
  const text = `${name} in body must be of type ${type}: ${JSON.stringify(found)}`
  return { text, error: (base) => wrongType(place(base, name), found, text) }
}

export const invalidAt = (name: string, value: unknown, text: string): Finding => ({
  text,
  error: (base) => invalid(place(base, name), value, text),
})

/** Upstream has no path for these; it is in the text. */
export const problemAt = (text: string): Finding => ({
  text,
  error: (base) => invalid(base === '' ? nowhere : base, '', text),
})

export const requiredAt = (name: string): Finding => ({
  text: `${name} in body is required`,
  error: (base) => required(place(base, name)),
})

export const notInEnumAt = (name: string, value: unknown, values: readonly unknown[]): Finding => ({
  text: `${name} in body should be one of ${JSON.stringify(values)}`,
  error: (base) =>
    notSupported(
      place(base, name),
      value,
      values.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
    ),
})

/** Upstream counts characters and speaks of bytes. */
export const tooLongAt = (name: string, most: number): Finding => ({
  text: `${name} in body should be at most ${most} chars long`,
  error: (base) => tooLong(place(base, name), most),
})

export const tooManyAt = (
  name: string,
  what: 'items' | 'properties',
  count: number,
  most: number,
): Finding => ({
  text: `${name} in body should have at most ${most} ${what}`,
  error: (base) => tooMany(place(base, name), count, most),
})
