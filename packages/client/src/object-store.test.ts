import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '@strata/api'
import { type ObjectChange, ObjectStore } from './object-store.ts'
import { compareResourceVersions } from './resource-versions.ts'

const object = (name: string, resourceVersion: string, uid = `uid-${name}`): ApiObject => ({
  metadata: { namespace: 'default', name, uid, resourceVersion },
})
const textOf = (changes: readonly ObjectChange<ApiObject>[]): string[] =>
  changes.map(({ kind, object: { metadata } }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`)

function filled(): ObjectStore<ApiObject> {
  const store = new ObjectStore<ApiObject>()
  store.replace([object('a', '5'), object('b', '7')], '9')
  return store
}

test('store: a second list gives exactly the differences', () => {
  const changes = filled().replace([object('b', '11'), object('c', '10')], '12')
  assert.deepEqual(textOf(changes), ['deleted a 5', 'modified b 11', 'added c 10'])
})

test('store: the same list again gives no change', () => {
  assert.deepEqual(filled().replace([object('a', '5'), object('b', '7')], '15'), [])
})

test('store: another object with the same name is a deletion and an addition', () => {
  const store = filled()
  assert.deepEqual(textOf(store.replace([object('a', '12', 'other'), object('b', '7')], '13')), [
    'deleted a 5',
    'added a 12',
  ])
  assert.deepEqual(textOf(store.apply({ type: 'ADDED', object: object('b', '14', 'other') })), [
    'deleted b 7',
    'added b 14',
  ])
})

test('store: repeated watch events give no change and undo none', () => {
  const store = filled()
  store.apply({ type: 'MODIFIED', object: object('a', '12') })
  store.apply({ type: 'DELETED', object: object('b', '12') })
  assert.deepEqual(store.apply({ type: 'MODIFIED', object: object('a', '12') }), [])
  assert.deepEqual(store.apply({ type: 'DELETED', object: object('b', '12') }), [])
  assert.deepEqual(store.apply({ type: 'ADDED', object: object('b', '8') }), [], 'from before')
  store.apply({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '10' } } })
  assert.equal(store.resourceVersion, '12')
  store.apply({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '30' } } })
  assert.equal(store.resourceVersion, '30')
})

test('store: several changes may share one resourceVersion', () => {
  const store = filled()
  const changes = ['a', 'b', 'c'].flatMap((name) =>
    store.apply({ type: 'MODIFIED', object: object(name, '12') }),
  )
  assert.deepEqual(textOf(changes), ['modified a 12', 'modified b 12', 'added c 12'])
})

test('resource versions are compared by value, whatever their length, and only if they are numbers', () => {
  const sign = (a: string, b: string): number | undefined => {
    const order = compareResourceVersions(a, b)
    return order === undefined ? undefined : Math.sign(order)
  }
  assert.equal(sign('9', '10'), -1)
  assert.equal(sign('90071992547409931', '90071992547409930'), 1)
  assert.equal(sign('7', '7'), 0)
  assert.equal(sign('abc', '7'), undefined)
  assert.equal(sign('07', '7'), undefined)
})
