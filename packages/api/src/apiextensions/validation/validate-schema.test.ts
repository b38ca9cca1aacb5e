import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../machinery/field-error.ts'
import type { CustomResourceSubresources } from '../custom-resource-definition.ts'
import { thingDefinition } from '../definition-for-test.ts'
import type { JsonSchemaProps } from '../json-schema-props.ts'
import { validateDefinition } from './validate-definition.ts'

const root = 'spec.validation.openAPIV3Schema'
const a = `${root}.properties[a]`
const field = (schema: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { a: schema } })
const list = (schema: JsonSchemaProps): JsonSchemaProps => field({ type: 'array', ...schema })
const rules = 'x-kubernetes-validations'
const text: JsonSchemaProps = { type: 'string' }
const onlyMetadata =
  'Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified'

const cases: readonly [name: string, schema: JsonSchemaProps, errors: readonly string[]][] = [
  ['an object of nothing', { type: 'object' }, []],
  // What is structural.
  ['no type at the root', {}, [`${root}.type: Required value: must not be empty at the root`]],
  [
    'another type at the root',
    { type: 'string' },
    [`${root}.type: Invalid value: "string": must be object at the root`],
  ],
  [
    'no type of a field',
    field({}),
    [`${a}.type: Required value: must not be empty for specified object fields`],
  ],
  [
    'no type of an element',
    list({ items: {} }),
    [`${a}.items.type: Required value: must not be empty for specified array items`],
  ],
  ['no items', list({}), [`${a}.items: Required value: must be specified`]],
  ['anything', field({ 'x-kubernetes-preserve-unknown-fields': true }), []],
  ['integer or text', field({ 'x-kubernetes-int-or-string': true }), []],
  [
    'integer or text, said in full',
    field({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
    [],
  ],
  [
    'integer or text, said in full and restricted',
    field({
      'x-kubernetes-int-or-string': true,
      allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: '^a' }],
    }),
    [],
  ],
  [
    'integer or text, said in another order',
    field({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] }),
    [
      `${a}.anyOf[0].type: Forbidden: must be empty to be structural`,
      `${a}.anyOf[1].type: Forbidden: must be empty to be structural`,
    ],
  ],
  [
    'integer or text, and more',
    field({
      type: 'object',
      'x-kubernetes-int-or-string': true,
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    }),
    [
      `${a}.x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
      `${a}.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
    ],
  ],
  [
    'what values are, said inside of logic',
    field({
      type: 'object',
      not: {
        type: 'object',
        description: 'd',
        title: 't',
        nullable: true,
        default: 1,
        additionalProperties: true,
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-int-or-string': true,
        'x-kubernetes-validations': [{ rule: 'true' }],
      },
    }),
    [
      `${a}.not.additionalProperties: Forbidden: must be undefined to be structural`,
      `${a}.not.default: Forbidden: must be undefined to be structural`,
      `${a}.not.description: Forbidden: must be empty to be structural`,
      `${a}.not.nullable: Forbidden: must be false to be structural`,
      `${a}.not.title: Forbidden: must be empty to be structural`,
      `${a}.not.type: Forbidden: must be empty to be structural`,
      `${a}.not.x-kubernetes-embedded-resource: Forbidden: must be false to be structural`,
      `${a}.not.x-kubernetes-int-or-string: Forbidden: must be false to be structural`,
      `${a}.not.x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural`,
      `${a}.not.x-kubernetes-validations: Forbidden: must be empty to be structural`,
    ],
  ],
  [
    'how lists are merged, said inside of logic',
    list({
      items: text,
      oneOf: [
        {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', required: ['k'], properties: { k: {} } },
        },
        { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      ],
    }),
    [
      `${a}.oneOf[0].items.type: Forbidden: must be empty to be structural`,
      `${a}.oneOf[0].type: Forbidden: must be empty to be structural`,
      `${a}.oneOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural`,
      `${a}.oneOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural`,
      `${a}.oneOf[1].type: Forbidden: must be empty to be structural`,
      `${a}.oneOf[1].x-kubernetes-map-type: Forbidden: must be undefined to be structural`,
    ],
  ],
  [
    'metadata inside of logic',
    {
      type: 'object',
      properties: { metadata: { type: 'object' } },
      allOf: [{ properties: { metadata: {} } }],
    },
    [`${root}.allOf[0].properties[metadata]: Forbidden: must not be specified in a nested context`],
  ],
  [
    'fields and elements that only logic knows, at the root',
    {
      type: 'object',
      properties: { b: { type: 'array', items: text } },
      anyOf: [{ properties: { a: { minLength: 1 }, b: { items: { pattern: 'x' } } } }],
      not: { properties: { b: { items: { items: {} } } } },
    },
    [
      `${root}.properties[a]: Required value: because it is defined in ${root}.anyOf[0].properties[a]`,
      `${root}.properties[b].items.items: Required value: because it is defined in ${root}.not.properties[b].items.items`,
    ],
  ],
  [
    'further fields at the root',
    { type: 'object', additionalProperties: text },
    [`${root}.additionalProperties: Forbidden: must not be used at the root`],
  ],
  [
    'a pattern that is none',
    field({ type: 'string', pattern: '(?=x)' }),
    [
      `${a}.pattern: Invalid value: "(?=x)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
  ],
  // Metadata.
  [
    'restricted names',
    {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
    },
    [],
  ],
  [
    'kind, apiVersion and metadata of other types',
    {
      type: 'object',
      properties: { kind: { type: 'integer' }, apiVersion: { type: 'boolean' }, metadata: text },
    },
    [
      `${root}.properties[apiVersion].type: Invalid value: "boolean": must be string`,
      `${root}.properties[kind].type: Invalid value: "integer": must be string`,
      `${root}.properties[metadata].type: Invalid value: "string": must be object`,
    ],
  ],
  [
    'metadata with a description',
    { type: 'object', properties: { metadata: { type: 'object', description: 'd' } } },
    [`${root}.properties[metadata]: ${onlyMetadata}`],
  ],
  [
    'metadata with labels',
    {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: text, labels: { type: 'object' } } } },
    },
    [`${root}.properties[metadata]: ${onlyMetadata}`],
  ],
  [
    'metadata of what is no object of the API',
    field({
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    }),
    [],
  ],
  // Embedded resources.
  [
    'an embedded resource',
    field({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    }),
    [],
  ],
  [
    'an embedded resource without a type',
    field({ 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
    [`${a}.type: Required value: must be object if x-kubernetes-embedded-resource is true`],
  ],
  [
    'an embedded resource of another type',
    field({
      type: 'string',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      additionalProperties: true,
    }),
    [
      `${a}.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set`,
      `${a}.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true`,
    ],
  ],
  [
    'an embedded resource of nothing',
    field({ type: 'object', 'x-kubernetes-embedded-resource': true }),
    [
      `${a}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    ],
  ],
  [
    'an embedded resource in metadata',
    field({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        metadata: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      },
    }),
    [
      `${a}.properties[metadata].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta`,
    ],
  ],
  // What JSON Schema has, and custom resources have not.
  [
    'an unknown type',
    field({ type: 'text' }),
    [
      `${a}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  [
    'the type null',
    field({ type: 'null' }),
    [
      `${a}.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      `${a}.type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ],
  ],
  [
    'unknown keywords',
    field({
      type: 'object',
      id: 'x',
      additionalItems: false,
      patternProperties: { x: text },
      definitions: { x: { type: 'null' } },
      dependencies: { x: ['y'] },
      $ref: '',
    }),
    [
      `${a}.id: Forbidden: id is not supported`,
      `${a}.additionalItems: Forbidden: additionalItems is not supported`,
      `${a}.patternProperties: Forbidden: patternProperties is not supported`,
      `${a}.definitions: Forbidden: definitions is not supported`,
      `${a}.dependencies: Forbidden: dependencies is not supported`,
      `${a}.$ref: Forbidden: $ref is not supported`,
      `${a}.definitions[x].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      `${a}.definitions[x].type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ],
  ],
  [
    'a schema of the schema',
    { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#' },
    [`${root}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
  ],
  [
    'unique items',
    list({ items: text, uniqueItems: true }),
    [
      `${a}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
  ],
  [
    'a list of schemas of items',
    list({ items: [text, { type: 'null' }] }),
    [
      `${a}.items: Forbidden: items must be a schema object and not an array`,
      `${a}.items[1].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      `${a}.items[1].type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ],
  ],
  [
    'named and further fields',
    field({ type: 'object', properties: { b: text }, additionalProperties: text }),
    [`${a}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    'named and no further fields',
    field({ type: 'object', properties: { b: text }, additionalProperties: false }),
    [`${a}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    'named and any further fields',
    field({ type: 'object', properties: { b: text }, additionalProperties: true }),
    [],
  ],
  [
    'null at the root',
    { type: 'object', nullable: true },
    [`${root}.nullable: Forbidden: nullable cannot be true at the root`],
  ],
  [
    'unknown fields that are not to be kept',
    field({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
    [`${a}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
  ],
  // Defaults.
  ['a default', field({ type: 'integer', default: 1 }), []],
  [
    'a default of another type',
    field({ type: 'integer', default: 'x' }),
    [`${a}.default: Invalid value: "string":  in body must be of type integer: "string"`],
  ],
  [
    'a default for the kind',
    { type: 'object', properties: { kind: { type: 'string', default: 'Thing' } } },
    [`${root}.properties[kind].default: Forbidden: must not be set in top-level kind`],
  ],
  [
    'a default for labels',
    field({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        metadata: {
          type: 'object',
          properties: { labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } },
        },
      },
    }),
    [
      `${a}.properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata`,
    ],
  ],
  // The form of rules.
  [
    'rules that are none',
    {
      type: 'object',
      properties: { a: text },
      [rules]: [
        { rule: ' ' },
        { rule: 'true', message: ' ' },
        { rule: 'true', message: 'a\nb' },
        { rule: 'true &&\ntrue' },
        { rule: 'true &&\ntrue', message: 'said' },
        { rule: 'true', messageExpression: ' ' },
        { rule: 'true', reason: 'Because' },
        { rule: 'true', fieldPath: '.a' },
        { rule: 'true', fieldPath: '.b' },
        { rule: 'true', fieldPath: ' ' },
        { rule: 'true', fieldPath: '.a\n' },
      ],
    },
    [
      `${root}.${rules}[0].rule: Required value: rule is not specified`,
      `${root}.${rules}[1].message: Invalid value: " ": must be non-empty if specified`,
      `${root}.${rules}[2].message: Invalid value: "a\\nb": must not contain line breaks`,
      `${root}.${rules}[3].message: Required value: message must be specified if rule contains line breaks`,
      `${root}.${rules}[5].messageExpression: Required value: messageExpression must be non-empty if specified`,
      `${root}.${rules}[6].reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      `${root}.${rules}[8].fieldPath: Invalid value: ".b": must be a valid path`,
      `${root}.${rules}[9].fieldPath: Invalid value: " ": must be non-empty if specified`,
      `${root}.${rules}[9].fieldPath: Invalid value: " ": must be a valid path`,
      `${root}.${rules}[10].fieldPath: Invalid value: ".a\\n": must not contain line breaks`,
      `${root}.${rules}[10].fieldPath: Invalid value: ".a\\n": must be a valid path`,
    ],
  ],
]

for (const [name, schema, errors] of cases) {
  test(`schema: ${name}`, () => {
    assert.deepEqual(validateDefinition(thingDefinition({ schema })).map(fieldErrorText), errors)
  })
}

const status: CustomResourceSubresources = { status: {} }
const allowed =
  'only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled'

const withStatus: readonly [name: string, schema: JsonSchemaProps, errors: readonly string[]][] = [
  [
    'fields',
    { type: 'object', description: 'd', required: ['spec'], properties: { spec: { type: 'object' } } },
    [],
  ],
  [
    'logic',
    { type: 'object', anyOf: [{ required: ['a'] }] },
    [`${root}: Invalid value: {"type":"object","anyOf":[{"required":["a"]}]}: ${allowed}`],
  ],
  [
    'another type',
    { type: 'string' },
    [
      `${root}.type: Invalid value: "string": only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
      `${root}.type: Invalid value: "string": must be object at the root`,
    ],
  ],
]

for (const [name, schema, errors] of withStatus) {
  test(`schema: with a status, ${name} at the root`, () => {
    const [first] = thingDefinition({ schema }).spec.versions ?? []
    assert.ok(first)
    const definition = thingDefinition({ spec: { versions: [{ ...first, subresources: status }] } })
    assert.deepEqual(validateDefinition(definition).map(fieldErrorText), errors)
  })
}
