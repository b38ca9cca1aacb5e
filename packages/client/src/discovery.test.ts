import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import { apiResources, discover, discoverGroup, preferredResources } from './discovery.ts'

const { signal } = new AbortController()

function serving(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = []
  const transport = async ({ target }: HttpRequest): Promise<HttpResponse> => {
    asked.push(target)
    const json = answers[target]
    return json === undefined
      ? { status: 503, headers: {}, body: utf8.encode('no backend') }
      : { status: 200, headers: {}, body: utf8.encode(JSON.stringify(json)) }
  }
  return { asked, transport, discovery: () => discover({ transport }, signal) }
}

const verbs = ['delete', 'list']
const resource = (name: string, scope = 'Namespaced') => ({
  resource: name,
  responseKind: { group: '', version: '', kind: name.toUpperCase() },
  scope,
  verbs,
})
const aggregated = (...items: unknown[]) => ({ kind: 'APIGroupDiscoveryList', items })

test('discovery: two requests with aggregated discovery; a stale group version is a failure', async () => {
  const named = { ...resource('maps'), singularResource: 'map', shortNames: ['m'] }
  const { asked, discovery } = serving({
    '/api': aggregated({ metadata: {}, versions: [{ version: 'v1', resources: [named] }] }),
    '/apis': aggregated({
      metadata: { name: 'g' },
      versions: [
        { version: 'v2', freshness: 'Current', resources: [resource('things', 'Cluster')] },
        { version: 'v1', freshness: 'Stale' },
      ],
    }),
  })
  assert.deepEqual(await discovery(), {
    resources: [
      {
        ...{ group: '', versionName: 'v1', resource: 'maps', kind: 'MAPS', namespaced: true, verbs },
        ...{ singular: 'map', shortNames: ['m'] },
      },
      { group: 'g', versionName: 'v2', resource: 'things', kind: 'THINGS', namespaced: false, verbs },
    ],
    failures: [{ groupVersion: 'g/v1', why: 'stale GroupVersion discovery' }],
  })
  assert.deepEqual(asked, ['/api', '/apis'])
})

test('discovery: otherwise one request per group version, the preferred first; a failed one is named', async () => {
  const listed = (name: string) => ({ name, kind: 'Thing', namespaced: true, verbs })
  const { discovery } = serving({
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'g',
          versions: [{ version: 'v1' }, { version: 'v2' }],
          preferredVersion: { version: 'v2' },
        },
        { name: 'dead', versions: [{ version: 'v1' }] },
      ],
    },
    '/api/v1': { resources: [listed('maps'), listed('maps/status')] },
    '/apis/g/v1': { resources: [listed('things')] },
    '/apis/g/v2': { resources: [listed('things')] },
  })
  const { resources, failures } = await discovery()
  assert.deepEqual(
    resources.map(({ group, versionName, resource: name }) => [group, versionName, name]),
    [
      ['', 'v1', 'maps'],
      ['g', 'v2', 'things'],
      ['g', 'v1', 'things'],
    ],
  )
  assert.deepEqual(
    preferredResources(resources).map(({ versionName }) => versionName),
    ['v1', 'v2'],
  )
  assert.deepEqual(failures, [{ groupVersion: 'dead/v1', why: 'no backend' }])
})

test('discovery: throws if the roots do not answer', async () => {
  await assert.rejects(serving({ '/api': aggregated() }).discovery(), /no backend/)
})

test('discovery: the document of one group version has the hashes of storage versions', async () => {
  const things = { name: 'things', kind: 'Thing', namespaced: true, verbs, storageVersionHash: 'h' }
  const { transport } = serving({ '/apis/g/v1': { resources: [things] }, '/api/v1': { resources: [] } })
  assert.deepEqual(await apiResources({ transport }, { group: 'g', versionName: 'v1' }, signal), [things])
  assert.deepEqual(await apiResources({ transport }, { group: '', versionName: 'v1' }, signal), [])
})

const record = { group: 'strata.dev', version: 'v1alpha1', kind: 'Record' }
const objects = { group: 'strata.dev', versionName: 'v1alpha1' }
const kinds: readonly [name: string, kind: object, wanted: object | undefined][] = [
  ['none named', { kind: 'Thing' }, undefined],
  ['empty names', { group: '', version: '', kind: 'Thing' }, undefined],
  ['those of the path', { group: 'g', version: 'v1', kind: 'Thing' }, undefined],
  ['another group', record, objects],
  ['the core group', { group: '', version: 'v1', kind: 'Pod' }, { group: '', versionName: 'v1' }],
]
for (const [name, kind, wanted] of kinds) {
  test(`discovery: the group and version of objects, in both forms: ${name}`, async () => {
    const inAggregated = { ...resource('records'), responseKind: kind }
    const one = serving({
      '/api': aggregated(),
      '/apis': aggregated({
        metadata: { name: 'g' },
        versions: [{ version: 'v1', resources: [inAggregated] }],
      }),
    })
    const other = serving({
      '/apis/g': { versions: [{ version: 'v1' }] },
      '/apis/g/v1': { resources: [{ name: 'records', namespaced: true, verbs, ...kind }] },
    })
    const found = [await one.discovery(), await discoverGroup(other, 'g', signal)]
    for (const { resources } of found) assert.deepEqual(resources[0]?.objects, wanted)
  })
}

test('discovery of one group: a version that fails is named, and a group that is not served is empty', async () => {
  const { transport, asked } = serving({ '/apis/g': { versions: [{ version: 'v1' }] } })
  assert.deepEqual(await discoverGroup({ transport }, 'g', signal), {
    resources: [],
    failures: [{ groupVersion: 'g/v1', why: 'no backend' }],
  })
  assert.deepEqual(asked, ['/apis/g', '/apis/g/v1'])
  const gone = async (): Promise<HttpResponse> => ({ status: 404, headers: {}, body: utf8.encode('{}') })
  assert.deepEqual(await discoverGroup({ transport: gone }, 'g', signal), { resources: [], failures: [] })
  await assert.rejects(discoverGroup({ transport }, 'h', signal), /no backend/)
})
