import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectSchema } from '../identity-version.ts'
import type { Schema } from '../schema.ts'
import { morning, ownersOf, play, type TestKind, type Write } from './apply-for-test.ts'
import { apply, force, kind, port, portKey, portOwned, update, v2 } from './apply-kind-for-test.ts'
import { fieldSetOf } from './field-set.ts'

const cases: ReadonlyArray<
  [name: string, writes: readonly Write[], want: object, owners: Record<string, unknown>]
> = [
  // One applier.
  [
    'a map is owned by its keys',
    [apply('a', { data: { x: '1' } })],
    { data: { x: '1' } },
    { a: { 'f:data': { 'f:x': {} } } },
  ],
  ['an empty map is owned itself', [apply('a', { data: {} })], { data: {} }, { a: { 'f:data': {} } }],
  ['null is owned', [apply('a', { scalar: null })], {}, { a: { 'f:scalar': {} } }],
  [
    'a struct is owned by its fields',
    [apply('a', { struct: { name: 'n' } })],
    { struct: { name: 'n' } },
    { a: { 'f:struct': { 'f:name': {} } } },
  ],
  [
    'what no schema describes is owned with its parents',
    [apply('a', { free: { b: { c: 1 } } })],
    { free: { b: { c: 1 } } },
    { a: { 'f:free': { 'f:b': { '.': {}, 'f:c': {} } } } },
  ],
  ['the name of the object has no owner', [apply('a', {})], {}, {}],
  [
    'what is no longer applied goes',
    [apply('a', { data: { x: '1', y: '1' }, scalar: 's' }), apply('a', { data: { x: '1' } })],
    { data: { x: '1' } },
    { a: { 'f:data': { 'f:x': {} } } },
  ],
  [
    'a struct goes with its last field',
    [apply('a', { struct: { name: 'n', value: 1 } }), apply('a', {})],
    {},
    {},
  ],
  [
    'a struct that is still applied stays',
    [apply('a', { struct: { name: 'n' } }), apply('a', { struct: null })],
    {},
    { a: { 'f:struct': {} } },
  ],
  [
    'an element goes with its fields',
    [apply('a', { ports: [port('x', { port: 1 }), port('y')] }), apply('a', { ports: [port('y')] })],
    { ports: [port('y')] },
    { a: { 'f:ports': portOwned('y') } },
  ],
  [
    'elements of a set go one by one',
    [apply('a', { tags: ['x', 'y'] }), apply('a', { tags: ['y', 'z'] })],
    { tags: ['y', 'z'] },
    { a: { 'f:tags': { 'v:"y"': {}, 'v:"z"': {} } } },
  ],
  [
    'the order of a set is that of the apply',
    [apply('a', { tags: ['x', 'y'] }), apply('a', { tags: ['y', 'x'] })],
    { tags: ['y', 'x'] },
    { a: { 'f:tags': { 'v:"x"': {}, 'v:"y"': {} } } },
  ],
  [
    'a key that was left out is its default',
    [
      apply('a', { keyed: [{ name: 'n', value: 1 }] }),
      update('u', { keyed: [{ name: 'n', protocol: 'TCP', value: 1 }] }),
      apply('a', { keyed: [{ name: 'n', value: 2 }] }),
    ],
    { keyed: [{ name: 'n', protocol: 'TCP', value: 2 }] },
    {
      a: { 'f:keyed': { 'k:{"name":"n","protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:value': {} } } },
      'u*': { 'f:keyed': { 'k:{"name":"n","protocol":"TCP"}': { 'f:protocol': {} } } },
    },
  ],
  [
    'an applier has one entry, in the version it applied in last',
    [apply('a', { data: { x: '1' } }), apply('a', { data: { x: '1' } }, v2)],
    { data: { x: '1' } },
    { 'a in v2': { 'f:data': { 'f:x': {} } } },
  ],
  [
    'what is no longer applied goes across versions',
    [apply('a', { data: { x: '1', y: '1' } }), apply('a', { data: { x: '1' } }, v2)],
    { data: { x: '1' } },
    { 'a in v2': { 'f:data': { 'f:x': {} } } },
  ],
  // Several appliers.
  [
    'the same value is shared',
    [apply('a', { scalar: 's' }), apply('b', { scalar: 's' })],
    { scalar: 's' },
    { a: { 'f:scalar': {} }, b: { 'f:scalar': {} } },
  ],
  [
    'what one of two no longer applies stays',
    [apply('a', { scalar: 's' }), apply('b', { scalar: 's' }), apply('a', {})],
    { scalar: 's' },
    { b: { 'f:scalar': {} } },
  ],
  [
    'what both no longer apply goes',
    [apply('a', { scalar: 's' }), apply('b', { scalar: 's' }), apply('a', {}), apply('b', {})],
    {},
    {},
  ],
  [
    'force takes',
    [apply('a', { scalar: 's', data: { x: '1' } }), apply('b', { scalar: 't' }, force)],
    { scalar: 't', data: { x: '1' } },
    { a: { 'f:data': { 'f:x': {} } }, b: { 'f:scalar': {} } },
  ],
  [
    'who has lost all is gone',
    [apply('a', { scalar: 's' }), apply('b', { scalar: 't' }, force)],
    { scalar: 't' },
    { b: { 'f:scalar': {} } },
  ],
  [
    'keys of one map have several owners',
    [apply('a', { data: { x: '1' } }), apply('b', { data: { y: '2' } }), apply('a', { data: {} })],
    { data: { y: '2' } },
    { a: { 'f:data': {} }, b: { 'f:data': { 'f:y': {} } } },
  ],
  [
    'elements of one list have several owners',
    [
      apply('a', { ports: [port('x', { port: 1 })] }),
      apply('b', { ports: [port('y', { port: 2 })] }),
      apply('a', {}),
    ],
    { ports: [port('y', { port: 2 })] },
    { b: { 'f:ports': portOwned('y', { 'f:port': {} }) } },
  ],
  [
    'fields of one element have several owners',
    [
      apply('a', { ports: [port('x', { port: 1 })] }),
      apply('b', { ports: [port('x', { tags: ['t'] })] }),
      apply('a', {}),
    ],
    { ports: [port('x', { tags: ['t'] })] },
    { b: { 'f:ports': portOwned('x', { 'f:tags': { 'v:"t"': {} } }) } },
  ],
  [
    'what is in an element goes when it is not applied any more, and the rest stays',
    [
      apply('a', { ports: [port('x'), port('y', { tags: ['c'] })] }),
      apply('b', { ports: [port('y', { tags: ['d'] })] }, v2),
      update('u', { ports: [port('x'), port('y', { tags: ['c', 'd', 'e'] })] }, v2),
      apply('a', { ports: [port('x')] }),
    ],
    { ports: [port('x'), port('y', { tags: ['d', 'e'] })] },
    {
      a: { 'f:ports': portOwned('x') },
      'b in v2': { 'f:ports': portOwned('y', { 'f:tags': { 'v:"d"': {} } }) },
      'u* in v2': { 'f:ports': { [portKey('y')]: { 'f:tags': { 'v:"e"': {} } } } },
    },
  ],
  [
    'an element whose owner drops it goes with what others have put into it',
    [
      apply('a', { ports: [port('x'), port('y', { tags: ['c'] })] }),
      update('u', { ports: [port('x'), port('y', { tags: ['c', 'd'] })] }),
      apply('a', { ports: [port('x')] }),
    ],
    { ports: [port('x')] },
    { a: { 'f:ports': portOwned('x') } },
  ],
  // Appliers and updaters.
  [
    'an update takes what it changes',
    [apply('a', { scalar: 's' }), update('u', { scalar: 't' })],
    { scalar: 't' },
    { 'u*': { 'f:scalar': {} } },
  ],
  [
    'an update takes nothing that it leaves',
    [apply('a', { scalar: 's' }), update('u', { scalar: 's', data: { x: '1' } })],
    { scalar: 's', data: { x: '1' } },
    { a: { 'f:scalar': {} }, 'u*': { 'f:data': { '.': {}, 'f:x': {} } } },
  ],
  [
    'what an update removes has no owner',
    [apply('a', { scalar: 's', tags: ['x'] }), update('u', { tags: ['x'] })],
    { tags: ['x'] },
    { a: { 'f:tags': { 'v:"x"': {} } } },
  ],
  [
    'what an updater owns too stays',
    [update('u', { scalar: 's' }), apply('a', { scalar: 's' }), apply('a', {})],
    { scalar: 's' },
    { 'u*': { 'f:scalar': {} } },
  ],
  [
    'what an update has set stays in a struct',
    [apply('a', { struct: { name: 'n' } }), update('u', { struct: { name: 'n', value: 1 } }), apply('a', {})],
    { struct: { value: 1 } },
    { 'u*': { 'f:struct': { 'f:value': {} } } },
  ],
  [
    'null for a struct leaves what others have in it',
    [
      apply('a', { struct: { name: 'n' } }),
      update('u', { struct: { name: 'n', value: 1 } }),
      apply('a', { struct: null }),
    ],
    { struct: { value: 1 } },
    { a: { 'f:struct': {} }, 'u*': { 'f:struct': { 'f:value': {} } } },
  ],
  [
    'an applier may update too, and is another then',
    [update('a', { scalar: 's' }), apply('a', { data: { x: '1' } })],
    { scalar: 's', data: { x: '1' } },
    { a: { 'f:data': { 'f:x': {} } }, 'a*': { 'f:scalar': {} } },
  ],
  // Wholes.
  [
    'what is owned whole is replaced whole by force',
    [
      apply('a', { atomic: ['x'], whole: { k: '1' } }),
      apply('b', { atomic: ['y'], whole: { l: '1' } }, force),
    ],
    { atomic: ['y'], whole: { l: '1' } },
    { b: { 'f:atomic': {}, 'f:whole': {} } },
  ],
  [
    'what is owned whole goes whole',
    [apply('a', { atomic: ['x'], whole: { k: '1' } }), apply('a', {})],
    {},
    {},
  ],
]
for (const [name, writes, want, owners] of cases) {
  test(`apply: ${name}`, () => {
    const played = play(kind, writes)
    const { metadata: _, ...object } = played.object
    assert.deepEqual({ object, owners: ownersOf(played) }, { object: want, owners })
  })
}

