import { ApiError, type StatusCause } from '../meta/status.ts'

/** The reasons upstream gives, with the words that stand in the message for each. */
const words = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
} as const

export type FieldReason = keyof typeof words

/** An error in one field: its path, its value, and the expected value. */
export interface FieldError {
  readonly path: string
  readonly reason: FieldReason
  /** Shown to the caller when given. */
  readonly value?: unknown
  readonly detail: string
}

export const required = (path: string, detail = ''): FieldError => ({
  path,
  reason: 'FieldValueRequired',
  detail,
})
export const invalid = (path: string, value: unknown, detail: string): FieldError => ({
  path,
  reason: 'FieldValueInvalid',
  value,
  detail,
})
export const fieldForbidden = (path: string, detail: string): FieldError => ({
  path,
  reason: 'FieldValueForbidden',
  detail,
})
/** Upstream does not show the value: it is too long for that. */
export const tooLong = (path: string, maxBytes: number): FieldError => ({
  path,
  reason: 'FieldValueTooLong',
  detail: `may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`,
})
/** How many there are is shown, not what. */
export const tooMany = (path: string, count: number, max: number): FieldError => ({
  path,
  reason: 'FieldValueTooMany',
  value: count,
  detail: `must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
})
export const duplicate = (path: string, value: unknown): FieldError => ({
  path,
  reason: 'FieldValueDuplicate',
  value,
  detail: '',
})
export const wrongType = (path: string, value: unknown, detail: string): FieldError => ({
  path,
  reason: 'FieldValueTypeInvalid',
  value,
  detail,
})
export const notSupported = (path: string, value: unknown, supported: readonly string[]): FieldError => ({
  path,
  reason: 'FieldValueNotSupported',
  value,
  detail: `supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
})

/** `Invalid value: "x": must be…`, without the path. */
function fieldErrorDetail({ reason, value, detail }: FieldError): string {
  const shown = value === undefined ? '' : `: ${JSON.stringify(value)}`
  return `${words[reason]}${shown}${detail === '' ? '' : `: ${detail}`}`
}

export function fieldErrorText(error: FieldError): string {
  return `${error.path}: ${fieldErrorDetail(error)}`
}

/** Enough for every mistake made by hand. */
const maxErrorTextLength = 64 * 1024

/** A list of a hundred thousand wrong entries is answered about as briefly as one of a hundred. */
function shownErrors(errors: readonly FieldError[]): readonly FieldError[] {
  let length = 0
  const enough = errors.findIndex((error) => {
    if (length > maxErrorTextLength) return true
    length += fieldErrorText(error).length
    return false
  })
  return enough < 0 ? errors : errors.slice(0, enough)
}

/** 422 with one cause per field. One error stands alone in the message, several in brackets. */
export function invalidObject(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const shown = shownErrors(errors)
  // Equal errors appear once in the message; the causes keep all of them, as upstream's do.
  const texts = [...new Set(shown.map(fieldErrorText))]
  if (shown.length < errors.length) texts.push(`and ${errors.length - shown.length} more`)
  const joined = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
  const causes: StatusCause[] = shown.map((error) => ({
    reason: error.reason,
    message: fieldErrorDetail(error),
    field: error.path,
  }))
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  return new ApiError(422, 'Invalid', `${qualified} "${name}" is invalid: ${joined}`, {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes,
  })
}
