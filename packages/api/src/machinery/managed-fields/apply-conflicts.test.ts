import assert from 'node:assert/strict'
import { test } from 'node:test'
import { play, type Write } from './apply-for-test.ts'
import { apply, kind, port, update, v2 } from './apply-kind-for-test.ts'

const conflicts: ReadonlyArray<
  [name: string, writes: readonly Write[], message: string, fields: readonly string[]]
> = [
  [
    'of another applier',
    [apply('one', { data: { a: '1' } }), apply('two', { data: { a: 'x' } })],
    'Apply failed with 1 conflict: conflict with "one": .data.a',
    ['.data.a'],
  ],
  [
    'of an updater',
    [update('updater', { data: { a: '1' } }), apply('two', { data: { a: 'x' } })],
    'Apply failed with 1 conflict: conflict with "updater" using v1: .data.a',
    ['.data.a'],
  ],
  [
    'of oneself as an updater',
    [update('one', { scalar: 's' }), apply('one', { scalar: 't' })],
    'Apply failed with 1 conflict: conflict with "one" using v1: .scalar',
    ['.scalar'],
  ],
  [
    'with a manager of a subresource',
    [apply('one', { scalar: 's' }, { subresource: 'status' }), apply('two', { scalar: 't' })],
    'Apply failed with 1 conflict: conflict with "one" with subresource "status": .scalar',
    ['.scalar'],
  ],
  [
    'in another version',
    [update('one', { scalar: 's' }, v2), apply('two', { scalar: 't' })],
    'Apply failed with 1 conflict: conflict with "one" using v2: .scalar',
    ['.scalar'],
  ],
  [
    'as upstream was recorded',
    [
      apply('one', { atomic: ['p'], ports: [port('a', { port: 1 })] }),
      apply('two', { atomic: ['q'], ports: [port('a', { port: 9 }), port('b', { port: 2 })] }),
    ],
    'Apply failed with 2 conflicts: conflicts with "one":\n- .atomic\n- .ports[name="a"].port',
    ['.atomic', '.ports[name="a"].port'],
  ],
  [
    'of several, in order',
    [
      apply('two', { scalar: 's' }),
      apply('one', { atomic: ['x'], struct: { value: 1 } }),
      apply('me', { scalar: 't', atomic: ['y'], struct: { value: 2 } }),
    ],
    'Apply failed with 3 conflicts: conflicts with "one":\n- .atomic\n- .struct.value\nconflicts with "two":\n- .scalar',
    ['.atomic', '.struct.value', '.scalar'],
  ],
  [
    'of who owns it together with others',
    [apply('one', { scalar: 's' }), apply('two', { scalar: 's' }), apply('one', { scalar: 't' })],
    'Apply failed with 1 conflict: conflict with "two": .scalar',
    ['.scalar'],
  ],
  [
    'of a whole',
    [apply('one', { whole: { k: '1' } }), apply('two', { whole: { k: '1', l: '2' } })],
    'Apply failed with 1 conflict: conflict with "one": .whole',
    ['.whole'],
  ],
]
for (const [name, writes, message, fields] of conflicts) {
  test(`apply: a conflict ${name}`, () => {
    assert.throws(
      () => play(kind, writes),
      (error: Error & { status: { details: { causes: { reason: string; field: string }[] } } }) => {
        assert.equal(error.message, message)
        const { causes } = error.status.details
        assert.deepEqual(
          causes.map(({ field }) => field),
          fields,
        )
        assert.ok(causes.every(({ reason }) => reason === 'FieldManagerConflict'))
        return true
      },
    )
  })
}
