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
 * What stands for the rules of a schema that are not evaluated, because what they would see is not what their types say,
 * or larger than they were estimated for; undefined if they can be.
 */
export function rulesSkippedFor(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ reason }) => hiding.has(reason))) return undefined
  return invalid(
    nowhere,
    null,
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  )
}
