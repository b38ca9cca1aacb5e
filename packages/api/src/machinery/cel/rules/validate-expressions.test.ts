import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../field-error.ts'
import type { Schema, ValidationRule } from '../../schema.ts'
import { validateExpressions } from './validate-expressions.ts'

const at = 'spec.validation.openAPIV3Schema'
const context = { isWrong: () => false, limitsCost: true }
const problems = (schema: Schema, options = context): string[] =>
  validateExpressions(schema, at, options).map(fieldErrorText)

const ruled = (schema: Schema, ...rules: readonly ValidationRule[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules,
})
const resource = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties })
const text: Schema = { type: 'string' }
const shown = (rule: string, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    Rule: rule,
    Message: '',
    MessageExpression: '',
    Reason: null,
    FieldPath: '',
    OptionalOldSelf: null,
    ...more,
  })
const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
const rule = 'x-kubernetes-validations[0].rule'

const cases: ReadonlyArray<readonly [name: string, schema: Schema, ...errors: readonly string[]]> = [
  ['a rule that compiles', ruled(resource({ a: text }), { rule: "self.a != ''" })],
  [
    'a field that there is not',
    ruled(resource({ a: text }), { rule: 'self.b > 1' }),
    `${at}.${rule}: Invalid value: ${shown('self.b > 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b > 1\n | ....^`,
  ],
  [
    'a rule that is no condition',
    ruled(resource({}), { rule: '1 + 1' }),
    `${at}.${rule}: Invalid value: ${shown('1 + 1')}: cel expression must evaluate to a bool`,
  ],
  [
    'rules further in come first, each with its path',
    ruled(
      resource({
        list: { type: 'array', maxItems: 1, items: ruled(text, { rule: 'x' }) },
        map: { type: 'object', maxProperties: 1, additionalProperties: ruled(text, { rule: 'y' }) },
      }),
      { rule: 'z' },
    ),
    `${at}.properties[list].items.${rule}: Invalid value: ${shown('x')}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^`,
    `${at}.properties[map].additionalProperties.${rule}: Invalid value: ${shown('y')}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'y' (in container '')\n | y\n | ^`,
    `${at}.${rule}: Invalid value: ${shown('z')}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'z' (in container '')\n | z\n | ^`,
  ],
  [
    'a message that is none',
    ruled(resource({}), { rule: 'true', messageExpression: '1' }),
    `${at}.x-kubernetes-validations[0].messageExpression: Invalid value: ${shown('true', { MessageExpression: '1' })}: messageExpression must evaluate to a string`,
  ],
  [
    'a message that does not compile',
    ruled(resource({}), { rule: 'true', messageExpression: 'x' }),
    `${at}.x-kubernetes-validations[0].messageExpression: Invalid value: ${shown('true', { MessageExpression: 'x' })}: messageExpression compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^`,
  ],
  [
    'oldSelf where no old value can be found',
    resource({
      list: {
        type: 'array',
        maxItems: 9,
        items: resource({ a: ruled({ ...text, maxLength: 9 }, { rule: 'self == oldSelf' }) }),
      },
    }),
    `${at}.properties[list].items.properties[a].${rule}: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${at}.properties[list]`,
  ],
  [
    'oldSelf in a list with keys',
    resource({
      list: {
        type: 'array',
        maxItems: 9,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: resource({ a: text, b: ruled({ ...text, maxLength: 9 }, { rule: 'self == oldSelf' }) }),
      },
    }),
  ],
  [
    'an optional oldSelf that is not used',
    ruled(resource({}), { rule: 'true', optionalOldSelf: true }),
    `${at}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ],
  [
    'an oldSelf that is optional, used as if it were not',
    ruled(resource({ a: text }), { rule: 'self.a == oldSelf.a', optionalOldSelf: true }),
    `${at}.${rule}: Invalid value: ${shown('self.a == oldSelf.a', { OptionalOldSelf: true })}: compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(string, optional_type(string))'\n | self.a == oldSelf.a\n | .......^`,
    `${at}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
  ],
  [
    'a rule whose worst case is far too much, and so is all of the schema',
    resource({ list: ruled({ type: 'array', items: text }, { rule: 'self.all(x, self.all(y, x == y))' }) }),
    `${at}.properties[list].${rule}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
    `${at}.properties[list].${rule}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
    `${at}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${advice}`,
  ],
  [
    'a rule whose worst case is a little too much',
    resource({
      list: {
        type: 'array',
        items: ruled({ ...text, maxLength: 30 }, { rule: "self.contains('a') && self.contains('b')" }),
      },
    }),
    `${at}.properties[list].items.${rule}: Forbidden: estimated rule cost exceeds budget by factor of 2.7x ${advice}`,
  ],
  [
    'what has no type has no rules',
    resource({ a: ruled({ 'x-kubernetes-preserve-unknown-fields': true }, { rule: 'true' }) }),
    `${at}.properties[a].x-kubernetes-validations: Invalid value: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations`,
  ],
]

for (const [name, schema, ...errors] of cases) {
  test(`definitions: ${name}`, () => assert.deepEqual(problems(schema), errors))
}

const expensive = resource({
  list: ruled({ type: 'array', items: text, maxItems: 300 }, { rule: 'self.all(x, self.all(y, x == y))' }),
})

test('definitions: what was accepted may cost what it costs', () => {
  assert.equal(problems(expensive).length > 0, true)
  const kept = problems(expensive, { ...context, limitsCost: false })
  assert.equal(
    kept.some((each) => each.includes('estimated rule cost exceeds')),
    false,
  )
})

test('definitions: rules of a schema that is wrong otherwise are not looked at', () => {
  assert.deepEqual(problems(expensive, { isWrong: () => true, limitsCost: true }), [])
})
