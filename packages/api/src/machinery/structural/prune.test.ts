import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../../meta/object.ts'
import type { Schema } from '../schema.ts'
import { compileStructuralSchema } from './structural-schema.ts'

const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const closed: Schema = { type: 'object' }
const some: Schema = { type: 'object', properties: { a: {}, c: {} } }
const specified: Schema = { type: 'object', properties: { specified: closed } }
const root = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
const embedded = (rest: Partial<Schema> = {}): Schema => ({
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  ...rest,
})
const resource = { apiVersion: 'foo/v1', kind: 'Foo', metadata: { name: 'n' } }

const cases: ReadonlyArray<
  [name: string, schema: Schema, object: unknown, left: unknown, unknownPaths: readonly string[]]
> = [
  ['nothing is specified', {}, { a: 1, b: { c: 1 } }, {}, ['a', 'b']],
  ['its own apiVersion, kind and metadata stay', {}, { ...resource, x: 1 }, resource, ['x']],
  ['scalars stay', root({ a: {} }), { a: 4 }, { a: 4 }, []],
  ['a list of scalars stays, even without items', root({ a: {} }), { a: [1, 'x'] }, { a: [1, 'x'] }, []],
  [
    'fields of items go',
    root({ list: { type: 'array', items: some } }),
    { list: [{ a: 1 }, { b: 1 }, { a: 1, b: 2, c: 3 }] },
    { list: [{ a: 1 }, {}, { a: 1, c: 3 }] },
    ['list[1].b', 'list[2].b'],
  ],
  [
    'items that are not specified lose everything',
    root({ list: {} }),
    { list: [{ a: 1 }, [{ b: 1 }]] },
    { list: [{}, [{}]] },
    ['list[0].a', 'list[1][0].b'],
  ],
  [
    'what is kept is kept as far as nothing below says otherwise',
    {
      ...open,
      properties: { pruning: closed, keeping: { ...open, properties: { pruning: closed, keeping: open } } },
    },
    {
      x: { y: 1 },
      pruning: { x: 1, apiVersion: 'u' },
      keeping: { x: { y: 1 }, pruning: { x: 1 }, keeping: { x: 1 } },
    },
    { x: { y: 1 }, pruning: {}, keeping: { x: { y: 1 }, pruning: {}, keeping: { x: 1 } } },
    ['keeping.pruning.x', 'pruning.apiVersion', 'pruning.x'],
  ],
  [
    'additional fields do not inherit that everything is kept',
    root({ map: { ...open, additionalProperties: specified } }),
    { map: { k: { specified: { x: 1 }, x: 1 } } },
    { map: { k: { specified: {} } } },
    ['map.k.specified.x', 'map.k.x'],
  ],
  [
    'items of a list that keeps everything keep everything, but their fields need not',
    root({ list: { ...open, type: 'array', items: { ...closed, properties: { p: closed } } } }),
    { list: [{ x: 1, p: { y: 1 } }, [{ z: 1 }]] },
    { list: [{ x: 1, p: {} }, [{ z: 1 }]] },
    ['list[0].p.y'],
  ],
  [
    'a list that keeps everything, whatever it is made of',
    root({ any: { 'x-kubernetes-preserve-unknown-fields': true } }),
    { any: [{ foo: true }, [{ bar: true }]] },
    { any: [{ foo: true }, [{ bar: true }]] },
    [],
  ],
  [
    'keys of a map stay, objects that should be scalars are emptied',
    root({ map: { type: 'object', additionalProperties: { type: 'integer' } } }),
    { map: { a: 1, c: { a: 1 } }, b: 1 },
    { map: { a: 1, c: {} } },
    ['b', 'map.c.a'],
  ],
  [
    'nothing is specified about what is merely allowed',
    root({ map: { type: 'object', additionalProperties: true } }),
    { map: { a: 1, c: { a: 1, apiVersion: 'u' } } },
    { map: { a: 1, c: {} } },
    ['map.c.a', 'map.c.apiVersion'],
  ],
  [
    'embedded resources keep what every object has, and their metadata only that',
    root({
      pruned: embedded({ properties: { spec: closed } }),
      keeping: embedded({ 'x-kubernetes-preserve-unknown-fields': true }),
      list: { type: 'array', items: embedded() },
      map: { type: 'object', additionalProperties: embedded() },
    }),
    {
      pruned: { ...resource, x: 1, spec: { x: 1 } },
      keeping: { ...resource, x: 1, metadata: { name: 'n', bogus: 1 } },
      list: [{ ...resource, y: 1, metadata: { nope: 1, labels: {} } }],
      map: { k: { ...resource, metadata: { bad: 1 } } },
    },
    {
      pruned: { ...resource, spec: {} },
      keeping: { ...resource, x: 1 },
      list: [{ ...resource, metadata: {} }],
      map: { k: { ...resource, metadata: {} } },
    },
    [
      'list[0].y',
      'pruned.spec.x',
      'pruned.x',
      'keeping.metadata.bogus',
      'list[0].metadata.nope',
      'map[k].metadata.bad',
    ],
  ],
  [
    'null goes where it may not be',
    root({ a: { type: 'string' }, b: { type: 'string', nullable: true }, m: { additionalProperties: {} } }),
    { a: null, b: null, m: { x: null } },
    { b: null, m: {} },
    [],
  ],
  [
    'null stays for a default to take its place, and in lists',
    root({ a: { type: 'string', default: 'x' }, l: { type: 'array', items: { type: 'string' } } }),
    { a: null, l: [null] },
    { a: null, l: [null] },
    [],
  ],
  [
    'names that every object has are fields like any other',
    root({ a: {} }),
    JSON.parse('{"a":{"__proto__":{"x":1}},"constructor":1,"toString":1,"__proto__":{"y":1}}'),
    { a: {} },
    ['__proto__', 'a.__proto__', 'constructor', 'toString'],
  ],
]

for (const [name, schema, object, left, unknownPaths] of cases) {
  test(`prune: ${name}`, () => {
    const structural = compileStructuralSchema(schema)
    const pruned = structuredClone(object) as ApiObject
    const paths: string[] = []
    structural.prune(pruned, (path) => paths.push(path))
    assert.deepEqual(pruned, left)
    assert.deepEqual(paths, unknownPaths)
    structural.prune(pruned, (path) => assert.fail(path))
    assert.deepEqual(pruned, left)
    const silent = structuredClone(object) as ApiObject
    structural.prune(silent)
    assert.deepEqual(silent, left)
  })
}

test('prune: metadata of embedded resources that cannot be read is refused, or dropped from what is stored', () => {
  const structural = compileStructuralSchema(root({ list: { type: 'array', items: embedded() } }))
  const object = { list: [resource, { apiVersion: 1, kind: 'A', metadata: { name: 5, labels: { a: 'b' } } }] }
  const misfit = { ...structuredClone(object), metadata: {} } as ApiObject
  const found = structural.misfit(misfit)
  assert.equal(found?.path, 'list[1].apiVersion')
  assert.equal(found?.detail, 'must be a string')
  ;(misfit['list'] as typeof object.list)[1] = { ...resource, metadata: { name: 5 } } as never
  assert.deepEqual(structural.misfit(misfit), {
    path: 'list[1].metadata',
    reason: 'FieldValueInvalid',
    value: { name: 5 },
    detail: 'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  })
  const stored = { ...structuredClone(object), metadata: {} } as ApiObject
  structural.dropMisfits(stored)
  assert.deepEqual(stored['list'], [resource, { kind: 'A', metadata: { labels: { a: 'b' } } }])
  assert.equal(structural.misfit(stored), undefined)
})
