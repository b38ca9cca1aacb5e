import { boolean, integer, structSchema, text, textList } from '../machinery/field-schemas.ts'
import type { Schema } from '../machinery/schema.ts'

const atomicTexts: Schema = { ...textList, 'x-kubernetes-list-type': 'atomic' }
const flag: Schema = { ...boolean, 'x-strata-omits-zero': true }
const optionalText: Schema = { ...text, nullable: true }
const optionalFlag: Schema = { ...boolean, nullable: true }
const limit: Schema = { ...integer, format: 'int64', nullable: true }
const bound: Schema = { type: 'number', format: 'double', nullable: true }

const json: Schema = {
  'x-strata-raw-json': true,
  'x-kubernetes-preserve-unknown-fields': true,
  nullable: true,
  'x-strata-type': { name: 'JSON', description: 'Any valid JSON value: true, 4.2, "text", [], {} or null.' },
}

const rule = structSchema(
  'ValidationRule',
  'A CEL validation rule.',
  {
    rule: { ...text, default: '', description: 'The CEL expression. self is the value being validated.' },
    message: { ...text, description: 'The error message if the rule fails.' },
    messageExpression: {
      ...text,
      description: 'A CEL expression that returns the error message. Takes precedence over message.',
    },
    reason: { ...optionalText, description: 'The reason of the error. Defaults to FieldValueInvalid.' },
    fieldPath: { ...text, description: 'The path of the field that the error names: .a.b' },
    optionalOldSelf: {
      ...optionalFlag,
      description:
        'Whether a transition rule also runs when there is no old value. oldSelf is then optional.',
    },
  },
  ['rule'],
)

// The schemas of all its fields, filled below: several of them contain it.
const properties: Record<string, Schema> = {}

/** The schema of the schema of a custom resource. It is recursive. */
export const jsonSchemaPropsSchema: Schema = structSchema(
  'JSONSchemaProps',
  'A JSON Schema (http://json-schema.org/) with the extensions of OpenAPI and Kubernetes.',
  properties,
)

const list: Schema = { type: 'array', items: jsonSchemaPropsSchema, 'x-kubernetes-list-type': 'atomic' }
const map: Schema = { type: 'object', additionalProperties: jsonSchemaPropsSchema }
const schemaOrList: Schema = {
  properties,
  items: jsonSchemaPropsSchema,
  nullable: true,
  'x-strata-or': 'list',
  'x-strata-type': { name: 'JSONSchemaPropsOrArray', description: 'A schema, or a list of schemas.' },
}
const schemaOrFlag: Schema = {
  properties,
  nullable: true,
  'x-strata-or': 'boolean',
  'x-strata-type': { name: 'JSONSchemaPropsOrBool', description: 'A schema, or a boolean.' },
}
const schemaOrTexts: Schema = {
  properties,
  items: text,
  nullable: true,
  'x-strata-or': 'list',
  'x-strata-type': { name: 'JSONSchemaPropsOrStringArray', description: 'A schema, or a list of strings.' },
}

Object.assign(properties, {
  $ref: { ...optionalText, description: 'Not used by custom resources.' },
  $schema: { ...text, description: 'The URI of the schema dialect.' },
  additionalItems: { ...schemaOrFlag, description: 'Not used by custom resources.' },
  additionalProperties: { ...schemaOrFlag, description: 'The schema of fields that are not in properties.' },
  allOf: { ...list, description: 'The value must match all of these schemas.' },
  anyOf: { ...list, description: 'The value must match at least one of these schemas.' },
  default: { ...json, description: 'The default value.' },
  definitions: { ...map, description: 'Not used by custom resources.' },
  dependencies: {
    type: 'object',
    additionalProperties: schemaOrTexts,
    description: 'Not used by custom resources.',
  },
  description: { ...text, description: 'A description of the value.' },
  enum: {
    type: 'array',
    items: json,
    'x-kubernetes-list-type': 'atomic',
    description: 'The values that are allowed.',
  },
  example: { ...json, description: 'A valid example.' },
  exclusiveMaximum: { ...flag, description: 'Whether the value must be less than maximum.' },
  exclusiveMinimum: { ...flag, description: 'Whether the value must be greater than minimum.' },
  externalDocs: {
    ...structSchema('ExternalDocumentation', 'Further documentation.', {
      description: { ...text, description: 'A description of the documentation.' },
      url: { ...text, description: 'The URL of the documentation.' },
    }),
    nullable: true,
    description: 'Further documentation.',
  },
  format: {
    ...text,
    description:
      'The format of a string or number, such as date, uuid or int64. Unknown formats are ignored.',
  },
  id: { ...text, description: 'Not used by custom resources.' },
  items: { ...schemaOrList, description: 'The schema of the items of a list.' },
  maxItems: { ...limit, description: 'The maximum number of items in a list.' },
  maxLength: { ...limit, description: 'The maximum length of a string.' },
  maxProperties: { ...limit, description: 'The maximum number of fields in an object.' },
  maximum: { ...bound, description: 'The maximum of a number.' },
  minItems: { ...limit, description: 'The minimum number of items in a list.' },
  minLength: { ...limit, description: 'The minimum length of a string.' },
  minProperties: { ...limit, description: 'The minimum number of fields in an object.' },
  minimum: { ...bound, description: 'The minimum of a number.' },
  multipleOf: { ...bound, description: 'The number must be a multiple of this.' },
  not: { ...jsonSchemaPropsSchema, nullable: true, description: 'The value must not match this schema.' },
  nullable: { ...flag, description: 'Whether null is allowed.' },
  oneOf: { ...list, description: 'The value must match exactly one of these schemas.' },
  pattern: { ...text, description: 'A regular expression (RE2) that the string must match.' },
  patternProperties: { ...map, description: 'Not used by custom resources.' },
  properties: { ...map, description: 'The schemas of the fields of an object.' },
  required: { ...atomicTexts, description: 'The required fields.' },
  title: { ...text, description: 'A title for the value.' },
  type: { ...text, description: 'The type: object, array, string, integer, number or boolean.' },
  uniqueItems: { ...flag, description: 'Not supported. Use x-kubernetes-list-type set instead.' },
  'x-kubernetes-embedded-resource': {
    ...flag,
    description: 'The value is a complete Kubernetes object with apiVersion, kind and metadata.',
  },
  'x-kubernetes-int-or-string': { ...flag, description: 'The value is an integer or a string.' },
  'x-kubernetes-list-map-keys': {
    ...atomicTexts,
    description: 'The fields that identify an item in a list of type map.',
  },
  'x-kubernetes-list-type': {
    ...optionalText,
    description:
      'How a list is merged: atomic (replaced as a whole), set (by value) or map (by the keys of its items). Defaults to atomic.',
  },
  'x-kubernetes-map-type': {
    ...optionalText,
    description: 'How an object is merged: granular (field by field) or atomic. Defaults to granular.',
  },
  'x-kubernetes-preserve-unknown-fields': {
    ...optionalFlag,
    description: 'Unknown fields are kept instead of pruned.',
  },
  'x-kubernetes-validations': {
    type: 'array',
    items: rule,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['rule'],
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': 'rule',
    description: 'CEL validation rules.',
  },
} satisfies Record<string, Schema>)
