import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiObject, compileStructuralSchema, type JsonSchemaProps, type Schema } from '@strata/api'
import { generateInstance } from '@strata/rehearsal/generate'
import { publishedCrds } from '../published-crds.ts'

const shares = [0.6, 0.3, 0.1, 0] as const
const text = { type: 'string' } as const

/** Each case is a field of the spec, and what some or all generated values look like. */
const cases: ReadonlyArray<
  [name: string, schema: JsonSchemaProps, seen?: (made: readonly unknown[]) => boolean]
> = [
  ['a text within its length', { ...text, minLength: 12, maxLength: 12 }],
  ['a text of a pattern', { ...text, pattern: '^[a-z]{2}-[0-9]+$' }],
  [
    'a text of two patterns',
    { ...text, allOf: [{ pattern: '^[a-c]+$' }, { pattern: '^[b-d]+$' }] },
    (made) => made.every((each) => /^[bc]+$/.test(String(each))),
  ],
  ['each of an enumeration', { ...text, enum: ['a', 'b'] }, (made) => new Set(made).size === 2],
  ['a whole number within its bounds', { type: 'integer', minimum: 5, maximum: 6, exclusiveMinimum: true }],
  ['a multiple', { type: 'integer', minimum: 10, multipleOf: 7 }],
  ['a number below a bound', { type: 'number', maximum: -3 }],
  ['a time', { ...text, format: 'date-time' }],
  ['bytes', { ...text, format: 'byte' }],
  ['an address', { ...text, format: 'ipv6' }],
  [
    'a number or a text',
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, text], pattern: '^[0-9]+%$' },
    (made) => new Set(made.map((each) => typeof each)).size === 2,
  ],
  ['null now and then', { ...text, nullable: true }, (made) => made.includes(null)],
  ['a list that is long enough', { type: 'array', minItems: 3, items: text }],
  [
    'a set',
    {
      ...{ type: 'array', 'x-kubernetes-list-type': 'set', minItems: 2 },
      items: { ...text, enum: ['a', 'b'] },
    },
  ],
  [
    'a list by keys',
    {
      ...{
        type: 'array',
        minItems: 2,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port'],
      },
      items: { type: 'object', properties: { port: { type: 'integer', default: 80 } } },
    },
  ],
  ['a map', { type: 'object', additionalProperties: text, minProperties: 2 }],
  ['few enough fields', { type: 'object', maxProperties: 1, properties: { a: text, b: text, c: text } }],
  ['enough fields', { type: 'object', minProperties: 2, properties: { a: text, b: text, c: text } }],
  [
    'exactly one of the alternatives',
    { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    (made) => new Set(made.flatMap((each) => Object.keys(each as object))).size === 2,
  ],
  [
    'at most one of the alternatives',
    {
      ...{ type: 'object', properties: { a: text, b: text } },
      oneOf: [
        { not: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } },
        { required: ['a'] },
        { required: ['b'] },
      ],
    },
  ],
  [
    'at least one of the alternatives',
    { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  ],
  [
    'not both',
    {
      ...{ type: 'object', properties: { a: text, b: text }, required: ['a'] },
      not: { required: ['a', 'b'] },
    },
  ],
  [
    'an alternative that a default would contradict',
    {
      type: 'object',
      required: ['value'],
      properties: { type: { ...text, default: 'IP' }, value: text },
      oneOf: [
        {
          properties: { type: { enum: ['IP'] }, value: { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] } },
        },
        { properties: { type: { not: { enum: ['IP'] } } } },
      ],
    },
  ],
  [
    'an object of another kind',
    {
      ...{ type: 'object', 'x-kubernetes-embedded-resource': true },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  ['anything', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
]

for (const [name, field, seen] of cases) {
  test(`an instance is made with ${name}`, () => {
    const schema: JsonSchemaProps = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { field }, required: ['field'] } },
    }
    const made: unknown[] = []
    for (const share of shares) {
      for (let seed = 0; seed < 30; seed++) {
        const instance = generate(schema, `${seed}`, share)
        assert.deepEqual(generate(schema, `${seed}`, share), instance)
        made.push((instance['spec'] as { field: unknown }).field)
        assert.deepEqual(problemsOf(schema, instance), [], JSON.stringify(instance))
      }
    }
    assert.ok(seen?.(made) ?? true, JSON.stringify(made))
  })
}

test('what cannot be is not made up', () => {
  const schema: JsonSchemaProps = {
    type: 'object',
    properties: { spec: { type: 'object', required: ['a'], not: { required: ['a'] } } },
  }
  assert.throws(() => generate(schema, '1', 0), /found no set of fields that satisfies/)
})

test('a part of what may be left out is made, up to a size, and none if none is wanted', () => {
  const fields = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, text]))
  const schema: JsonSchemaProps = {
    type: 'object',
    properties: { spec: { type: 'object', properties: fields } },
  }
  assert.deepEqual(generate(schema, '1', 0)['spec'], {})
  const count = Object.keys(generate(schema, '1', 0.9)['spec'] as object).length
  assert.ok(count > 100 && count <= 250, String(count))
})

const crds = publishedCrds(20)
test('instances of published definitions satisfy their schemas', {
  skip: crds.length === 0 && 'no published definitions here; STRATA_CRDS says where they are',
}, () => {
  for (const { file, spec } of crds) {
    for (const each of spec.versions) {
      const schema = (each.schema?.openAPIV3Schema ?? {}) as JsonSchemaProps
      const problems = problemsOf(schema, generate(schema, file, 0.5))
      assert.deepEqual(problems, [], `${file} ${each.name}`)
    }
  }
})

function generate(schema: JsonSchemaProps, seed: string, share: number) {
  const names = { apiVersion: 'example.dev/v1', kind: 'Thing', name: 'one' }
  return generateInstance({ ...names, schema, seed, share, withFields: ['spec'] })
}

/** Validated by the server's engine, which has tables of its own; except the rules, which generated values may break. */
function problemsOf(schema: JsonSchemaProps, instance: object): string[] {
  const engine = compileStructuralSchema(withoutRules(schema))
  const object = structuredClone(instance) as ApiObject
  const unknown: string[] = []
  engine.prune(object, (path) => unknown.push(path))
  engine.applyDefaults(object)
  return [...unknown, ...engine.validate(object).map((each) => JSON.stringify(each))]
}

function withoutRules(schema: JsonSchemaProps): Schema {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === 'x-kubernetes-validations' ? undefined : value)),
  )
}
