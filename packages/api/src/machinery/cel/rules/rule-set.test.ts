import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../field-error.ts'
import type { Schema, ValidationRule } from '../../schema.ts'
import { brokenByDefault, compileRules } from './rule-set.ts'

type Case = {
  readonly name: string
  readonly schema: Schema
  readonly object: unknown
  readonly stored?: unknown
  readonly errors: readonly string[]
}

const ruled = (schema: Schema, ...rules: readonly (string | ValidationRule)[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
})
const resource = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties })
const text: Schema = { type: 'string' }
const number: Schema = { type: 'integer' }
const immutable = ruled(text, { rule: 'self == oldSelf', message: 'is immutable' })
const item: Schema = ruled(resource({ name: text, size: number }), 'self.size > 0')

// Newer than the types know.
const rawNumber = (digits: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits)

const keyed = (items: Schema): Schema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
})

const cases: readonly Case[] = [
  {
    name: 'a rule that holds',
    schema: resource({ spec: ruled(resource({ a: number }), 'self.a > 0') }),
    object: { spec: { a: 1 } },
    errors: [],
  },
  {
    name: 'a scalar is shown, an object is not',
    schema: resource({ spec: ruled(resource({ a: ruled(number, 'self > 5') }), 'self.a > 5') }),
    object: { spec: { a: 1 } },
    errors: [
      'spec: Invalid value: failed rule: self.a > 5',
      'spec.a: Invalid value: 1: failed rule: self > 5',
    ],
  },
  {
    name: 'rules of elements and of values say where',
    schema: resource({
      list: { type: 'array', items: ruled(text, "self != 'x'") },
      map: { type: 'object', additionalProperties: ruled(number, 'self > 0') },
    }),
    object: { list: ['a', 'x'], map: { 'k.e/y': 0 } },
    errors: [
      'list[1]: Invalid value: "x": failed rule: self != \'x\'',
      'map[k.e/y]: Invalid value: 0: failed rule: self > 0',
    ],
  },
  {
    name: 'null and what is absent has no rules',
    schema: resource({ a: ruled({ ...text, nullable: true }, 'false'), b: ruled(text, 'false') }),
    object: { a: null },
    errors: [],
  },
  {
    name: 'an error is reported with the rule',
    schema: resource({ spec: ruled(resource({ a: number }), '1 / self.a == 1', 'self.a == 0') }),
    object: { spec: { a: 0 } },
    errors: ['spec: Invalid value: "object": division by zero evaluating rule: 1 / self.a == 1'],
  },
  {
    name: 'what is missing is an error',
    schema: ruled(resource({ a: number }), { rule: 'self.a > 0', message: 'a must be positive' }),
    object: {},
    errors: ['<nil>: Invalid value: "object": no such key: a evaluating rule: a must be positive'],
  },
  {
    name: 'an operation that does not fit what an int-or-string is',
    schema: resource({ a: ruled({ 'x-kubernetes-int-or-string': true }, 'self > 5') }),
    object: { a: 'x' },
    errors: [
      'a: Invalid value: "": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self > 5',
    ],
  },
  {
    name: 'reasons and the path of a field',
    schema: resource({
      spec: ruled(
        resource({ a: text, m: { type: 'object', additionalProperties: text } }),
        { rule: 'false', reason: 'FieldValueRequired', message: 'r', fieldPath: '.a' },
        { rule: 'false', reason: 'FieldValueForbidden', message: 'f', fieldPath: ".m['x.y']" },
        { rule: 'false', reason: 'FieldValueDuplicate', message: 'd' },
        { rule: 'false', reason: 'FieldValueInvalid', message: ' i ' },
      ),
    }),
    object: { spec: {} },
    errors: [
      'spec.a: Required value: r',
      'spec.m[x.y]: Forbidden: f',
      'spec: Duplicate value',
      'spec: Invalid value: i',
    ],
  },
  {
    name: 'an expression for the message, and the message if it fails',
    schema: resource({
      spec: ruled(
        resource({ a: text }),
        { rule: 'false', messageExpression: "'a is ' + self.a" },
        { rule: 'false', message: 'plain', messageExpression: 'self.a.substring(9)' },
        { rule: 'false', message: 'plain', messageExpression: "'  '" },
        { rule: 'false', message: 'plain', messageExpression: "'a\\nb'" },
        { rule: 'false', message: 'plain', messageExpression: "lists.range(6000).map(x, 'x').join()" },
      ),
    }),
    object: { spec: { a: 'A' } },
    errors: ['a is A', 'plain', 'plain', 'plain', 'plain'].map((each) => `spec: Invalid value: ${each}`),
  },
  {
    name: 'a rule about changes does not run for what is new',
    schema: resource({ a: immutable }),
    object: { a: 'x' },
    errors: [],
  },
  {
    name: 'nor for a part that was not there',
    schema: resource({ a: immutable }),
    object: { a: 'x' },
    stored: {},
    errors: [],
  },
  {
    name: 'but for a part that has changed',
    schema: resource({ a: immutable }),
    object: { a: 'x' },
    stored: { a: 'y' },
    errors: ['a: Invalid value: "x": is immutable'],
  },
  {
    name: 'elements of a list with keys are the same by their keys',
    schema: resource({ list: keyed(resource({ name: text, size: immutable })) }),
    object: {
      list: [
        { name: 'b', size: '2' },
        { name: 'a', size: 'changed' },
        { name: 'c', size: '3' },
      ],
    },
    stored: {
      list: [
        { name: 'a', size: '1' },
        { name: 'b', size: '2' },
      ],
    },
    errors: ['list[1].size: Invalid value: "changed": is immutable'],
  },
  {
    name: 'elements of other lists are never the same',
    schema: resource({ list: { type: 'array', items: resource({ a: immutable }) } }),
    object: { list: [{ a: 'x' }] },
    stored: { list: [{ a: 'y' }] },
    errors: [],
  },
  {
    name: 'an optional oldSelf is asked for what is new too',
    schema: resource({
      a: ruled(text, { rule: "oldSelf.orValue('none') == 'none'", optionalOldSelf: true, message: 'm' }),
    }),
    object: { a: 'x' },
    stored: { a: 'y' },
    errors: ['a: Invalid value: "x": m'],
  },
  {
    name: 'and says that there was nothing',
    schema: resource({ a: ruled(text, { rule: 'oldSelf.hasValue()', optionalOldSelf: true, message: 'm' }) }),
    object: { a: 'x' },
    errors: ['a: Invalid value: "x": m'],
  },
  {
    name: 'what was wrong and has not changed is tolerated',
    schema: resource({ a: ruled(number, 'self > 5'), b: number }),
    object: { a: 1, b: 2 },
    stored: { a: 1, b: 1 },
    errors: [],
  },
  {
    name: 'what is wrong around a change is not',
    schema: resource({ spec: ruled(resource({ a: number, b: number }), 'self.a > 5') }),
    object: { spec: { a: 1, b: 2 } },
    stored: { spec: { a: 1, b: 1 } },
    errors: ['spec: Invalid value: failed rule: self.a > 5'],
  },
  {
    name: 'elements with keys are tolerated one by one, wherever they are now',
    schema: resource({ list: keyed(item) }),
    object: {
      list: [
        { name: 'b', size: -1 },
        { name: 'a', size: 0 },
      ],
    },
    stored: {
      list: [
        { name: 'a', size: 0 },
        { name: 'b', size: 0 },
      ],
    },
    errors: ['list[0]: Invalid value: failed rule: self.size > 0'],
  },
  {
    name: 'elements of other lists only if the whole list has not changed',
    schema: resource({ list: { type: 'array', items: item }, b: number }),
    object: { list: [{ size: 0 }], b: 2 },
    stored: { list: [{ size: 0 }], b: 1 },
    errors: [],
  },
  {
    name: 'and not if anything in it has',
    schema: resource({ list: { type: 'array', items: item } }),
    object: { list: [{ size: 0 }, { size: 1 }] },
    stored: { list: [{ size: 0 }] },
    errors: ['list[0]: Invalid value: failed rule: self.size > 0'],
  },
  {
    name: 'a rule about changes is never tolerated',
    schema: resource({ a: ruled(number, 'self > oldSelf') }),
    object: { a: 1 },
    stored: { a: 1 },
    errors: ['a: Invalid value: 1: failed rule: self > oldSelf'],
  },
  {
    name: 'sets are equal in any order, and + adds what is not there',
    schema: ruled(
      resource({ a: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' } }),
      "self.a == ['y', 'x']",
      "self.a + ['y', 'z'] == ['x', 'y', 'z']",
      "self.a != ['x', 'z']",
    ),
    object: { a: ['x', 'y'] },
    errors: [],
  },
  {
    name: 'lists with keys are equal in any order, and + puts what has the key in its place',
    schema: ruled(
      resource({
        a: keyed(resource({ name: text, size: number })),
        b: keyed(resource({ name: text, size: number })),
      }),
      'dyn(self.a) == dyn(self.b)',
      'dyn((self.a + self.a).size()) == dyn(2)',
    ),
    object: {
      a: [
        { name: 'x', size: 1 },
        { name: 'y', size: 2 },
      ],
      b: [
        { name: 'y', size: 2 },
        { name: 'x', size: 1 },
      ],
    },
    errors: [],
  },
  {
    name: 'formats are durations, times and bytes',
    schema: ruled(
      resource({
        duration: { ...text, format: 'duration' },
        date: { ...text, format: 'date' },
        time: { ...text, format: 'date-time' },
        bytes: { ...text, format: 'byte' },
        other: { ...text, format: 'email' },
      }),
      "self.duration == duration('90m') && self.date.getDate() == 29 && self.time - self.date == duration('1h')",
      "self.bytes == b'ab' && self.other == 'a@b.c'",
    ),
    object: {
      duration: '1h30m',
      date: '2024-02-29',
      time: '2024-02-29T01:00:00Z',
      bytes: 'YWI=',
      other: 'a@b.c',
    },
    errors: [],
  },
  {
    name: 'the name and the kind can be seen, other metadata cannot',
    schema: ruled(
      resource({
        metadata: { type: 'object' },
        child: { type: 'object', 'x-kubernetes-embedded-resource': true },
      }),
      "self.metadata.name == 'n' && self.kind == 'K' && self.apiVersion == 'g/v1'",
      "self.child.kind == 'C' && self.child.metadata.name == 'c'",
    ),
    object: {
      apiVersion: 'g/v1',
      kind: 'K',
      metadata: { name: 'n', labels: { a: 'b' } },
      child: { apiVersion: 'v1', kind: 'C', metadata: { name: 'c' } },
    },
    errors: [],
  },
  {
    name: 'large numbers keep all their digits, and 1.0 is a number',
    schema: ruled(
      resource({ a: number, b: { type: 'number' } }),
      'self.a == 9007199254740993 && self.b == 1.0',
    ),
    object: { a: rawNumber('9007199254740993'), b: rawNumber('1.0') },
    errors: [],
  },
  {
    name: 'what is kept without a schema is equal or not, and nothing else',
    schema: resource({
      a: ruled({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, 'self == oldSelf'),
    }),
    object: { a: { x: { y: 1 } } },
    stored: { a: { x: { y: 2 } } },
    errors: ['a: Invalid value: failed rule: self == oldSelf'],
  },
  {
    name: 'fields like those that every object inherits are fields like any other',
    schema: ruled(
      resource({ constructor: text, toString: text }),
      '!has(self.constructor) && !has(self.toString)',
    ),
    object: {},
    errors: [],
  },
]

for (const { name, schema, object, stored, errors } of cases) {
  test(`rules: ${name}`, () => {
    const found = compileRules(schema).evaluate(object, stored)
    assert.deepEqual(found.map(fieldErrorText), errors)
  })
}

test('rules: what is tolerated is warned of', () => {
  const warnings: string[] = []
  const rules = compileRules(resource({ a: ruled(number, 'self > 5') }))
  assert.deepEqual(
    rules.evaluate({ a: 1 }, { a: 1 }, (text) => warnings.push(text)),
    [],
  )
  assert.deepEqual(warnings, ['a: Invalid value: 1: failed rule: self > 5'])
})

test('rules: a schema without any has none', () => {
  assert.equal(compileRules(resource({ a: text })).isEmpty, true)
  assert.equal(compileRules(resource({ a: immutable })).isEmpty, false)
})

const slow = 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))'

test('rules: one that costs too much ends the evaluation', () => {
  const list: Schema = { type: 'array', items: ruled(number, 'self >= 0') }
  const rules = compileRules(resource({ a: ruled(list, slow, 'false'), b: ruled(number, 'false') }))
  const found = rules.evaluate({ a: Array.from({ length: 200 }, () => 1), b: 1 }, undefined)
  assert.deepEqual(found.map(fieldErrorText), [
    `a: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${slow}`,
  ])
})

test('rules: all of an object may not cost too much together', () => {
  const list: Schema = { type: 'array', items: number }
  const rules = compileRules(resource({ a: { type: 'array', items: ruled(list, slow) } }))
  const object = { a: Array.from({ length: 40 }, () => Array.from({ length: 38 }, () => 1)) }
  const found = rules.evaluate(object, undefined)
  assert.equal(found.length, 1)
  assert.match(found[0]?.detail ?? '', /^validation failed due to running out of cost budget/)
})

test('rules: a default has to keep those of its own schema', () => {
  const broken = (schema: Schema, value: unknown): string[] =>
    brokenByDefault(schema, value, 'x.default', false).map(fieldErrorText)
  assert.deepEqual(broken(ruled(number, 'self > 5'), 1), [
    'x.default: Invalid value: 1: failed rule: self > 5',
  ])
  assert.deepEqual(broken(ruled(number, 'self > 5', 'self == oldSelf'), 6), [])
  assert.deepEqual(broken(resource({ a: ruled(text, "self != ''") }), { a: '' }), [
    'x.default.a: Invalid value: "": failed rule: self != \'\'',
  ])
  const onlyOnce: ValidationRule = { rule: 'oldSelf.hasValue()', optionalOldSelf: true, message: 'new' }
  assert.deepEqual(broken(ruled(number, onlyOnce), 6), ['x.default: Invalid value: 6: new'])
  assert.deepEqual(broken(number, 1), [])
})
