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
  'A rule, written in CEL, that values must satisfy.',
  {
    rule: {
      ...text,
      default: '',
      description: 'The expression; self is the value at which the rule stands.',
    },
    message: { ...text, description: 'What is answered when the rule is broken.' },
    messageExpression: { ...text, description: 'An expression whose value is what is answered instead.' },
    reason: { ...optionalText, description: 'The reason in the answer: FieldValueInvalid if there is none.' },
    fieldPath: { ...text, description: 'The field below that the answer names, as a path: .a.b' },
    optionalOldSelf: {
      ...optionalFlag,
      description: 'Whether a rule about changes is asked of new values too; oldSelf is then optional.',
    },
  },
  ['rule'],
)

// The schemas of all its fields, filled below: several of them contain it.
const properties: Record<string, Schema> = {}

/** What a custom resource's schema may consist of. It contains itself. */
export const jsonSchemaPropsSchema: Schema = structSchema(
  'JSONSchemaProps',
  'The schema of a value, as JSON Schema has it (http://json-schema.org/), with what OpenAPI and Kubernetes add.',
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
  'x-strata-type': { name: 'JSONSchemaPropsOrStringArray', description: 'A schema, or a list of texts.' },
}

Object.assign(properties, {
  $ref: { ...optionalText, description: 'Not used by custom resources.' },
  $schema: { ...text, description: 'Which schema language this is.' },
  additionalItems: { ...schemaOrFlag, description: 'Not used by custom resources.' },
  additionalProperties: { ...schemaOrFlag, description: 'The schema of fields that properties do not name.' },
  allOf: { ...list, description: 'Values must satisfy all of these.' },
  anyOf: { ...list, description: 'Values must satisfy at least one of these.' },
  default: { ...json, description: 'The value of the field where an object has none.' },
  definitions: { ...map, description: 'Not used by custom resources.' },
  dependencies: {
    type: 'object',
    additionalProperties: schemaOrTexts,
    description: 'Not used by custom resources.',
  },
  description: { ...text, description: 'What the value is, for people.' },
  enum: {
    type: 'array',
    items: json,
    'x-kubernetes-list-type': 'atomic',
    description: 'The values that are allowed.',
  },
  example: { ...json, description: 'A value that would be valid.' },
  exclusiveMaximum: { ...flag, description: 'Whether values must be below the maximum.' },
  exclusiveMinimum: { ...flag, description: 'Whether values must be above the minimum.' },
  externalDocs: {
    ...structSchema('ExternalDocumentation', 'Where more is said.', {
      description: { ...text, description: 'What is said there.' },
      url: { ...text, description: 'Where it is.' },
    }),
    nullable: true,
    description: 'Where more is said.',
  },
  format: {
    ...text,
    description: 'Which texts or numbers: date, uuid, int64 and the like. Others are ignored.',
  },
  id: { ...text, description: 'Not used by custom resources.' },
  items: { ...schemaOrList, description: 'The schema of the elements of a list.' },
  maxItems: { ...limit, description: 'How many elements a list may have.' },
  maxLength: { ...limit, description: 'How many characters a text may have.' },
  maxProperties: { ...limit, description: 'How many fields an object may have.' },
  maximum: { ...bound, description: 'The greatest number that is allowed.' },
  minItems: { ...limit, description: 'How many elements a list must have.' },
  minLength: { ...limit, description: 'How many characters a text must have.' },
  minProperties: { ...limit, description: 'How many fields an object must have.' },
  minimum: { ...bound, description: 'The smallest number that is allowed.' },
  multipleOf: { ...bound, description: 'Numbers must be multiples of this.' },
  not: { ...jsonSchemaPropsSchema, nullable: true, description: 'Values must not satisfy this.' },
  nullable: { ...flag, description: 'Whether null is allowed.' },
  oneOf: { ...list, description: 'Values must satisfy exactly one of these.' },
  pattern: { ...text, description: 'A regular expression (RE2) that texts must match.' },
  patternProperties: { ...map, description: 'Not used by custom resources.' },
  properties: { ...map, description: 'The schemas of the fields of an object.' },
  required: { ...atomicTexts, description: 'The fields that an object must have.' },
  title: { ...text, description: 'What the value is called, for people.' },
  type: { ...text, description: 'What the value is: object, array, string, integer, number or boolean.' },
  uniqueItems: { ...flag, description: 'Not used by custom resources; x-kubernetes-list-type says it.' },
  'x-kubernetes-embedded-resource': {
    ...flag,
    description: 'The value is a whole object with apiVersion, kind and metadata.',
  },
  'x-kubernetes-int-or-string': { ...flag, description: 'The value is either an integer or a text.' },
  'x-kubernetes-list-map-keys': {
    ...atomicTexts,
    description: 'The fields that tell the elements of a list of type map apart.',
  },
  'x-kubernetes-list-type': {
    ...optionalText,
    description:
      'How a list is merged: atomic as a whole, set by its values, map by the keys of its elements. Atomic if it is not said.',
  },
  'x-kubernetes-map-type': {
    ...optionalText,
    description: 'How an object is merged: granular field by field, which is the default, or atomic.',
  },
  'x-kubernetes-preserve-unknown-fields': {
    ...optionalFlag,
    description: 'Fields that are not specified are kept, and not dropped.',
  },
  'x-kubernetes-validations': {
    type: 'array',
    items: rule,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['rule'],
    'x-kubernetes-patch-strategy': 'merge',
    'x-kubernetes-patch-merge-key': 'rule',
    description: 'Rules, written in CEL, that values must satisfy.',
  },
} satisfies Record<string, Schema>)
