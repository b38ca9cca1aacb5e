import { type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { findField } from './field-path.ts'
import { unsupportedField } from './unsupported-field.ts'

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text)

/** Validates the rules of one schema, except the expressions. */
export function validateRuleForm(schema: JsonSchemaProps, path: string): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((each, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`
    const { rule, message = '', messageExpression = '', reason, fieldPath = '' } = each
    const errors: FieldError[] = []
    if (rule.trim() === '') errors.push(required(`${at}.rule`, 'rule is not specified'))
    else if (message !== '' && message.trim() === '') {
      errors.push(invalid(`${at}.message`, message, 'must be non-empty if specified'))
    } else if (hasLineBreak(message.trim())) {
      errors.push(invalid(`${at}.message`, message, 'must not contain line breaks'))
    } else if (hasLineBreak(rule.trim()) && message === '') {
      errors.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'))
    }
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'))
    }
    if (reason !== undefined && !reasons.includes(reason)) {
      errors.push(notSupported(`${at}.reason`, reason, reasons))
    }
    if (fieldPath !== '' && fieldPath.trim() === '') {
      errors.push(invalid(`${at}.fieldPath`, fieldPath, 'must be non-empty if specified'))
    }
    if (hasLineBreak(fieldPath)) {
      errors.push(invalid(`${at}.fieldPath`, fieldPath, 'must not contain line breaks'))
    }
    if (
      fieldPath !== '' &&
      unsupportedField(schema) === undefined &&
      'problem' in findField(fieldPath, schema)
    ) {
      errors.push(invalid(`${at}.fieldPath`, fieldPath, 'must be a valid path'))
    }
    return errors
  })
}
