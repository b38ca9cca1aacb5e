import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAggregated, readLegacy } from './remote-discovery.ts'

const mine = { group: 'shop.dev', versionName: 'v1' }
const head = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' }
const kind = { group: '', version: '', kind: 'Thing' }
const thing = {
  ...{ resource: 'things', responseKind: kind, scope: 'Namespaced', singularResource: 'thing' },
  ...{ verbs: ['get', 'list'], shortNames: ['th'] },
}
const status = { subresource: 'status', responseKind: kind, verbs: ['get'] }
const inGroup = (name: string, versions: unknown) => ({ ...head, items: [{ metadata: { name }, versions }] })
const inVersion = (resources: unknown) => inGroup('shop.dev', [{ version: 'v1', resources }])

const aggregated: ReadonlyArray<[name: string, document: unknown, want: unknown]> = [
  ['one resource', inVersion([thing]), [thing]],
  [
    'a subresource',
    inVersion([{ ...thing, subresources: [status] }]),
    [{ ...thing, subresources: [status] }],
  ],
  [
    'no kind',
    inVersion([{ ...thing, responseKind: undefined }]),
    [{ ...thing, responseKind: { ...kind, kind: '' } }],
  ],
  ['unknown fields', inVersion([{ ...thing, more: 'x' }]), [thing]],
  ['another group', inGroup('apps', [{ version: 'v1', resources: [thing] }]), []],
  ['another version', inGroup('shop.dev', [{ version: 'v2', resources: [thing] }]), []],
  ['no resources', inVersion(undefined), []],
  ['things that are no resources', inVersion([null, 1, 'x', [], {}, { ...thing, scope: 'All' }]), []],
  ['verbs that are no words', inVersion([{ ...thing, verbs: [1, 'get'] }]), [{ ...thing, verbs: ['get'] }]],
  ['items that are no list', { ...head, items: { length: 5 } }, []],
  ['another form', { ...head, apiVersion: 'apidiscovery.k8s.io/v2beta1' }, undefined],
  ['a legacy document', { kind: 'APIGroupList', groups: [] }, undefined],
  ['no object', [], undefined],
]
for (const [name, document, want] of aggregated) {
  test(`aggregated discovery of a backend: ${name}`, () =>
    assert.deepEqual(readAggregated(document, mine), want))
}

const list = (resources: unknown, groupVersion = 'shop.dev/v1') => ({
  ...{ kind: 'APIResourceList', groupVersion, resources },
})
const legacyThing = {
  ...{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing' },
  ...{ verbs: ['get', 'list'], shortNames: ['th'], storageVersionHash: 'x' },
}
const legacy: ReadonlyArray<[name: string, document: unknown, want: unknown]> = [
  ['one resource', list([legacyThing]), [thing]],
  [
    'a subresource, before its resource',
    list([{ name: 'things/status', kind: 'Thing', namespaced: true, verbs: ['get'] }, legacyThing]),
    [{ ...thing, subresources: [status] }],
  ],
  [
    'a subresource alone',
    list([{ name: 'things/status', kind: 'Thing', namespaced: false, verbs: ['get'] }]),
    [
      {
        ...{ resource: 'things', responseKind: { ...kind, kind: '' }, scope: 'Cluster' },
        ...{ singularResource: '', verbs: [], subresources: [status] },
      },
    ],
  ],
  ['another version', list([legacyThing], 'apps/v1'), undefined],
  ['things that are no resources', list([null, 1, {}, { name: '' }, { name: 5 }]), []],
  ['another document', { kind: 'Status' }, undefined],
  ['no object', 'x', undefined],
]
for (const [name, document, want] of legacy) {
  test(`legacy discovery of a backend: ${name}`, () => assert.deepEqual(readLegacy(document, mine), want))
}
