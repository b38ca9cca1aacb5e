import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '@strata/api'
import type { DescribableResource, DescribableRoutes } from './describable.ts'
import { createOpenApi, type OpenApi } from './openapi.ts'

const routes: DescribableRoutes = {
  of: () => ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  ofSubresources: () => [
    ['scale', ['get', 'patch', 'update'], { group: 'autoscaling', version: 'v1', kind: 'Scale' }],
    ['status', ['get', 'patch', 'update']],
  ],
  patchTypesOf: () => [
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ],
  schemaOfPart: () => ({ type: 'object' }),
}

const schema: Schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } },
}

function custom(
  group: string,
  more: Partial<DescribableResource['definition']> = {},
  versionName = 'v1',
): DescribableResource {
  return {
    group,
    versionName,
    apiVersion: `${group}/${versionName}`,
    definition: {
      kind: 'Gizmo',
      listKind: 'GizmoList',
      plural: 'gizmos',
      scope: 'Namespaced',
      isCustom: true,
      versions: { [versionName]: { schema } },
      ...more,
    },
  }
}

function serving(first: readonly DescribableResource[]): {
  api: { resources: typeof first }
  openApi: OpenApi
} {
  const api = { resources: first }
  return { api, openApi: createOpenApi(api, routes, turn) }
}

const turn = async (): Promise<void> => {}

// biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
function read(document: { body: Uint8Array } | undefined): any {
  return JSON.parse(Buffer.from(document?.body ?? []).toString())
}

const root = '/apis/example.dev/v1/namespaces/{namespace}/gizmos'
const key = 'apis/example.dev/v1'

