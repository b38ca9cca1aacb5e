/** What is wrong with a file, where, and what to do about it. */
export interface LoadProblem {
  /** `steps[2].verdict`; '' for the whole file. */
  readonly field: string
  readonly message: string
}

/** Finds what is wrong with a value that stands in a field. */
export type Check = (value: unknown, field: string) => readonly LoadProblem[]

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const check =
  (isRight: (value: unknown) => boolean, message: string): Check =>
  (value, field) =>
    isRight(value) ? [] : [{ field, message: value === undefined ? `is missing: it ${message}` : message }]

export const text = check((value) => typeof value === 'string', 'has to be a text')
export const number = check(
  (value) => Number.isInteger(value) && Number(value) >= 0,
  'has to be a whole number, 0 or more',
)
export const flag = check((value) => typeof value === 'boolean', 'has to be true or false')

export const oneOf = (words: readonly string[]): Check =>
  check((value) => words.some((each) => each === value), `has to be one of: ${words.join(', ')}`)

export const maybe =
  (inner: Check): Check =>
  (value, field) =>
    value === undefined ? [] : inner(value, field)

export const listOf =
  (inner: Check, least = 0): Check =>
  (value, field) =>
    Array.isArray(value) && value.length >= least
      ? value.flatMap((each, index) => inner(each, `${field}[${index}]`))
      : [{ field, message: least > 0 ? 'has to be a list, not an empty one' : 'has to be a list' }]

export const mapOf =
  (inner: Check): Check =>
  (value, field) =>
    isFields(value)
      ? Object.entries(value).flatMap(([name, each]) => inner(each, `${field}.${name}`))
      : [{ field, message: 'has to be a mapping' }]

/** More fields may be there: they are only added to. */
export const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, field) =>
    isFields(value)
      ? Object.entries(checks).flatMap(([name, each]) =>
          each(value[name], field === '' ? name : `${field}.${name}`),
        )
      : [{ field, message: 'has to be a mapping' }]
