import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileCondition } from './compile-condition.ts'

const request = {
  operation: 'CREATE',
  name: 'n',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  userInfo: { username: 'me', groups: ['a', 'b'] },
  options: { fieldManager: 'x' },
}
const object = { metadata: { name: 'n', labels: { a: 'b' } }, data: { x: '1' }, count: 3 }

function outcome(expression: string): boolean | string {
  const condition = compileCondition(expression)
  if ('problem' in condition) return condition.problem
  const found = condition.evaluate({ object, oldObject: null, request })
  return found.error ?? found.holds
}

const cases: ReadonlyArray<readonly [expression: string, outcome: boolean | string]> = [
  ["object.metadata.name == 'n'", true],
  ["object.metadata.labels.a == 'c'", false],
  ["has(object.metadata.labels) && 'a' in object.metadata.labels", true],
  ['oldObject == null', true],
  ["request.operation == 'CREATE' && request.kind.kind == 'ConfigMap'", true],
  ["'a' in request.userInfo.groups && request.options.fieldManager == 'x'", true],
  ['object.count > 2 && object.count < 3.5', true],
  ["object.spec.x == 'y'", "expression 'object.spec.x == 'y'' resulted in error: no such key: spec"],
  ['1 + 1', 'must evaluate to bool but got int'],
  [
    'request.foo',
    "compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo\n | .......^",
  ],
  [
    'missing',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'missing' (in container '')\n | missing\n | ^",
  ],
  [
    "authorizer.group('').resource('pods').check('get').allowed()",
    "compilation failed: the variable 'authorizer' is not supported in conditions: this server does not ask who may do what while it evaluates them",
  ],
]

for (const [expression, expected] of cases) {
  test(`conditions: ${expression}`, () => assert.equal(outcome(expression), expected))
}

test('conditions: none may cost more than is left', () => {
  const condition = compileCondition('[1, 2, 3].all(x, x > 0)')
  assert.ok(!('problem' in condition))
  const { error } = condition.evaluate({ object, oldObject: null, request }, 3)
  assert.match(error ?? '', /running out of cost budget/)
})
