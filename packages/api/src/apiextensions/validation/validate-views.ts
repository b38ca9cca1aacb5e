import { duplicate, type FieldError, invalid, required, tooMany } from '../../machinery/field-error.ts'
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  SelectableField,
} from '../custom-resource-definition.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { findField } from './field-path.ts'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function validateColumn(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const { name, type, format = '', jsonPath } = column
  const errors: FieldError[] = []
  if (name === '') errors.push(required(`${path}.name`))
  const types = `must be one of ${columnTypes.join(',')}`
  if (type === '') errors.push(required(`${path}.type`, types))
  else if (!columnTypes.includes(type)) errors.push(invalid(`${path}.type`, type, types))
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`))
  }
  if (jsonPath === '') errors.push(required(`${path}.JSONPath`))
  else errors.push(...validateSimplePath(jsonPath, `${path}.JSONPath`))
  return errors
}

function validateSimplePath(jsonPath: string, path: string): FieldError[] {
  return jsonPath.startsWith('.')
    ? []
    : [invalid(path, jsonPath, 'must be a simple json path starting with .')]
}

export function validateSubresources({ scale }: CustomResourceSubresources, path: string): FieldError[] {
  if (!scale) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  const below = (jsonPath: string, at: string, roots: readonly string[], where: string): FieldError[] => {
    const errors = validateSimplePath(jsonPath, at)
    if (errors.length > 0 || roots.some((root) => jsonPath.startsWith(`${root}.`))) return errors
    return [invalid(at, jsonPath, `should be a json path under ${where}`)]
  }
  const spec = `${path}.scale.specReplicasPath`
  const status = `${path}.scale.statusReplicasPath`
  return [
    ...(specReplicasPath === '' ? [required(spec)] : below(specReplicasPath, spec, ['.spec'], '.spec')),
    ...(statusReplicasPath === ''
      ? [required(status)]
      : below(statusReplicasPath, status, ['.status'], '.status')),
    ...(labelSelectorPath === ''
      ? []
      : below(
          labelSelectorPath,
          `${path}.scale.labelSelectorPath`,
          ['.spec', '.status'],
          'either .spec or .status',
        )),
  ]
}

export const maxSelectableFields = 8
const selectableTypes = ['string', 'boolean', 'integer']

export function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JsonSchemaProps,
  path: string,
  allowTooMany: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  const distinct = new Set<string>()
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`
    if (jsonPath === '') {
      errors.push(required(at))
      continue
    }
    const found = findField(jsonPath, schema, { allowBrackets: false })
    if ('problem' in found) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found.problem}`))
      continue
    }
    const names = found.names.join('.')
    if (found.names[0] === 'metadata') {
      errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'))
    }
    if (!selectableTypes.includes(found.schema?.type ?? '')) {
      const why =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(at, jsonPath, why))
    }
    if (distinct.has(names)) errors.push(duplicate(at, jsonPath))
    distinct.add(names)
  }
  if (distinct.size > maxSelectableFields && !allowTooMany) {
    errors.push(tooMany(path, distinct.size, maxSelectableFields))
  }
  return errors
}