const noon = { time: '2024-01-02T12:00:00Z' }
const timesOf = (writes: readonly Write[]) =>
  play(kind, writes).managedFields.map(({ manager, time }) => [manager, time])

test('apply: the time of an entry is that of the last apply that changed the object', () => {
  const first = apply('a', { data: { x: '1' } })
  assert.deepEqual(timesOf([first, { ...first, ...noon }]), [['a', morning]])
  assert.deepEqual(timesOf([first, apply('a', { data: { x: '2' } }, noon)]), [['a', noon.time]])
  // Who agrees with what stands has changed nothing, and so has no time at all.
  assert.deepEqual(timesOf([first, apply('b', { data: { x: '1' } }, noon)]), [
    ['b', undefined],
    ['a', morning],
  ])
  const dropped = [first, apply('b', { data: { x: '1' } }, noon), apply('a', { data: {} }, noon)]
  assert.deepEqual(timesOf(dropped), [
    ['b', undefined],
    ['a', morning],
  ])
})

test('apply: of an object that has no owners, all belongs to one who came before', () => {
  const untracked = {
    object: { metadata: { name: 'x', labels: { l: '1' } }, data: { a: '1' } },
    managedFields: [],
  }
  const played = play(kind, [apply('a', { data: { b: '2' } })], untracked)
  assert.deepEqual(ownersOf(played), {
    a: { 'f:data': { 'f:b': {} } },
    'before-first-apply*': {
      'f:data': { '.': {}, 'f:a': {} },
      'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
    },
  })
  assert.throws(
    () => play(kind, [apply('a', { data: { a: '2' } })], untracked),
    /Apply failed with 1 conflict: conflict with "before-first-apply" using v1: \.data\.a$/,
  )
})

