import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOf } from './syntax/expression-for-test.ts'

/** An expression, and what it comes to. */
const cases: ReadonlyArray<readonly [expression: string, outcome: string]> = [
  // Numbers.
  ['1 + 2 * 3 - 4 / 2', '5'],
  ['-7 / 2', '-3'],
  ['-7 % 3', '-1'],
  ['9223372036854775807 + 1', 'error: integer overflow'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['-(-9223372036854775808)', 'error: integer overflow'],
  ['1 / 0', 'error: division by zero'],
  ['1 % 0', 'error: modulus by zero'],
  ['-9223372036854775808 % -1', 'error: integer overflow'],
  ['-9223372036854775808 % 1 + 7 % -1', '0'],
  ['1u - 2u', 'error: unsigned integer overflow'],
  ['0xFFu', '255'],
  ['1.5 + 0.25', '1.750000'],
  ['1.0 / 0.0 > 1e308', 'true'],
  ['1 < 1.5 && 2u > 1.5 && 1 <= 1u', 'true'],
  ['dyn(1) == 1.0 && dyn(1u) == dyn(1)', 'true'],
  ["dyn(1) == '1'", 'false'],
  ['1e3 == 1000.0 && .5 == 0.5', 'true'],
  // Texts and bytes.
  [String.raw`'a\tb\u00e9\U0001F451\x41\101'`, String.raw`"a\tbé👑AA"`],
  [String.raw`r'a\n' + "b" + '''c"'d'''`, String.raw`"a\\nbc\"'d"`],
  [String.raw`size(b'\xff\x00é') == 4`, 'true'],
  ["size('👑') == 1", 'true'],
  ["'a' < 'b' && 'a' < '👑' && '\uffee' < '👑'", 'true'],
  ["b'abc' < b'abd'", 'true'],
  // What one side of a decision cannot tell, the other one may.
  ['false && 1 / 0 == 1', 'false'],
  ['1 / 0 == 1 && false', 'false'],
  ['1 / 0 == 1 || true', 'true'],
  ['1 / 0 == 1 || false', 'error: division by zero'],
  ['true ? 1 : 1 / 0', '1'],
  ['!(1 == 2)', 'true'],
  ['!!true', 'true'],
  // Lists and maps.
  ['[1, 2] + [3] == [1, 2, 3]', 'true'],
  ['[1, 2, 3][1]', '2'],
  ['[1][3]', 'error: index out of bounds: 3'],
  ["{'a': 1}['b']", 'error: no such key: b'],
  ["{'a': 1}.a", '1'],
  ["'a' in {'a': 1} && !('b' in {'a': 1})", 'true'],
  ['2 in [1, 2] && !(3 in [1, 2])', 'true'],
  ['dyn(2.0) in [1, 2]', 'true'],
  ["{1: 'a', 2: 'b'} == {2: 'b', 1: 'a'}", 'true'],
  ["{'a': 1, 'a': 2}", 'error: Failed with repeated key'],
  ['[[1], [2]] == [[1], [2]]', 'true'],
  ["has({'a': 1}.a) && !has({'a': 1}.b)", 'true'],
  // Loops.
  ['[1, 2, 3].all(x, x > 0)', 'true'],
  ['[0, 1].all(x, 1 / x > 0)', 'error: division by zero'],
  ['[0, 1].all(x, 1 / x > 1)', 'false'],
  ['[0, 1].exists(x, 1 / x == 1)', 'true'],
  ['[1, 2, 2].exists_one(x, x == 1) && ![1, 1].existsOne(x, x == 1)', 'true'],
  ['[1, 2, 3].map(x, x * 2)', '[2, 4, 6]'],
  ['[1, 2, 3].map(x, x > 1, x * 2)', '[4, 6]'],
  ['[1, 2, 3].filter(x, x % 2 == 1)', '[1, 3]'],
  ["{'a': 1, 'b': 2}.all(k, k != 'c')", 'true'],
  ['[[1, 2], [3]].map(x, x.map(y, y + size(x)))', '[[3, 4], [4]]'],
  ['[5, 6].all(i, v, v == i + 5)', 'true'],
  ["{'a': 1}.exists(k, v, k == 'a' && v == 1)", 'true'],
  ["{'a': 1, 'b': 2}.existsOne(k, v, v == 2)", 'true'],
  ['[5, 6].transformList(i, v, i * v)', '[0, 6]'],
  ['[5, 6].transformList(i, v, i > 0, v)', '[6]'],
  ["{'a': 1, 'b': 2}.transformMap(k, v, v + 1)", '{"a":2, "b":3}'],
  ["{'a': 1, 'b': 2}.transformMap(k, v, k == 'b', v + 1)", '{"b":3}'],
  ["['x', 'y'].transformMapEntry(i, v, {v: i})", '{"x":0, "y":1}'],
  ["['x', 'x'].transformMapEntry(i, v, {v: i})", 'error: insert failed: key x already exists'],
  // Optional values.
  ["{'a': 1}.?a", 'optional 1'],
  ["{'a': 1}.?b", 'none'],
  ["{'a': {'b': 1}}.?a.b", 'optional 1'],
  ["{'a': 1}[?'b'].orValue(5)", '5'],
  ['[1][?3].or(optional.of(2))', 'optional 2'],
  ['optional.of(1).orValue(1 / 0)', '1'],
  ['optional.none().value()', 'error: optional.none() dereference'],
  ['optional.of(1).hasValue() && !optional.ofNonZeroValue(0).hasValue()', 'true'],
  ['optional.of(2).optMap(x, x * 2)', 'optional 4'],
  ['optional.of([3]).optFlatMap(x, x[?0])', 'optional 3'],
  ['[?optional.of(1), ?optional.none(), 2]', '[1, 2]'],
  ["{?'a': optional.none(), 'b': 1}", '{"b":1}'],
  ['optional.of(1) == optional.of(1) && optional.none() != optional.of(1)', 'true'],
  ['[optional.of(1), optional.none()].unwrapOpt()', '[1]'],
  ['[7, 8].first().value() + [7, 8].last().value()', '15'],
  // Types.
  ['type(1) == int && type([]) == list && type(type(1)) == type', 'true'],
  ["type(duration('1s')) == google.protobuf.Duration", 'true'],
  ["type(ip('1.2.3.4')) == net.IP", 'true'],
  // Comments and line breaks.
  ['1 // one\n + 2', '3'],
]

for (const [expression, outcome] of cases) {
  test(`expressions: ${expression}`, () => assert.equal(outcomeOf(expression), outcome))
}

test('expressions: a list that two lists have grown out of is neither of them', () => {
  const expression = '[[1].map(x, x)].map(a, [a + [2], a + [3], a]) == [[[1, 2], [1, 3], [1]]]'
  assert.equal(outcomeOf(expression), 'true')
})
