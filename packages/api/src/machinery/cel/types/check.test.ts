import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../../schema.ts'
import { compileFor } from '../syntax/expression-for-test.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    list: { type: 'array', items: { type: 'string' } },
    map: { type: 'object', additionalProperties: { type: 'integer' } },
    child: { type: 'object', properties: { name: { type: 'string' } } },
    either: { 'x-kubernetes-int-or-string': true },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    namespace: { type: 'string' },
    'a-b': { type: 'string' },
    'a.b/c__d': { type: 'string' },
    'no way': { type: 'string' },
  },
}

const wrong: ReadonlyArray<readonly [expression: string, ...messages: readonly string[]]> = [
  ['self.foo', "ERROR: <input>:1:5: undefined field 'foo'\n | self.foo\n | ....^"],
  ['has(self.foo)', "ERROR: <input>:1:4: undefined field 'foo'\n | has(self.foo)\n | ...^"],
  ['foo', "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^"],
  [
    "self.count + 'a'",
    "ERROR: <input>:1:12: found no matching overload for '_+_' applied to '(int, string)'",
  ],
  [
    'self.count == self.text',
    "ERROR: <input>:1:12: found no matching overload for '_==_' applied to '(int, string)'",
  ],
  ['self.text.size(1)', "found no matching overload for 'size' applied to 'string.(int)'"],
  ['self.text && true', "ERROR: <input>:1:5: expected type 'bool' but found 'string'"],
  ['self.text.foo', "ERROR: <input>:1:10: type 'string' does not support field selection"],
  ['self.list[self.text]', "found no matching overload for '_[_]' applied to '(list(string), string)'"],
  [
    'self.count.all(x, true)',
    "ERROR: <input>:1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['self.any == 1', "ERROR: <input>:1:5: undefined field 'any'"],
  ['[1, "a"]', "ERROR: <input>:1:5: expected type 'int' but found 'string'"],
  ['{"a": 1, 2: 3}', "ERROR: <input>:1:10: expected type 'string' but found 'int'"],
  ['self.list.all(1, true)', 'ERROR: <input>:1:15: argument must be a simple name'],
  ['self.list.map(1, true)', 'ERROR: <input>:1:15: argument is not an identifier'],
  ['self.list.all(a, a, true)', 'ERROR: <input>:1:18: duplicate variable name: a'],
  ['has(self)', 'ERROR: <input>:1:5: invalid argument to has() macro'],
  ['foo.bar(1)', "undeclared reference to 'foo'", "undeclared reference to 'bar'"],
  [
    'self.foo || self.bar',
    "ERROR: <input>:1:5: undefined field 'foo'",
    "ERROR: <input>:1:17: undefined field 'bar'",
  ],
  ["duration('x')", 'ERROR: <input>:1:10: invalid duration argument'],
  ["timestamp('x')", 'ERROR: <input>:1:11: invalid timestamp argument'],
  ["self.text.matches('(')", 'ERROR: <input>:1:19: invalid matches argument'],
  ['package', 'ERROR: <input>:1:1: reserved identifier: package'],
  ['99999999999999999999', 'ERROR: <input>:1:1: invalid int literal'],
  [
    '1 +',
    "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^",
  ],
  ['1 2', "ERROR: <input>:1:3: Syntax error: extraneous input '2' expecting <EOF>"],
  ['1 + $', "ERROR: <input>:1:5: Syntax error: token recognition error at: '$'"],
  ["'abc", "token recognition error at: '''"],
  ['(1', "mismatched input '<EOF>' expecting ')'"],
  ['true &&\n  self.foo', "ERROR: <input>:2:7: undefined field 'foo'\n |   self.foo\n | ......^"],
  [
    "'é👑' == self.foo",
    "ERROR: <input>:1:13: undefined field 'foo'\n | 'é👑' == self.foo\n | .．．.........^",
  ],
  ['Thing{a: 1}', "undeclared reference to 'Thing' (in container '')"],
  ['cel.bind(x, 1, x)', "undeclared reference to 'cel'", "undeclared reference to 'bind'"],
  ["self.text.find('(')", 'error parsing regexp: missing closing ): `(`'],
]

for (const [expression, ...messages] of wrong) {
  test(`checking: ${JSON.stringify(expression)} is refused`, () => {
    const compiled = compileFor(expression, schema)
    assert.ok('problems' in compiled, 'it compiles')
    for (const message of messages) assert.ok(compiled.problems.includes(message), compiled.problems)
  })
}

const right: readonly string[] = [
  'self.text == oldSelf.text',
  'self.namespace == self.__namespace__',
  "self.a__dash__b == self.`a__dash__b` && self.a__dot__b__slash__c__underscores__d != ''",
  "self.either == 1 || self.either == '1'",
  'self.map.all(k, self.map[k] > 0)',
  'self.list.all(x, x.size() > 0 || self.list.exists(y, y == x))',
  'self.?child.name.orValue("x") == "x"',
  "'%s %d'.format([self.text, self.count]) == ''",
  'type(self.either) == string ? true : self.either > 0',
]

for (const expression of right) {
  test(`checking: ${expression} is taken`, () => {
    const compiled = compileFor(expression, schema)
    assert.ok(!('problems' in compiled), 'problems' in compiled ? compiled.problems : '')
  })
}

test('checking: what nests too deeply, or is too long, is refused', () => {
  const deep = compileFor(`${'('.repeat(300)}1${')'.repeat(300)}`)
  assert.ok('problems' in deep && deep.problems.includes('expression recursion limit exceeded: 250'))
  const long = compileFor(`1${' '.repeat(100_001)}`)
  assert.ok('problems' in long && long.problems.includes('expression code point size exceeds limit'))
  const chain = compileFor(`1${' + 1'.repeat(5000)}`)
  assert.ok('problems' in chain && chain.problems.includes('max recursion depth exceeded'))
})
