import { type FieldError, invalid } from '../field-error.ts'
import { nowhere } from './findings.ts'

const hiding: ReadonlySet<FieldError['reason']> = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/**
 * The error in place of rules that are not evaluated, because a value has the wrong type or is larger than the cost
 * estimate assumed; undefined if they can be evaluated.
 */
export function rulesSkippedFor(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ reason }) => hiding.has(reason))) return undefined
  return invalid(
    nowhere,
    null,
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  )
}
