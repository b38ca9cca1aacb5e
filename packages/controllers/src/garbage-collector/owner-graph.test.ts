import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMeta } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { type GraphNode, isNamed, OwnerGraph } from './owner-graph.ts'

const maps: DiscoveredResource = {
  group: '',
  versionName: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  verbs: [],
}
const node = (uid: string, owners: readonly string[] = [], metadata: ObjectMeta = {}): GraphNode => ({
  uid,
  resource: maps,
  metadata: {
    name: uid,
    namespace: 'n',
    ownerReferences: owners.map((each) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: each, uid: each })),
    ...metadata,
  },
})
const waiting = { deletionTimestamp: 'now', finalizers: ['foregroundDeletion'] }
const names = (nodes: readonly GraphNode[]): string[] => nodes.map(({ uid }) => uid)

test('graph: an object is reconciled only if its owner is unknown', () => {
  const graph = new OwnerGraph()
  assert.deepEqual(graph.put(node('a')), [])
  assert.deepEqual(graph.put(node('b', ['a'])), [])
  assert.deepEqual(graph.put(node('c', ['nobody'])), ['c'])
  assert.deepEqual(names(graph.dependentsOf('a')), ['b'])
  assert.deepEqual(names(graph.dependentsOf('nobody')), ['c'])
})

test('graph: the deletion of an owner concerns its dependents, also those that came before it', () => {
  const graph = new OwnerGraph()
  graph.put(node('b', ['a']))
  graph.put(node('a'))
  assert.deepEqual(graph.remove('a'), ['b'])
  assert.deepEqual(names(graph.dependentsOf('a')), ['b'])
})

test('graph: a waiting owner is reconciled when a dependent is deleted or drops its reference', () => {
  const graph = new OwnerGraph()
  graph.put(node('b', ['a']))
  graph.put(node('c', ['a']))
  assert.deepEqual(graph.put(node('a', [], waiting)), ['a'])
  assert.deepEqual(graph.remove('b'), ['a'])
  assert.deepEqual(graph.put(node('c')), ['a'])
  assert.deepEqual(graph.dependentsOf('a'), [])
})

test('graph: a reference must match kind, name and namespace', () => {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'a' }
  const dependent = node('b')
  assert.ok(isNamed(node('a'), reference, dependent))
  assert.ok(!isNamed(node('a', [], { namespace: 'other' }), reference, dependent))
  assert.ok(!isNamed(node('a'), { ...reference, kind: 'Secret' }, dependent))
  assert.ok(!isNamed(node('a'), { ...reference, name: 'c' }, dependent))
  assert.ok(!isNamed(node('a'), { ...reference, apiVersion: 'g/v1' }, dependent))
  const clusterScoped = { ...node('a', [], { namespace: '' }), resource: { ...maps, namespaced: false } }
  assert.ok(isNamed(clusterScoped, reference, dependent))
})
