import { type FieldError, required } from '../../machinery/field-error.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { fieldsOf, itemsOf } from './walk-schema.ts'

/** Fields and items that are restricted by the logic at the root, and not specified outside of it. */
export function validateCompleteness(schema: JsonSchemaProps, path: string): FieldError[] {
  return ofLogic(schema, schema, path, path)
}

/** `specified` and its path are the place outside of logic that `logic` is about. */
function ofLogic(
  logic: JsonSchemaProps,
  specified: JsonSchemaProps,
  path: string,
  logicPath: string,
): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = logic
  const inner = (each: JsonSchemaProps, at: string): FieldError[] => ofNested(each, specified, path, at)
  return [
    ...(not ? inner(not, `${logicPath}.not`) : []),
    ...allOf.flatMap((each, index) => inner(each, `${logicPath}.allOf[${index}]`)),
    ...anyOf.flatMap((each, index) => inner(each, `${logicPath}.anyOf[${index}]`)),
    ...oneOf.flatMap((each, index) => inner(each, `${logicPath}.oneOf[${index}]`)),
  ]
}

function ofNested(
  logic: JsonSchemaProps,
  specified: JsonSchemaProps | undefined,
  path: string,
  logicPath: string,
): FieldError[] {
  if (!specified) return [required(path, `because it is defined in ${logicPath}`)]
  const items = itemsOf(logic)
  return [
    ...ofLogic(logic, specified, path, logicPath),
    ...(items ? ofNested(items, itemsOf(specified), `${path}.items`, `${logicPath}.items`) : []),
    ...fieldsOf(logic.properties).flatMap(([field, each]) => {
      const { properties = {} } = specified
      const at = `.properties[${field}]`
      const named = Object.hasOwn(properties, field) ? properties[field] : undefined
      return ofNested(each, named, path + at, logicPath + at)
    }),
  ]
}
