import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../schema.ts'
import { compileRules } from './rules/rule-set.ts'
import { compileFor } from './syntax/expression-for-test.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    d: { type: 'number' },
    s: { type: 'string' },
    t: { type: 'string', format: 'date-time' },
    u: { type: 'string', format: 'duration' },
    b: { type: 'string', format: 'byte' },
    e: { 'x-kubernetes-int-or-string': true },
    l: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    k: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    m: { type: 'object', additionalProperties: { type: 'integer' } },
    o: { type: 'object', properties: { x: { type: 'string', nullable: true } } },
  },
}

/** Chance that is the same in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const words =
  `self oldSelf self.n self.s self.l self.k self.m self.o.x self.e self.t self.u self.b . ( ) [ ] { } , ? : + - * / % == != < <= && || ! in
  has( .all(x, .exists(x, .map(x, .filter(x, .?s [?0] x true null 1 -1 0u 1.5 9223372036854775807 'a' b'b' "" [] {} [1,2] {'a':1} size( string( int( double( duration( timestamp(
  .matches( .replace( .split( .join( .format( .substring( .sum() .sort() .flatten() .distinct() optional.of( .orValue( quantity( ip( cidr( url( semver( type( dyn(`.split(
    /\s+/,
  )

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'a',
  '\ud800',
  '2024-01-01T00:00:00Z',
  [],
  ['a', 'a'],
  [null],
  [[]],
  {},
  { name: {} },
  { x: null },
  { __proto__x: 1, constructor: 2 },
]

test('hostile expressions and objects end in a value, an error or a refusal', () => {
  const next = chance(7)
  const pick = <T>(from: readonly T[]): T => from[next(from.length)] as T
  let compiledCount = 0
  for (let round = 0; round < 4000; round++) {
    const expression = Array.from({ length: 1 + next(9) }, () => pick(words)).join(next(2) === 0 ? '' : ' ')
    const compiled = compileFor(expression, schema)
    if ('problems' in compiled) {
      assert.notEqual(compiled.problems, '')
      continue
    }
    compiledCount++
    const object = Object.fromEntries(
      Object.keys(schema.properties ?? {}).map((name) => [name, pick(values)]),
    )
    const rules = compileRules({ ...schema, 'x-kubernetes-validations': [{ rule: expression }] })
    assert.ok(Array.isArray(rules.evaluate(object, next(2) === 0 ? object : undefined)))
  }
  assert.ok(compiledCount > 100, `only ${compiledCount} of the expressions compile`)
})

const list = (length: number): number[] => Array.from({ length }, (_, index) => index)

/** Expressions that would run for ever, or fill memory, if nothing counted. */
const endless: readonly string[] = [
  'self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b + c + d >= 0))))',
  "self.l.map(a, 'x').map(b, self.l.map(c, self.l.map(d, b))).size() > 0",
  'self.l.map(a, lists.range(100000)).all(x, x.size() == 1)',
  'lists.range(1000000).map(x, lists.range(1000000)).size() > 0',
  "self.l.map(a, self.s).join(self.s).replace('a', self.s).size() > 0",
  'self.l.map(a, self.l).flatten().map(b, self.l).flatten().sort().size() > 0',
  "self.l.all(a, (self.s + self.s).matches('(a|a)*' + '(a*)*b'))",
  'self.l.all(a, self.l.map(b, b).distinct().size() > 0)',
  'self.l.all(x, sets.equivalent(self.l, self.l))',
  "self.s.replace('a', self.s).size() > 0",
  "self.s.replace('', self.s).size() > 0",
  'optional.of(self.l).optMap(a, a.map(x, a)).optMap(b, b.map(x, b)).optMap(c, optional.of(self.l.map(x, x)).optMap(d, d.map(x, d)).optMap(e, e.map(x, e)).optMap(f, dyn(c) != dyn(f)).value()).value()',
  'optional.of(self.l).optMap(a, a.map(x, a)).optMap(b, b.map(x, b)).optMap(c, c.indexOf([]) == 1).value()',
  'optional.of(self.l).optMap(a, a.map(x, a)).optMap(b, b.map(x, b)).optMap(c, dyn(c).flatten(9).size() == 1).value()',
  "optional.of(self.l).optMap(a, a.map(x, a)).optMap(b, b.map(x, b)).optMap(c, '%s'.format([c]) == '').value()",
]

for (const rule of endless) {
  test(`hostile: ${rule} ends`, () => {
    const endlessSchema: Schema = {
      type: 'object',
      properties: { l: { type: 'array', items: { type: 'integer' } }, s: { type: 'string' } },
      'x-kubernetes-validations': [{ rule }],
    }
    const started = process.hrtime.bigint()
    const errors = compileRules(endlessSchema).evaluate({ l: list(2000), s: 'a'.repeat(20_000) }, undefined)
    const ms = Number(process.hrtime.bigint() - started) / 1e6
    assert.equal(errors.length, 1)
    assert.match(errors[0]?.detail ?? '', /cost limit exceeded|cost budget|failed rule/)
    assert.ok(ms < 10_000, `${ms} ms`)
  })
}
