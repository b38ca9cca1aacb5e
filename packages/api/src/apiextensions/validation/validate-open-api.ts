import { type FieldError, fieldForbidden, invalid, notSupported } from '../../machinery/field-error.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { validateKeys, validateListType, validateMapType } from './validate-list-types.ts'
import { validateRuleForm } from './validate-rule-form.ts'
import { additionalOf, fieldsOf, isSchema, itemsOf } from './walk-schema.ts'

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const metaFields = new Set(['metadata', 'kind', 'apiVersion'])

export const isUnknownType = ({ type = '' }: JsonSchemaProps): boolean => type !== '' && !types.includes(type)

export interface OpenApiOptions {
  readonly requireKnownTypes: boolean
  readonly requireAtomicSets: boolean
  readonly requireKeys: boolean
  /** Called for each schema that is invalid, or contains an invalid one. */
  readonly onWrong?: (schema: JsonSchemaProps) => void
}

interface Place {
  readonly isRoot: boolean
  readonly insideMeta: boolean
  /** Why there may be no default. */
  readonly noDefault?: string
}

/** Reports keywords that custom resources do not support, and contradictions. */
export function validateOpenApi(
  schema: JsonSchemaProps,
  path: string,
  options: OpenApiOptions,
): FieldError[] {
  return ofSchema(schema, path, options, { isRoot: true, insideMeta: false })
}

function ofSchema(
  schema: JsonSchemaProps,
  path: string,
  options: OpenApiOptions,
  place: Place,
): FieldError[] {
  const inner = (each: JsonSchemaProps | undefined, at: string, inside: Place = place): FieldError[] =>
    each ? ofSchema(each, `${path}.${at}`, options, { ...inside, isRoot: false }) : []
  const { not, allOf = [], oneOf = [], anyOf = [], items } = schema
  const errors = [
    ...unsupported(schema, path, options, place),
    ...(schema.uniqueItems
      ? [
          fieldForbidden(
            `${path}.uniqueItems`,
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
    ...ofAdditional(schema, path),
    ...inner(additionalOf(schema), 'additionalProperties', inAdditional(place)),
    ...fieldsOf(schema.properties).flatMap(([field, each]) =>
      inner(each, `properties[${field}]`, inField(schema, field, place)),
    ),
    ...inner(not, 'not'),
    ...allOf.flatMap((each, index) => inner(each, `allOf[${index}]`)),
    ...oneOf.flatMap((each, index) => inner(each, `oneOf[${index}]`)),
    ...anyOf.flatMap((each, index) => inner(each, `anyOf[${index}]`)),
    ...fieldsOf(schema.definitions).flatMap(([name, each]) => inner(each, `definitions[${name}]`)),
    ...inner(itemsOf(schema), 'items'),
    ...(Array.isArray(items)
      ? (items as readonly JsonSchemaProps[]).flatMap((each, index) => inner(each, `items[${index}]`))
      : []),
    ...Object.entries(schema.dependencies ?? {}).flatMap(([name, each]) =>
      isSchema(each) ? inner(each, `dependencies[${name}]`) : [],
    ),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === false
      ? [invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')]
      : []),
    ...validateMapType(schema, path),
    ...validateListType(schema, path, options.requireAtomicSets),
    ...(options.requireKeys ? validateKeys(schema, path) : []),
    ...validateRuleForm(schema, path),
  ]
  if (errors.length > 0) options.onWrong?.(schema)
  return errors
}

/** Fields are those of a struct or the keys of a map. */
function ofAdditional(
  { additionalProperties, properties = {} }: JsonSchemaProps,
  path: string,
): FieldError[] {
  if (additionalProperties === undefined || additionalProperties === true) return []
  if (Object.keys(properties).length === 0) return []
  const why = 'additionalProperties and properties are mutual exclusive'
  return [fieldForbidden(`${path}.additionalProperties`, why)]
}

function inAdditional(place: Place): Place {
  if (!place.insideMeta) return place
  return { ...place, noDefault: 'inside additionalProperties applying to object metadata' }
}

function inField(schema: JsonSchemaProps, field: string, place: Place): Place {
  const isMeta = (place.isRoot || schema['x-kubernetes-embedded-resource']) && metaFields.has(field)
  if (!isMeta) return place
  const noDefault = place.isRoot ? { noDefault: `in top-level ${field}` } : {}
  return { ...place, insideMeta: true, ...noDefault }
}

const notSupportedFields = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const

function unsupported(
  schema: JsonSchemaProps,
  path: string,
  { requireKnownTypes }: OpenApiOptions,
  { insideMeta, noDefault }: Place,
): FieldError[] {
  const errors: FieldError[] = []
  const forbid = (field: string, why: string): void => {
    errors.push(fieldForbidden(`${path}.${field}`, why))
  }
  if (requireKnownTypes && isUnknownType(schema)) {
    errors.push(notSupported(`${path}.type`, schema.type, types))
  }
  if (schema.default !== undefined && noDefault !== undefined)
    forbid('default', `must not be set ${noDefault}`)
  for (const field of notSupportedFields) {
    if (schema[field] !== undefined) forbid(field, `${field} is not supported`)
  }
  if (schema.type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative')
  if (Array.isArray(schema.items)) forbid('items', 'items must be a schema object and not an array')
  if (insideMeta && schema['x-kubernetes-embedded-resource']) {
    forbid('x-kubernetes-embedded-resource', 'must not be used inside of resource meta')
  }
  return errors
}
