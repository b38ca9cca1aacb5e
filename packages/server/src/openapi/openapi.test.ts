import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, objectSchema, structSchema } from '@strata/api'
import type { DescribableResource, DescribableRoutes } from './describable.ts'
import { createOpenApi } from './openapi.ts'

const schema = objectSchema({ spec: structSchema('BeaconSpec', 'How it shines.', { periodMs: integer }) })

function beacons(
  versionName: string,
  more: Partial<DescribableResource['definition']> = {},
): DescribableResource {
  return {
    group: 'example.dev',
    versionName,
    apiVersion: `example.dev/${versionName}`,
    definition: {
      kind: 'Beacon',
      listKind: 'BeaconList',
      plural: 'beacons',
      scope: 'Namespaced',
      versions: { [versionName]: { schema } },
      ...more,
    },
  }
}

const routes: DescribableRoutes = {
  of: () => ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  ofSubresources: () => [['status', ['get', 'patch', 'update']]],
  patchTypesOf: () => ['application/merge-patch+json', 'application/apply-patch+yaml'],
  schemaOfPart: () => undefined,
}

const turn = async (): Promise<void> => {}

// biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
function read(openApi: ReturnType<typeof createOpenApi>, key: string): any {
  return JSON.parse(Buffer.from(openApi.document(key)?.body ?? []).toString())
}

test('openapi: each path has an operation for each verb', () => {
  const { paths } = read(createOpenApi({ resources: [beacons('v1')] }, routes, turn), 'apis/example.dev/v1')
  const found = Object.entries<Record<string, { operationId: string; 'x-kubernetes-action': string }>>(
    paths,
  ).map(([path, { parameters: _, ...operations }]) => [
    path,
    Object.values(operations).map((each) => `${each['x-kubernetes-action']} ${each.operationId}`),
  ])
  const one = '/apis/example.dev/v1/namespaces/{namespace}/beacons'
  assert.deepEqual(Object.fromEntries(found), {
    '/apis/example.dev/v1/beacons': ['list listExampleDevV1BeaconForAllNamespaces'],
    [one]: [
      'list listExampleDevV1NamespacedBeacon',
      'post createExampleDevV1NamespacedBeacon',
      'deletecollection deleteExampleDevV1CollectionNamespacedBeacon',
    ],
    [`${one}/{name}`]: [
      'get readExampleDevV1NamespacedBeacon',
      'put replaceExampleDevV1NamespacedBeacon',
      'delete deleteExampleDevV1NamespacedBeacon',
      'patch patchExampleDevV1NamespacedBeacon',
    ],
    [`${one}/{name}/status`]: [
      'get readExampleDevV1NamespacedBeaconStatus',
      'put replaceExampleDevV1NamespacedBeaconStatus',
      'patch patchExampleDevV1NamespacedBeaconStatus',
    ],
  })
})

test('openapi: a patch says what kubectl looks for', () => {
  const { paths } = read(createOpenApi({ resources: [beacons('v1')] }, routes, turn), 'apis/example.dev/v1')
  const { patch } = paths['/apis/example.dev/v1/namespaces/{namespace}/beacons/{name}']
  assert.deepEqual(patch['x-kubernetes-group-version-kind'], {
    group: 'example.dev',
    version: 'v1',
    kind: 'Beacon',
  })
  assert.deepEqual(Object.keys(patch.requestBody.content), routes.patchTypesOf(undefined))
  const names = patch.parameters.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, ['dryRun', 'fieldManager', 'fieldValidation', 'force'])
})

test('openapi: a resource without verbs has no path, and a cluster-scoped one no namespace', () => {
  const few: DescribableRoutes = { ...routes, of: () => ['get'], ofSubresources: () => [['status', []]] }
  const api = { resources: [beacons('v1', { scope: 'Cluster', typed: true })] }
  const document = read(createOpenApi(api, few, turn), 'apis/example.dev/v1')
  assert.deepEqual(Object.keys(document.paths), [
    '/apis/example.dev/v1/',
    '/apis/example.dev/v1/beacons/{name}',
  ])
  assert.equal(document.info.title, 'Kubernetes')
})

test('openapi: only documents of what has changed are made anew', async () => {
  const [kept, old] = [beacons('v1'), beacons('v2')]
  let resources: readonly DescribableResource[] = [kept, old]
  const openApi = createOpenApi(
    {
      get resources() {
        return resources
      },
    },
    routes,
    turn,
  )
  const index = await openApi.index()
  const [first, second] = [openApi.document('apis/example.dev/v1'), openApi.document('apis/example.dev/v2')]
  assert.equal(await openApi.index(), index)
  resources = [kept, beacons('v2', { scope: 'Cluster' })]
  assert.equal(openApi.document('apis/example.dev/v1'), first)
  assert.notEqual(openApi.document('apis/example.dev/v2')?.hash, second?.hash)
  assert.notEqual((await openApi.index()).hash, index.hash)
  resources = [kept]
  assert.equal(openApi.document('apis/example.dev/v2'), undefined)
})

test('openapi: versions of other servers are described by their documents, also if a CRD defines them', async () => {
  const body = Buffer.from('{"openapi":"3.0.0"}')
  const swagger = (title: string) =>
    Buffer.from(
      JSON.stringify({
        paths: { '/apis/example.dev/v2/beacons': { get: { responses: {} } } },
        definitions: { 'example.Beacon': { title } },
        parameters: { limit: { name: 'limit', in: 'query', type: 'integer' } },
      }),
    )
  const registered = (title: string) => [
    {
      ...{ group: 'example.dev', versionName: 'v2', groupPriority: 1, versionPriority: 1, isRemote: true },
      openApi: { document: { body, hash: 'ABC' }, swagger: swagger(title) },
    },
  ]
  const resources = [beacons('v1', { isCustom: true }), beacons('v2', { isCustom: true })]
  const api = { resources, registered: registered('one') }
  const openApi = createOpenApi(api, routes, turn)
  const shown = async () => JSON.parse(Buffer.from((await openApi.swagger('json')).body).toString())
  const { paths } = JSON.parse(Buffer.from((await openApi.index()).body).toString())
  assert.equal(paths['apis/example.dev/v2'].serverRelativeURL, '/openapi/v3/apis/example.dev/v2?hash=ABC')
  assert.equal(openApi.document('apis/example.dev/v2')?.body, body)
  const found = await shown()
  const ofVersion = Object.keys(found.paths).filter((path) => path.startsWith('/apis/example.dev/v2/'))
  assert.deepEqual(ofVersion, ['/apis/example.dev/v2/beacons'])
  assert.deepEqual(
    [found.definitions['example.Beacon'], found.parameters.limit.name],
    [{ title: 'one' }, 'limit'],
  )
  assert.ok(found.paths['/apis/example.dev/v1/beacons'])
  assert.ok((await openApi.swagger('protobuf')).body.length > 0)
  assert.equal(await openApi.swagger('json'), await openApi.swagger('json'), 'merged once')
  api.registered = registered('two')
  assert.deepEqual((await shown()).definitions['example.Beacon'], { title: 'two' })
})
