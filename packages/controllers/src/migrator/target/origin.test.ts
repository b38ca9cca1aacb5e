import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveredResource } from '@strata/client'
import { findDataSide, findOrigin, findOrigins } from './origin.ts'

const group = 'shop.example.dev'
const things = { group, resource: 'things' }

function listed(
  path: string,
  kind = 'Thing',
  objects?: { readonly group: string; readonly versionName: string },
): DiscoveredResource {
  const [inGroup = '', versionName = '', resource = ''] = path.split('/')
  const base = { group: inGroup, versionName, resource, kind, namespaced: false, verbs: [] }
  return objects ? { ...base, objects } : base
}

const ours = { group: 'strata.dev', versionName: 'v1alpha1' }
const records = (version: string, objects = ours) =>
  listed(`${group}/${version}/storageagreements`, 'StorageAgreement', objects)
const data = (version: string) => [
  listed(`${group}/${version}/storagecensuses`, 'StorageCensus', ours),
  listed(`${group}/${version}/storagereencodes`, 'StorageReencode', ours),
]
const [v1, v2] = [listed(`${group}/v1/things`), listed(`${group}/v2/things`)]
const own = [
  listed('strata.dev/v1alpha1/storageagreements', 'StorageAgreement'),
  listed('strata.dev/v1alpha1/storagecensuses', 'StorageCensus'),
  listed('strata.dev/v1alpha1/storagereencodes', 'StorageReencode'),
]

const rows: readonly [name: string, served: readonly DiscoveredResource[], wanted: string | RegExp][] = [
  ['nothing is served', [], 'none'],
  ['only records of this cluster', [v1, ...own], 'none'],
  ['an aggregated server that has no records', [v1, v2], 'none'],
  ['one version', [v1, records('v1')], 'v1'],
  ['each version of the resource is asked', [v1, records('v1'), v2, records('v2')], 'v1 v2'],
  ['not a version without the resource', [v1, records('v1'), records('v2')], 'v1'],
  ['a resource that is not served any more', [records('v1'), records('v2')], 'v1 v2'],
  ['another server serves v2', [v1, records('v1'), v2], /serve v1 of .*, and other servers serve v2:/],
  ['another server serves all of it', [v1, records('v2')], 'none'],
  ["a kind of the user's own", [v1, listed(`${group}/v1/storageagreements`, 'StorageAgreement')], 'none'],
  [
    'records of a later release',
    [v1, records('v1', { ...ours, versionName: 'v2' })],
    /strata\.dev\/v2, which/,
  ],
  ['records in another group', [v1, { ...records('v1'), group: 'other.example.dev' }], 'none'],
]
for (const [name, served, wanted] of rows) {
  test(`origin: ${name}`, () => {
    const origin = findOrigin(things, served)
    if (origin.kind === 'refused') assert.match(origin.because, new RegExp(wanted))
    else {
      const versions = origin.kind === 'origin' ? origin.records.map(({ versionName }) => versionName) : []
      assert.equal(versions.join(' ') || origin.kind, wanted)
    }
  })
}

const sides: readonly [name: string, served: readonly DiscoveredResource[], wanted: string | undefined][] = [
  ['this cluster', [v1, ...own], 'strata.dev/v1alpha1'],
  ['no Strata server', [v1], undefined],
  ['an aggregated server', [v1, records('v1'), ...data('v1'), ...own], `${group}/v1`],
  ['an aggregated server behind another make', [v1, records('v1'), ...data('v1')], `${group}/v1`],
  // A census of this cluster would count another store.
  ['an aggregated server that counts nothing', [v1, records('v1'), ...own], undefined],
  ['a server that has only a census', [v1, ...own.slice(0, 2)], undefined],
]
for (const [name, served, wanted] of sides) {
  test(`origin: where to count: ${name}`, () => {
    const { censuses, reencodes } = findDataSide(things, served) ?? {}
    const [one, other] = [censuses, reencodes].map((each) => each && `${each.group}/${each.versionName}`)
    assert.deepEqual([one, other], [wanted, wanted])
  })
}

test('origin: each group that has records is found once, in the version that its servers prefer', () => {
  const other = { ...records('v1'), group: 'other.example.dev' }
  const found = findOrigins([...own, v2, records('v2'), records('v1'), other])
  assert.deepEqual(
    found.map((each) => `${each.group}/${each.versionName}`),
    [`${group}/v2`, 'other.example.dev/v1'],
  )
})
