import { validateExpressions } from '../../machinery/cel/index.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import type { Schema } from '../../machinery/schema.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'

export interface RulesContext {
  /** Whether a schema, or one inside of it, has other errors: then its rules are not checked. */
  readonly isWrong: (schema: JsonSchemaProps) => boolean
  /** The stored schema is the same: the cost of single rules is not checked again. */
  readonly isUnchanged: boolean
}

/**
 * Validates the expressions of all `x-kubernetes-validations` in a schema: whether each compiles, its type, its estimated
 * cost, and whether it may use `oldSelf` at its position. The form of the rules is checked already
 * (`validate-rule-form.ts`), and the schema is structural.
 */
export function validateRules(schema: JsonSchemaProps, path: string, context: RulesContext): FieldError[] {
  return validateExpressions(schema as Schema, path, {
    isWrong: (each) => context.isWrong(each as JsonSchemaProps),
    limitsCost: !context.isUnchanged,
  })
}
