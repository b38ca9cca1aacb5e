import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import { fieldErrorText } from '../field-error.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** A schema for the field `f`, and values of it with what is wrong with each. Without the path, that is `f: `. */
type Case = readonly [name: string, schema: Schema, ...values: readonly (readonly [unknown, ...string[]])[]]

const type = (found: string, wanted: string): string =>
  `f: Invalid value: "${found}": f in body must be of type ${wanted}: "${found}"`
const inBody = (value: string, problem: string): string => `f: Invalid value: ${value}: f in body ${problem}`
const problem = (text: string): string => `<nil>: Invalid value: "": ${text}`
const checked = (how = '(default format)'): string =>
  problem(`Checked value must be of type integer ${how} in f`)
const either = 'integer,string'
const anyOf = problem('"f" must validate at least one schema (anyOf)')
const allOf = problem('"f" must validate all the schemas (allOf). None validated')

const cases: readonly Case[] = [
  [
    'an object',
    { type: 'object' },
    [{}],
    [{ a: 1 }],
    ['foo', type('string', 'object')],
    [42, type('integer', 'object')],
    [true, type('boolean', 'object')],
    [1.2, type('number', 'object')],
    [[], type('array', 'object')],
    [null, type('null', 'object')],
  ],
  ['an object or null', { type: 'object', nullable: true }, [{}], [null], ['foo', type('string', 'object')]],
  ['anything', {}, [{}], [null], ['foo'], [[1]], [1.5], [true]],
  ['a boolean', { type: 'boolean' }, [true], ['true', type('string', 'boolean')]],
  [
    'an integer or a text',
    { 'x-kubernetes-int-or-string': true },
    [42],
    ['foo'],
    [null, type('null', either)],
    [true, type('boolean', either)],
    [1.2, type('number', either)],
    [{}, type('object', either)],
    [[], type('array', either)],
  ],
  [
    'an integer or a text that says so twice',
    { 'x-kubernetes-int-or-string': true, nullable: true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    [null],
    [42],
    ['foo'],
    [true, type('boolean', either), anyOf, type('boolean', 'integer')],
    [1.2, type('number', either), anyOf, type('number', 'integer'), checked()],
    [{}, type('object', either), anyOf, type('object', 'integer')],
    [[], type('array', either), anyOf, type('array', 'integer')],
  ],
  [
    'an integer or a text that says so inside',
    { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }] },
    [42],
    [true, type('boolean', either), anyOf, type('boolean', 'integer'), allOf],
  ],
  [
    'an integer',
    { type: 'integer' },
    [1],
    [rawJSON('1.0')],
    [rawJSON('1e3')],
    [rawJSON('9007199254740993')],
    [rawJSON('-9223372036854775808')],
    [-(2 ** 63)],
    [1.5, type('number', 'integer'), checked()],
    [rawJSON('9223372036854775808'), type('number', 'integer'), checked()],
    [1e300, type('number', 'integer'), checked()],
  ],
  ['an integer, or almost', { type: 'integer' }, [1.0000000001, checked()]],
  [
    'a 32-bit integer',
    { type: 'integer', format: 'int32' },
    [2147483647],
    [-2147483648],
    [2147483648, checked('with format int32')],
    [-2147483649, checked('with format int32')],
    [
      1.5,
      'f: Invalid value: "float64": f in body must be of type int32: "float64"',
      checked('with format int32'),
    ],
    [true, 'f: Invalid value: "": f in body must be of type int32: ""'],
    ['1', type('string', 'integer')],
  ],
  [
    'a 64-bit integer',
    { type: 'integer', format: 'int64' },
    [rawJSON('9223372036854775807')],
    [
      1e19,
      'f: Invalid value: "float64": f in body must be of type int64: "float64"',
      checked('with format int64'),
    ],
  ],
  [
    'a float',
    { type: 'number', format: 'float' },
    [3.4e38],
    [1],
    [3.5e38, problem('Checked value must be of type number with format float in f')],
  ],
  ['a double', { type: 'number', format: 'double' }, [1.7e308], [1], ['x', type('string', 'number')]],
  [
    'limits',
    { type: 'integer', minimum: 1, maximum: 10 },
    [1],
    [10],
    [0, inBody('0', 'should be greater than or equal to 1')],
    [11, inBody('11', 'should be less than or equal to 10')],
  ],
  [
    'limits that are excluded',
    { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 2.5, exclusiveMaximum: true },
    [1.5],
    [1, inBody('1', 'should be greater than 1')],
    [2.5, inBody('2.5', 'should be less than 2.5')],
  ],
  [
    'an integer meets a limit without its fraction',
    { type: 'number', minimum: 0.5, maximum: 2.5 },
    [0],
    [0.4, inBody('0.4', 'should be greater than or equal to 0.5')],
    [3, inBody('3', 'should be less than or equal to 2')],
  ],
  [
    'a limit that the type cannot have',
    { type: 'integer', minimum: 0.5 },
    [1, problem('Minimum boundary value must be of type integer (default format) in f')],
  ],
  [
    'limits of large integers are exact',
    { type: 'integer', maximum: 9007199254740992 },
    [rawJSON('9007199254740992')],
    [
      rawJSON('9007199254740993'),
      inBody('9007199254740993', 'should be less than or equal to 9007199254740992'),
    ],
  ],
  ['limits beyond all integers', { type: 'number', maximum: 1e19, minimum: -1e19 }, [5]],
  [
    'multiples',
    { type: 'integer', multipleOf: 3 },
    [9],
    [0],
    [rawJSON('9007199254740993')],
    [10, inBody('10', 'should be a multiple of 3')],
  ],
  [
    'multiples of a fraction',
    { type: 'number', multipleOf: 0.1 },
    [0.3],
    [0.25, inBody('0.25', 'should be a multiple of 0.1')],
    [1, 'f: Invalid value: 0: factor MultipleOf declared for f must be positive: 0'],
  ],
  [
    'small limits as Go prints them',
    { type: 'number', minimum: 0.00001 },
    [1e-7, inBody('1e-07', 'should be greater than or equal to 1e-05')],
  ],
  [
    'lengths are in characters',
    { type: 'string', minLength: 2, maxLength: 3 },
    ['äö'],
    ['😀😀😀'],
    ['😀', inBody('"😀"', 'should be at least 2 chars long')],
    ['abcd', 'f: Too long: may not be more than 3 bytes'],
  ],
  ['at most one', { type: 'string', maxLength: 1 }, ['ab', 'f: Too long: may not be more than 1 byte']],
  [
    'a pattern',
    { type: 'string', pattern: '^[a-z]+$' },
    ['abc'],
    ['A1', inBody('"A1"', "should match '^[a-z]+$'")],
  ],
  [
    'an end of text is not an end of line',
    { type: 'string', pattern: 'a$' },
    ['a\n', inBody('"a\\n"', "should match 'a$'")],
  ],
  [
    'a pattern that is none',
    { type: 'string', pattern: '+' },
    [
      'foo',
      inBody(
        '"foo"',
        "should match '+, but pattern is invalid: error parsing regexp: missing argument to repetition operator: `+`'",
      ),
    ],
  ],
  [
    'only the first problem of a text is reported',
    { type: 'string', minLength: 5, pattern: '^x', format: 'date' },
    [
      'abc',
      inBody('"abc"', 'should be at least 5 chars long'),
      'f: Invalid value: "abc": f in body must be of type date: "abc"',
    ],
  ],
  [
    'formats are types',
    { type: 'string', format: 'date-time' },
    ['2014-12-15T19:30:20.000Z'],
    ['nope', type('nope', 'date-time')],
    [1, 'f: Invalid value: "int64": f in body must be of type date-time: "int64"'],
    [{}, 'f: Invalid value: "": f in body must be of type date-time: ""'],
    [[]],
  ],
  ['unknown formats', { type: 'string', format: 'quantity' }, ['nope'], [1, type('integer', 'string')]],
  ['formats of other types', { type: 'integer', format: 'date' }, [1], [true, type('boolean', 'integer')]],
  [
    'enumerated texts',
    { type: 'string', enum: ['A', 'B'] },
    ['A'],
    ['C', 'f: Unsupported value: "C": supported values: "A", "B"'],
  ],
  [
    'enumerated numbers',
    { type: 'integer', enum: [1, 2] },
    [1],
    [rawJSON('2.0')],
    [3, 'f: Unsupported value: 3: supported values: "1", "2"'],
    ['x', type('string', 'integer'), 'f: Unsupported value: "x": supported values: "1", "2"'],
  ],
  [
    'enumerated integers among numbers',
    { type: 'number', enum: [1] },
    [1.5],
    [2.5, 'f: Unsupported value: 2.5: supported values: "1"'],
  ],
  [
    'enumerated objects',
    { enum: [{ a: [1] }] },
    [{ a: [1] }],
    [{ a: [2] }, 'f: Unsupported value: {"a":[2]}: supported values: "{\\"a\\":[1]}"'],
  ],
  [
    'null is never enumerated',
    { type: 'string', nullable: true, enum: ['A', null] },
    [null, 'f: Unsupported value: null: supported values: "A", "null"'],
  ],
  [
    'items and their number',
    { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
    [['a']],
    [[], inBody('0', 'should have at least 1 items')],
    [
      ['a', 1, 'c'],
      'f[1]: Invalid value: "integer": f[1] in body must be of type string: "integer"',
      'f: Too many: 3: must have at most 2 items',
    ],
  ],
  ['at most one item', { type: 'array', maxItems: 1 }, [[1, 2], 'f: Too many: 2: must have at most 1 item']],
  [
    'items that are all different',
    { type: 'array', uniqueItems: true },
    [[1, 2]],
    [[{ a: 1 }, { a: 1 }], `f: Invalid value: "": f in body shouldn't contain duplicates`],
  ],
  [
    'fields and their number',
    { type: 'object', minProperties: 1, maxProperties: 2 },
    [{ a: 1 }],
    [{}, inBody('0', 'should have at least 1 properties')],
    [{ a: 1, b: 1, c: 1 }, 'f: Too many: 3: must have at most 2 items'],
  ],
  [
    'fields that must be there',
    {
      type: 'object',
      required: ['a', 'constructor'],
      properties: { a: { type: 'object', required: ['b'] } },
    },
    [{ a: { b: 1 }, constructor: 1 }],
    [{}, 'f.a: Required value', 'f.constructor: Required value'],
    [{ a: {}, constructor: 1 }, 'f.a.b: Required value'],
  ],
  [
    'values of a map',
    { type: 'object', additionalProperties: { type: 'integer' } },
    [{ a: 1 }],
    [{ a: 'x' }, 'f.a: Invalid value: "string": f.a in body must be of type integer: "string"'],
    [
      JSON.parse('{"__proto__":"x"}'),
      'f.__proto__: Invalid value: "string": f.__proto__ in body must be of type integer: "string"',
    ],
  ],
  ['a map of anything', { type: 'object', additionalProperties: true }, [{ a: [1] }]],
  [
    'fields that must not be there',
    { type: 'object', properties: { a: {} }, additionalProperties: false },
    [{ a: 1 }],
    [{ b: 1 }, 'f: Invalid value: "b": f.b in body is a forbidden property'],
  ],
  [
    'the alternative that fits best is reported',
    {
      type: 'object',
      anyOf: [
        { required: ['x'], properties: { kind: { enum: ['X'] } } },
        { required: ['y', 'z'], properties: { kind: { enum: ['Y'] }, y: { type: 'string' } } },
      ],
    },
    [{ kind: 'X', x: 1 }],
    [{ kind: 'Y', y: '1' }, anyOf, 'f.z: Required value'],
    [
      { y: '1', kind: 'X' },
      anyOf,
      'f.kind: Unsupported value: "X": supported values: "Y"',
      'f.z: Required value',
    ],
  ],
  [
    'one and only one',
    { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    [{ a: 1 }],
    [
      { a: 1, b: 1 },
      problem('"f" must validate one and only one schema (oneOf). Found 2 valid alternatives'),
    ],
    [
      {},
      problem('"f" must validate one and only one schema (oneOf). Found none valid'),
      'f.a: Required value',
    ],
  ],
  [
    'all of several',
    { type: 'integer', allOf: [{ minimum: 1 }, { maximum: 3 }] },
    [2],
    [
      4,
      inBody('4', 'should be less than or equal to 3'),
      problem('"f" must validate all the schemas (allOf)'),
    ],
  ],
  [
    'not',
    { type: 'integer', not: { minimum: 5 } },
    [4],
    [5, problem('"f" must not validate the schema (not)')],
  ],
  [
    'equal problems are reported once',
    { type: 'integer', minimum: 1, allOf: [{ minimum: 1 }] },
    [0, inBody('0', 'should be greater than or equal to 1'), allOf],
  ],
]

for (const [name, schema, ...values] of cases) {
  test(`values: ${name}`, () => {
    const structural = compileStructuralSchema({ type: 'object', properties: { f: schema } })
    for (const [value, ...wanted] of values) {
      const object = { metadata: {}, f: value } as ApiObject
      assert.deepEqual(structural.validate(object).map(fieldErrorText), wanted, JSON.stringify(value))
      assert.deepEqual(
        structural.validateUpdate(object, { metadata: {}, f: 'other' }).map(fieldErrorText),
        wanted,
      )
      assert.deepEqual(structural.validateUpdate(object, object), [])
    }
  })
}

test('values: what is wrong with the whole object has no path', () => {
  const structural = compileStructuralSchema({
    type: 'object',
    required: ['spec'],
    maxProperties: 1,
    anyOf: [{ required: ['x'] }],
  })
  assert.deepEqual(structural.validate({ metadata: {}, kind: 'A' }).map(fieldErrorText), [
    '<nil>: Invalid value: "": "" must validate at least one schema (anyOf)',
    'x: Required value',
    '<nil>: Too many: 2: must have at most 1 item',
    'spec: Required value',
  ])
})
