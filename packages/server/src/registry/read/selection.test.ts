import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  configMaps,
  namespaces,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceDefinition,
} from '@strata/api'
import type { CacheEvent } from '../../watch-cache/index.ts'
import { createServedApi, type ServedResource } from '../served/served-api.ts'
import { createSelection, type Selection } from './selection.ts'
import { shownState, transitionOf } from './transition.ts'

const api = createServedApi([configMaps, namespaces] as unknown as readonly ResourceDefinition[], undefined)
function served(resource: string): ServedResource {
  const found = api.find('', 'v1', resource)
  assert.ok(found)
  return found
}
const maps = served('configmaps')

function selection(labels: string, fields: string, namespace = '', resource = maps): Selection {
  const selectors = { labels: parseLabelSelector(labels), fields: parseFieldSelector(fields) }
  return createSelection(resource, namespace, selectors)
}

const key = (namespace: string, name: string): string => `/registry/configmaps/${namespace}/${name}`
const bytes = (labels?: Record<string, string>): Uint8Array =>
  Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', labels } }))

const cases: ReadonlyArray<[labels: string, fields: string, object: Uint8Array, matches: boolean]> = [
  ['', '', bytes(), true],
  ['app=a', '', bytes({ app: 'a' }), true],
  ['app=a', '', bytes({ app: 'b' }), false],
  ['app!=a', '', bytes(), true],
  ['', 'metadata.name=a', bytes(), true],
  ['', 'metadata.name=a,metadata.name=b', bytes(), false],
  ['', 'metadata.name!=a', bytes(), false],
  ['', 'metadata.namespace=one', bytes(), true],
  ['', 'metadata.namespace=two', bytes(), false],
  ['app=a', 'metadata.name=b', bytes({ app: 'a' }), false],
]
for (const [labels, fields, object, matches] of cases) {
  test(`selection: "${labels}" and "${fields}" ${matches ? 'select' : 'leave out'} ${Buffer.from(object)}`, () => {
    assert.equal(selection(labels, fields).matches(key('one', 'a'), object), matches)
  })
}

const scopes: ReadonlyArray<[namespace: string, fields: string, scope: string]> = [
  ['', '', '/registry/configmaps/'],
  ['one', '', '/registry/configmaps/one/'],
  ['one', 'metadata.name=a', '/registry/configmaps/one/a'],
  ['', 'metadata.name=a', '/registry/configmaps/'],
  ['', 'metadata.namespace=one', '/registry/configmaps/one/'],
  ['', 'metadata.namespace=one,metadata.name=a', '/registry/configmaps/one/a'],
  ['one', 'metadata.namespace=two', '/registry/configmaps/one/'],
]
for (const [namespace, fields, scope] of scopes) {
  test(`selection: "${fields}" in "${namespace}" looks no further than ${scope}`, () => {
    assert.equal(selection('', fields, namespace).scope, scope)
  })
}

test('selection: a field that cannot be selected by is refused in the words of its kind', () => {
  assert.throws(() => selection('', 'data.x=1'), {
    code: 400,
    message: '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
  })
  assert.throws(() => selection('', 'spec.x=1', '', served('namespaces')), {
    code: 400,
    message: 'field label not supported: spec.x',
  })
})

test('selection: fields are those of the object', () => {
  const active = Buffer.from(
    JSON.stringify({
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'n' },
      status: { phase: 'Active' },
    }),
  )
  const by = (fields: string): boolean =>
    selection('', fields, '', served('namespaces')).matches('/registry/namespaces/n', active)
  assert.equal(by('status.phase=Active'), true)
  assert.equal(by('status.phase!=Active'), false)
})

const on = bytes({ on: 'y' })
const off = bytes()
const changes: ReadonlyArray<
  [name: string, kind: CacheEvent['kind'], previous: Uint8Array | undefined, value: Uint8Array, want: unknown]
> = [
  ['is created and matches', 'added', undefined, on, ['ADDED', on]],
  ['is created and does not match', 'added', undefined, off, undefined],
  ['starts to match', 'modified', off, on, ['ADDED', on]],
  ['goes on matching', 'modified', on, bytes({ on: 'y', x: '1' }), ['MODIFIED', bytes({ on: 'y', x: '1' })]],
  ['stops matching: its last matching state is shown', 'modified', on, off, ['DELETED', on]],
  ['goes on not matching', 'modified', off, off, undefined],
  ['is deleted and matched', 'deleted', on, on, ['DELETED', on]],
  ['is deleted and did not match', 'deleted', off, off, undefined],
]
for (const [name, kind, previous, value, want] of changes) {
  test(`selection: an object that ${name}`, () => {
    const event: CacheEvent = {
      kind,
      key: key('one', 'a'),
      revision: 5,
      value,
      previous,
      previousRevision: 4,
      forms: new Map(),
    }
    const type = transitionOf(selection('on=y', ''), event)
    assert.deepEqual(type && [type, shownState(type, event).value], want)
  })
}
