import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreatedObjects } from './created-objects.ts'

const inA = '/api/v1/namespaces/a/secrets'
const object = (name: string, more = {}) => ({ metadata: { name, ...more } })
const one = object('one', { namespace: 'a' })

type Note = Parameters<CreatedObjects['note']>
const made: Note = ['POST', inA, 201, one, one]

const cases: ReadonlyArray<
  [name: string, notes: readonly Note[], path: string, item: unknown, want: boolean]
> = [
  ['what was made is known', [made], inA, one, true],
  ['in all namespaces too', [made], '/api/v1/secrets?limit=500', one, true],
  ['as a row of a table', [made], inA, { cells: ['one'], object: one }, true],
  ['by another name it is not', [made], inA, object('two', { namespace: 'a' }), false],
  ['nor in another namespace', [made], '/api/v1/secrets', object('one', { namespace: 'b' }), false],
  ['nor of another resource', [made], '/api/v1/namespaces/a/configmaps', one, false],
  ['nor of another group', [made], '/apis/a/v1/namespaces/a/secrets', one, false],
  [
    'a name that the server chose',
    [['POST', inA, 201, object('x-1'), object('x-2')]],
    inA,
    object('x-1'),
    false,
  ],
  ['what was only changed', [['PATCH', `${inA}/one`, 200, one, one]], inA, one, false],
  ['what an apply has made', [['PATCH', `${inA}/one?fieldManager=a`, 201, one, one]], inA, one, true],
  [
    'of the cluster',
    [['POST', '/apis/b/v1/as', 201, object('one'), object('one')]],
    '/apis/b/v1/as',
    object('one'),
    true,
  ],
  [
    'in another version',
    [['POST', '/apis/b/v1/as', 201, object('one'), object('one')]],
    '/apis/b/v2/as',
    object('one'),
    true,
  ],
  ['what was deleted', [made, ['DELETE', `${inA}/one`, 200, {}, {}]], inA, one, false],
  ['with all others', [made, ['DELETE', inA, 200, {}, {}]], inA, one, false],
  ['with its namespace', [made, ['DELETE', '/api/v1/namespaces/a', 200, {}, {}]], inA, one, false],
  ['not another one', [made, ['DELETE', `${inA}/two`, 200, {}, {}]], inA, one, true],
  ['items that are no objects', [made], inA, { manager: 'one' }, false],
]
for (const [name, notes, path, item, want] of cases) {
  test(`created objects: ${name}`, () => {
    const created = new CreatedObjects()
    for (const note of notes) created.note(...note)
    assert.equal(created.includes(path, item), want)
  })
}