test('custom openapi: operations are those of upstream', () => {
  const { openApi } = serving([custom('example.dev')])
  const { info, paths } = read(openApi.document(key))
  assert.deepEqual(info, { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' })
  type Operation = Record<string, unknown> & { parameters?: { name: string }[]; description: string }
  const shown = Object.entries<Record<string, Operation>>(paths).flatMap(
    ([path, { parameters, ...operations }]) => [
      `${path} ? ${(parameters as unknown as { name: string }[]).map(({ name }) => name).join()}`,
      ...Object.entries(operations).map(
        ([method, each]) =>
          `${method} ${each.description} ? ${each.parameters?.map(({ name }) => name).join() ?? ''}`,
      ),
    ],
  )
  const listing =
    'allowWatchBookmarks,continue,fieldSelector,labelSelector,limit,resourceVersion,resourceVersionMatch,sendInitialEvents,timeoutSeconds,watch'
  assert.deepEqual(shown, [
    '/apis/example.dev/v1/gizmos ? allowWatchBookmarks,continue,fieldSelector,labelSelector,limit,pretty,resourceVersion,resourceVersionMatch,sendInitialEvents,timeoutSeconds,watch',
    'get list objects of kind Gizmo ? ',
    `${root} ? namespace,pretty`,
    `get list objects of kind Gizmo ? ${listing}`,
    'post create a Gizmo ? dryRun,fieldManager,fieldValidation',
    `delete delete collection of Gizmo ? ${listing}`,
    `${root}/{name} ? name,namespace,pretty`,
    'get read the specified Gizmo ? resourceVersion',
    'put replace the specified Gizmo ? dryRun,fieldManager,fieldValidation',
    'delete delete a Gizmo ? dryRun,gracePeriodSeconds,orphanDependents,propagationPolicy',
    'patch partially update the specified Gizmo ? dryRun,fieldManager,fieldValidation,force',
    `${root}/{name}/scale ? name,namespace,pretty`,
    'get read scale of the specified Gizmo ? resourceVersion',
    'put replace scale of the specified Gizmo ? dryRun,fieldManager,fieldValidation',
    'patch partially update scale of the specified Gizmo ? dryRun,fieldManager,fieldValidation,force',
    `${root}/{name}/status ? name,namespace,pretty`,
    'get read status of the specified Gizmo ? resourceVersion',
    'put replace status of the specified Gizmo ? dryRun,fieldManager,fieldValidation',
    'patch partially update status of the specified Gizmo ? dryRun,fieldManager,fieldValidation,force',
  ])
})

test('custom openapi: bodies, answers and kinds are those of upstream', () => {
  const { paths } = read(serving([custom('example.dev')]).openApi.document(key))
  const both = ['application/json', 'application/yaml']
  const gizmo = { group: 'example.dev', version: 'v1', kind: 'Gizmo' }
  // biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
  const summary = (operation: any): unknown => [
    Object.keys(operation.requestBody?.content ?? {}),
    Object.keys(operation.responses),
    Object.keys(operation.responses[200].content),
  ]
  const { get: list, post, delete: deleteAll } = paths[root]
  const { get, put, patch, delete: deletion } = paths[`${root}/{name}`]
  assert.deepEqual(summary(list), [[], ['200', '401'], both])
  assert.deepEqual(summary(post), [both, ['200', '201', '202', '401'], both])
  assert.deepEqual(summary(deleteAll), [[], ['200', '401'], both])
  assert.deepEqual(summary(get), [[], ['200', '401'], both])
  assert.deepEqual(summary(put), [both, ['200', '201', '401'], both])
  assert.deepEqual(summary(deletion), [both, ['200', '202', '401'], both])
  assert.deepEqual(summary(patch), [routes.patchTypesOf(undefined), ['200', '401'], both])
  const scale = paths[`${root}/{name}/scale`].get
  assert.deepEqual(
    [get, scale].map((each) => each['x-kubernetes-group-version-kind']),
    [gizmo, gizmo],
  )
  assert.deepEqual(scale.responses[200].content['application/json'].schema, {
    $ref: '#/components/schemas/io.k8s.api.autoscaling.v1.Scale',
  })
})

test('custom openapi: a document has the kind, its lists and what they refer to', () => {
  const { openApi } = serving([custom('example.dev', { selectableFields: ['spec.size'] })])
  const { schemas } = read(openApi.document(key)).components
  const names = Object.keys(schemas).map((name) => name.replace('io.k8s.apimachinery.pkg.apis.meta.v1.', ''))
  assert.deepEqual(names, [
    'dev.example.v1.Gizmo',
    'dev.example.v1.GizmoList',
    'io.k8s.api.autoscaling.v1.Scale',
    'DeleteOptions',
    'FieldsV1',
    'ListMeta',
    'ManagedFieldsEntry',
    'ObjectMeta',
    'OwnerReference',
    'Patch',
    'Preconditions',
    'Status',
    'StatusCause',
    'StatusDetails',
    'Time',
  ])
  const { properties, ...rest } = schemas['dev.example.v1.Gizmo']
  assert.deepEqual(rest, {
    type: 'object',
    'x-kubernetes-group-version-kind': [{ group: 'example.dev', kind: 'Gizmo', version: 'v1' }],
    'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.size' }],
  })
  assert.deepEqual(properties.spec, schema.properties?.['spec'])
  assert.deepEqual(properties.metadata.allOf, [
    { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
  ])
  const list = schemas['dev.example.v1.GizmoList']
  assert.deepEqual(list.properties.items.items, { $ref: '#/components/schemas/dev.example.v1.Gizmo' })
  assert.deepEqual(list['x-kubernetes-selectable-fields'], [{ fieldPath: 'spec.size' }])
})

test('custom openapi: v2 has the same paths, and kinds in its own words', async () => {
  const swagger = await serving([custom('example.dev'), custom('other.dev')]).openApi.swagger('json')
  const { paths, definitions } = read(swagger)
  assert.deepEqual(
    Object.keys(paths).filter((path) => path.includes('example.dev')),
    ['/apis/example.dev/v1/gizmos', root, `${root}/{name}`, `${root}/{name}/scale`, `${root}/{name}/status`],
  )
  assert.deepEqual(paths[`${root}/{name}`].get.consumes, ['application/json', 'application/yaml'])
  const { spec, metadata } = definitions['dev.example.v1.Gizmo'].properties
  assert.deepEqual(spec, { type: 'object', properties: { size: { type: 'integer' } } })
  assert.equal(metadata.$ref, '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
  const text = JSON.stringify(definitions) + JSON.stringify(paths)
  for (const [, name = ''] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) assert.ok(definitions[name], name)
})

test('custom openapi: a group of custom kinds has no document of its own', async () => {
  const { openApi } = serving([custom('example.dev'), custom('old.dev', { isCustom: false })])
  const known = Object.keys(read(await openApi.index()).paths)
  assert.deepEqual(known, ['api', 'apis', key, 'apis/old.dev', 'apis/old.dev/v1', 'version'])
  assert.equal(openApi.document('apis/example.dev'), undefined)
})

const hashIn = async (openApi: OpenApi, of = key): Promise<string> =>
  read(await openApi.index()).paths[of].serverRelativeURL

test('custom openapi: what a document is called is known before it is made, on every server', async () => {
  const one = serving([custom('example.dev'), custom('other.dev')]).openApi
  const copy: Schema = structuredClone(schema)
  const two = serving([
    custom('other.dev'),
    custom('example.dev', { versions: { v1: { schema: copy } } }),
  ]).openApi
  assert.equal(await hashIn(one), await hashIn(two))
  assert.equal(await hashIn(one), `/openapi/v3/${key}?hash=${one.document(key)?.hash}`)
  assert.match(one.document(key)?.hash ?? '', /^[0-9A-F]{128}$/)
  assert.notEqual(one.document(key)?.hash, one.document('apis/other.dev/v1')?.hash)
})

const differences: ReadonlyArray<[name: string, more: Partial<DescribableResource['definition']>]> = [
  ['its schema', { versions: { v1: { schema: { ...schema, description: 'A gizmo.' } } } }],
  ['its scope', { scope: 'Cluster' }],
  ['its names', { plural: 'gizmoes' }],
  ['its fields for selectors', { selectableFields: ['spec.size'] }],
]
for (const [name, more] of differences) {
  test(`custom openapi: a document is called something else when the kind changes ${name}`, async () => {
    const { api, openApi } = serving([custom('example.dev'), custom('other.dev')])
    const before = [await hashIn(openApi), await hashIn(openApi, 'apis/other.dev/v1')]
    api.resources = [custom('example.dev', more), ...api.resources.slice(1)]
    const after = [await hashIn(openApi), await hashIn(openApi, 'apis/other.dev/v1')]
    assert.notEqual(after[0], before[0])
    assert.equal(after[1], before[1])
  })
}

test('custom openapi: kinds that come and go leave the rest of v2 as it was', async () => {
  const { api, openApi } = serving([custom('example.dev')])
  const [json, protobuf] = [await openApi.swagger('json'), await openApi.swagger('protobuf')]
  const before = [Buffer.from(json.body), Buffer.from(protobuf.body)]
  api.resources = [...api.resources, custom('other.dev')]
  assert.ok(read(await openApi.swagger('json')).definitions['dev.other.v1.Gizmo'])
  assert.ok((await openApi.swagger('protobuf')).body.length > protobuf.body.length)
  api.resources = api.resources.slice(0, 1)
  assert.equal((await openApi.swagger('json')).hash, json.hash)
  assert.equal((await openApi.swagger('protobuf')).hash, protobuf.hash)
  assert.deepEqual([Buffer.from(json.body), Buffer.from(protobuf.body)], before)
})
