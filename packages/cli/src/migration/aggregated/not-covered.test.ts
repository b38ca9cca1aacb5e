import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiService } from '@strata/api'
import type { DiscoveredResource, Discovery } from '@strata/client'
import { decideNotCovered } from './not-covered.ts'

const shop = 'shop.example.dev'
const stored = ['create', 'list']

function listed(path: string, verbs: readonly string[] = stored, isRecords = false): DiscoveredResource {
  const [group = '', versionName = '', resource = ''] = path.split('/')
  const base = { group, versionName, resource, kind: 'Thing', namespaced: false, verbs }
  const objects = { group: 'strata.dev', versionName: 'v1alpha1' }
  return isRecords ? { ...base, kind: 'StorageAgreement', objects } : base
}
const service = (group: string, version: string, isElsewhere = true): ApiService => ({
  status: {},
  metadata: { name: `${version}.${group}` },
  spec: {
    group,
    version,
    ...(isElsewhere ? { service: { namespace: 'n', name: 's' } } : {}),
  } as ApiService['spec'],
})
const things = listed(`${shop}/v1/things`)
const records = listed(`${shop}/v1/storageagreements`, ['get', 'list'], true)

const rows: readonly [
  name: string,
  resources: readonly DiscoveredResource[],
  services: readonly ApiService[],
  names: readonly string[],
][] = [
  ['nothing', [], [], []],
  ['only this fleet', [things], [service(shop, 'v1', false)], []],
  ['an aggregated server', [things], [service(shop, 'v1')], ['things.shop.example.dev']],
  ['another version of it', [things], [service(shop, 'v2')], []],
  ['resources that are not stored', [listed(`${shop}/v1/reviews`, ['create'])], [service(shop, 'v1')], []],
  [
    'a Strata server, without the right to read APIServices',
    [things, records, listed('apiregistration.k8s.io/v1/apiservices')],
    [],
    ['things.shop.example.dev'],
  ],
  ['an aggregated server that is asked directly', [things, records], [], []],
]
for (const [name, resources, services, names] of rows) {
  test(`check: not covered: ${name}`, () => {
    assert.deepEqual(decideNotCovered({ resources, failures: [] }, services).names, names)
  })
}

test('check: not covered: a whole version while its servers do not answer, and no version of this fleet', () => {
  const failures: Discovery['failures'] = [
    { groupVersion: `${shop}/v1`, why: 'away' },
    { groupVersion: 'own.example.dev/v1', why: 'away' },
  ]
  const { names, isElsewhere } = decideNotCovered({ resources: [], failures }, [service(shop, 'v1')])
  assert.deepEqual(names, [`${shop}/v1`])
  assert.deepEqual([isElsewhere(`${shop}/v1`), isElsewhere('own.example.dev/v1')], [true, false])
})
