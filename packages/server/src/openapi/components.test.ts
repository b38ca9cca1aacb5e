import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolean,
  integer,
  microTime,
  quantity,
  type Schema,
  structSchema,
  text,
  textList,
  textMap,
} from '@strata/api'
import { Components, type Json } from './components.ts'

const inType = { typePackage: 'io.k8s.api.core.v1', typed: true, isAlwaysThere: false }
const inOwn = { ...inType, typed: false }
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const spec = structSchema('Spec', 'A spec.', { size: integer, name: text }, ['name'])
const microTimeName = 'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime'

const cases: ReadonlyArray<[name: string, schema: Schema, place: typeof inType, want: Json]> = [
  [
    'a field keeps what is said about it',
    { ...text, description: 'A.' },
    inType,
    { type: 'string', description: 'A.' },
  ],
  [
    'what is required is there when empty',
    text,
    { ...inType, isAlwaysThere: true },
    { type: 'string', default: '' },
  ],
  [
    'a pointer is not',
    { ...boolean, nullable: true },
    { ...inType, isAlwaysThere: true },
    { type: 'boolean' },
  ],
  [
    'items of lists are there when empty',
    textList,
    inType,
    { type: 'array', items: { type: 'string', default: '' } },
  ],
  [
    'entries of maps too, but for bytes',
    { type: 'object', additionalProperties: { ...text, format: 'byte' } },
    inType,
    { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
  ],
  ['nothing is there by itself in a schema of its own', textMap, inOwn, textMap as Json],
  [
    'a schema of its own is shown as it is',
    { ...text, nullable: true, default: 'red', enum: ['red'] },
    inOwn,
    { type: 'string', nullable: true, enum: ['red'], default: 'red' },
  ],
  ['a struct is there when empty', spec, inType, { default: {}, allOf: [ref('io.k8s.api.core.v1.Spec')] }],
  ['a pointer to one is not', { ...spec, nullable: true }, inType, ref('io.k8s.api.core.v1.Spec')],
  [
    'what is said of a field stands beside the reference',
    { ...spec, nullable: true, description: 'The spec.' },
    inType,
    { description: 'The spec.', allOf: [ref('io.k8s.api.core.v1.Spec')] },
  ],
  [
    'entries of maps that have a name are references',
    { type: 'object', additionalProperties: quantity },
    inType,
    { type: 'object', additionalProperties: ref('io.k8s.apimachinery.pkg.api.resource.Quantity') },
  ],
  ['a name with a dot is whole', { ...microTime, default: null }, inType, ref(microTimeName)],
]
for (const [name, schema, place, want] of cases) {
  test(`components: ${name}`, () => assert.deepEqual(new Components().publish(schema, place), want))
}

test('components: a named type is described once, with everything that it is made of', () => {
  const components = new Components()
  const inner = { ...spec, 'x-kubernetes-map-type': 'atomic' } as const
  const outer = structSchema('Outer', 'Outside.', { b: inner, a: { type: 'array', items: inner } })
  components.publish({ ...outer, description: 'Of the field.' }, inOwn)
  components.publish(outer, inOwn)
  const use = { default: {}, allOf: [ref('io.k8s.api.core.v1.Spec')] }
  assert.deepEqual(components.toJson(), {
    'io.k8s.api.core.v1.Outer': {
      type: 'object',
      description: 'Outside.',
      properties: { a: { type: 'array', items: use }, b: use },
    },
    'io.k8s.api.core.v1.Spec': {
      type: 'object',
      description: 'A spec.',
      'x-kubernetes-map-type': 'atomic',
      required: ['name'],
      properties: { name: { type: 'string', default: '' }, size: { type: 'integer' } },
    },
  })
})

test('components: a quantity is a text or a number', () => {
  const components = new Components()
  components.publish(quantity, inType)
  const [type] = Object.values(components.toJson()) as Json[]
  const { description, ...shape } = type ?? {}
  assert.deepEqual(shape, { oneOf: [{ type: 'string' }, { type: 'number' }] })
  assert.equal(typeof description, 'string')
})
