import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps } from '@strata/api'
import { type HttpRequest, type HttpResponse, utf8 } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { type Client, createClient } from './client.ts'
import { createInformer } from './informer.ts'

const { signal } = new AbortController()

/** A client of a server that sends these documents, by the start of the target. */
function serving(answers: Readonly<Record<string, unknown>>): Client {
  const transport = async ({ target }: HttpRequest): Promise<HttpResponse> => {
    const found = answers[target] ?? answers[target.split('?')[0] ?? '']
    assert.ok(found, target)
    return { status: 200, headers: {}, body: utf8.encode(`${JSON.stringify(found)}\n`) }
  }
  return createClient({ transport })
}

const path = '/api/v1/configmaps'
const maps = (client: Client) => client.resource(configMaps, 'v1')
const listed = (items: unknown) => ({ kind: 'List', metadata: { resourceVersion: '7' }, items })
const one = { namespace: 'n', name: 'o' }

const objectAnswer = (object: unknown) => ({ '/api/v1/namespaces/n/configmaps/o': object })

/** What a Go server sends, and what a caller of the client reads. */
const cases: readonly {
  readonly name: string
  readonly answers: Readonly<Record<string, unknown>>
  readonly read: (client: Client) => Promise<unknown>
  readonly gives: unknown
}[] = [
  {
    name: 'an empty list',
    answers: { [path]: listed(null) },
    read: async (client) => (await maps(client).list({}, signal)).items,
    gives: [],
  },
  {
    name: 'an empty list of metadata',
    answers: { [path]: listed(null) },
    read: async (client) => (await client.metadata(maps(client).address).list({}, signal)).items,
    gives: [],
  },
  {
    name: 'an empty page',
    answers: { [path]: listed(null) },
    read: async (client) => (await maps(client).listPage({ limit: 5 }, signal)).items,
    gives: [],
  },
  {
    name: 'an object in a list',
    answers: { [path]: listed([{ metadata: { name: 'a', finalizers: null } }]) },
    read: async (client) => (await maps(client).list({}, signal)).items,
    gives: [{ metadata: { name: 'a' } }],
  },
  {
    name: 'metadata',
    answers: objectAnswer({ metadata: { name: 'o', creationTimestamp: null, labels: null } }),
    read: (client) => maps(client).get(one, signal),
    gives: { metadata: { name: 'o' } },
  },
  {
    name: 'a ClusterRole without rules',
    answers: objectAnswer({ metadata: {}, rules: null }),
    read: (client) => maps(client).get(one, signal),
    gives: { metadata: {}, rules: [] },
  },
  {
    name: 'a new CustomResourceDefinition',
    answers: objectAnswer({ metadata: {}, status: { conditions: null, storedVersions: null } }),
    read: (client) => maps(client).get(one, signal),
    gives: { metadata: {}, status: { conditions: [], storedVersions: [] } },
  },
  {
    name: 'fields of a custom resource, which may be sent back, keep their null',
    answers: objectAnswer({ metadata: {}, spec: { conditions: null, items: null }, extra: null }),
    read: (client) => maps(client).get(one, signal),
    gives: { metadata: {}, spec: { conditions: null, items: null }, extra: null },
  },
  {
    name: 'an event of a watch',
    answers: { [path]: { type: 'ADDED', object: { metadata: { finalizers: null }, rules: null } } },
    read: async (client) => {
      for await (const event of maps(client).watch({}, signal)) return event
      return undefined
    },
    gives: { type: 'ADDED', object: { metadata: {}, rules: [] } },
  },
  {
    name: 'legacy discovery without groups and versions',
    answers: {
      '/api': { kind: 'APIVersions', versions: null },
      '/apis': { kind: 'APIGroupList', groups: null },
    },
    read: (client) => client.discover(signal),
    gives: { resources: [], failures: [] },
  },
  {
    name: 'legacy discovery of groups without versions, resources, verbs and names',
    answers: {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [
          { name: 'g', versions: null, preferredVersion: null },
          { name: 'h', versions: [{ version: 'v1' }] },
        ],
      },
      '/api/v1': { resources: null },
      '/apis/h/v1': {
        resources: [
          { name: 'x', kind: 'X', namespaced: true, verbs: null, shortNames: null, categories: null },
        ],
      },
    },
    read: (client) => client.discover(signal),
    gives: {
      resources: [{ group: 'h', versionName: 'v1', resource: 'x', kind: 'X', namespaced: true, verbs: [] }],
      failures: [],
    },
  },
  {
    name: 'aggregated discovery',
    answers: {
      '/api': { kind: 'APIGroupDiscoveryList', items: null },
      '/apis': {
        kind: 'APIGroupDiscoveryList',
        items: [
          { metadata: { name: 'g' }, versions: null },
          {
            metadata: { name: 'h', creationTimestamp: null },
            versions: [
              { version: 'v2', resources: null },
              {
                version: 'v1',
                resources: [
                  {
                    ...{ resource: 'x', responseKind: null, scope: 'Cluster', verbs: null },
                    ...{ shortNames: null, subresources: null },
                  },
                ],
              },
            ],
          },
        ],
      },
    },
    read: (client) => client.discover(signal),
    gives: {
      resources: [{ group: 'h', versionName: 'v1', resource: 'x', kind: '', namespaced: false, verbs: [] }],
      failures: [],
    },
  },
  {
    name: 'the document of a group',
    answers: { '/apis/g': { kind: 'APIGroup', name: 'g', versions: null, preferredVersion: null } },
    read: (client) => client.discoverGroup('g', signal),
    gives: { resources: [], failures: [] },
  },
  {
    name: 'the document of a group version',
    answers: { '/apis/g/v1': { kind: 'APIResourceList', resources: null } },
    read: (client) => client.apiResources({ group: 'g', versionName: 'v1' }, signal),
    gives: [],
  },
]

for (const { name, answers, read, gives } of cases) {
  test(`client: null of a Go server: ${name}`, async () => {
    assert.deepEqual(await read(serving(answers)), gives)
  })
}

test('client: an informer syncs with the empty list of a Go server', async () => {
  const simulation = new Simulation('empty')
  const stop = new AbortController()
  const informer = createInformer(maps(serving({ [path]: listed(null) })), {
    world: simulation.process('client'),
  })
  const running = informer.run(stop.signal)
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  assert.deepEqual([informer.synced, informer.store.size], [true, 0])
  stop.abort()
  await running
})