test('apply: paths that the endpoint resets have no owner', () => {
  const reset: TestKind = { ...kind, resetFields: fieldSetOf(['f:scalar']) }
  assert.deepEqual(ownersOf(play(reset, [apply('a', { scalar: 's', data: { x: '1' } })])), {
    a: { 'f:data': { 'f:x': {} } },
  })
})

test('apply: entries in a version that is no more are dropped, and what they owned stays', () => {
  const before = play(kind, [
    apply('a', { scalar: 's' }, v2),
    update('u', { scalar: 's', data: { x: '1' } }, v2),
  ])
  const played = play({ schema: kind.schema }, [apply('a', { tags: ['t'] })], before)
  assert.deepEqual(ownersOf(played), { a: { 'f:tags': { 'v:"t"': {} } } })
  assert.equal(played.object['scalar'], 's')
})

const text: Schema = { type: 'string' }
const number: Schema = { type: 'integer' }
/** v2 says `seconds` what v1 says in `millis`; neither has both. */
const clock: TestKind = {
  schema: objectSchema({ millis: number, colour: text }),
  schemaOf: (version) =>
    ({ v1: clock.schema, v2: objectSchema({ seconds: number, colour: text }) })[version] as
      | Schema
      | undefined,
  convert: ({ millis, seconds, ...object }, from, to) => {
    if (from === to)
      return {
        ...object,
        ...(millis === undefined ? {} : { millis }),
        ...(seconds === undefined ? {} : { seconds }),
      }
    if (to === 'v2') return { ...object, ...(millis === undefined ? {} : { seconds: Number(millis) / 1000 }) }
    return { ...object, ...(seconds === undefined ? {} : { millis: Number(seconds) * 1000 }) }
  },
}

test('apply: an owner in another version is asked in that version', () => {
  const first = apply('a', { seconds: 1, colour: 'red' }, v2)
  assert.deepEqual(ownersOf(play(clock, [first, apply('b', { millis: 1000 })])), {
    'a in v2': { 'f:colour': {}, 'f:seconds': {} },
    b: { 'f:millis': {} },
  })
  assert.throws(() => play(clock, [first, apply('b', { millis: 2000 })]), /conflict with "a": \.seconds$/)
  const moved = play(clock, [first, apply('a', { millis: 1000 })])
  assert.deepEqual(ownersOf(moved), { a: { 'f:millis': {} } })
  assert.equal(
    moved.object['colour'],
    undefined,
    'what is no longer applied goes, in whichever version it was',
  )
})
