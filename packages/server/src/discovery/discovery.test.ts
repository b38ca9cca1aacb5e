import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageVersionHash } from '@strata/api'
import { createBuiltInHash } from './built-in-hash.ts'
import type { DiscoverableApi, DiscoverableResource, ServedVerbs } from './discoverable.ts'
import { createDiscovery } from './discovery.ts'

type Definition = DiscoverableResource['definition']

const served: ServedVerbs = {
  of: () => ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  ofSubresources: ({ definition: { kind } }: DiscoverableResource) =>
    kind === 'Gizmo'
      ? [
          ['scale', ['get', 'patch', 'update'], { group: 'autoscaling', version: 'v1', kind: 'Scale' }],
          ['status', ['get', 'patch', 'update']],
        ]
      : [],
}

function custom(apiVersion: string, kind = 'Gizmo', more: Partial<Definition> = {}): DiscoverableResource {
  const [group = '', versionName = ''] = apiVersion.split('/')
  const singular = kind.toLowerCase()
  const names = { kind, singular, plural: `${singular}s` }
  return {
    group,
    versionName,
    apiVersion,
    definition: { ...names, group, scope: 'Namespaced', isCustom: true, ...more },
    codec: { preferredVersion: `${group}/v1` },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
function read(bytes: Uint8Array | undefined): any {
  return JSON.parse(Buffer.from(bytes ?? []).toString())
}

const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

test('discovery: a custom kind says what upstream says of it', () => {
  const gizmos = custom('example.dev/v1', 'Gizmo', { shortNames: ['gz'], categories: ['all', 'shapes'] })
  const discovery = createDiscovery({ resources: [gizmos] }, served)
  const part = { singularName: '', namespaced: true, verbs: ['get', 'patch', 'update'] }
  assert.deepEqual(read(discovery.document('/apis/example.dev/v1')), {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'example.dev/v1',
    resources: [
      {
        name: 'gizmos',
        singularName: 'gizmo',
        namespaced: true,
        kind: 'Gizmo',
        verbs: customVerbs,
        shortNames: ['gz'],
        categories: ['all', 'shapes'],
        storageVersionHash: 'S3PPfgOB7Y0=',
      },
      { ...part, name: 'gizmos/status', kind: 'Gizmo' },
      { ...part, name: 'gizmos/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' },
    ],
  })
  const responseKind = { group: 'example.dev', version: 'v1', kind: 'Gizmo' }
  const verbs = ['get', 'patch', 'update']
  assert.deepEqual(read(discovery.aggregated('apis', 'v2').body), {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: [
      {
        metadata: { name: 'example.dev' },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'gizmos',
                responseKind,
                scope: 'Namespaced',
                singularResource: 'gizmo',
                verbs: customVerbs,
                shortNames: ['gz'],
                categories: ['all', 'shapes'],
                subresources: [
                  { subresource: 'status', responseKind, verbs },
                  {
                    subresource: 'scale',
                    responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                    verbs,
                  },
                ],
              },
            ],
            freshness: 'Current',
          },
        ],
      },
    ],
  })
  assert.deepEqual(read(discovery.aggregated('api', 'v2').body).items, [])
})

const shown: ReadonlyArray<[name: string, more: Partial<Definition>, want: Record<string, unknown>]> = [
  ['no list of names is shown that is empty', { shortNames: [], categories: [] }, {}],
  ['a question is not stored', { isReview: true }, { storageVersionHash: undefined }],
  ['other kinds have their verbs by the alphabet', { isCustom: false }, { verbs: customVerbs.toSorted() }],
]
for (const [name, more, want] of shown) {
  test(`discovery: ${name}`, () => {
    const discovery = createDiscovery({ resources: [custom('example.dev/v1', 'Thing', more)] }, served)
    const [found] = read(discovery.document('/apis/example.dev/v1')).resources
    const whole = {
      name: 'things',
      singularName: 'thing',
      namespaced: true,
      kind: 'Thing',
      verbs: customVerbs,
      storageVersionHash: 'eBvyBVNxfQA=',
      ...want,
    }
    assert.deepEqual(found, JSON.parse(JSON.stringify(whole)))
  })
}

test('discovery: a kind that goes takes no more writes', () => {
  const ending = { ...custom('example.dev/v1', 'Thing'), isTerminating: true }
  const [found] = read(
    createDiscovery({ resources: [ending] }, served).document('/apis/example.dev/v1'),
  ).resources
  assert.deepEqual(found.verbs, ['delete', 'deletecollection', 'get', 'list', 'watch'])
})

test('discovery: the hash is that of the stored version, served or not, unless it is switched off', () => {
  const api = { resources: [custom('example.dev/v2', 'Thing'), custom('example.dev/v3', 'Thing')] }
  for (const versionName of ['v2', 'v3']) {
    const hashOf = (on: boolean): unknown =>
      read(
        createDiscovery(api, served, { storageVersionHashes: on }).document(
          `/apis/example.dev/${versionName}`,
        ),
      ).resources[0].storageVersionHash
    assert.deepEqual([hashOf(true), hashOf(false)], ['eBvyBVNxfQA=', undefined])
  }
})

test('discovery: groups and versions are in the order of their priorities', () => {
  const builtIn = (apiVersion: string): DiscoverableResource => custom(apiVersion, 'Own', { isCustom: false })
  const names = ['b.dev/v1alpha1', 'b.dev/v1', 'b.dev/v2beta1', 'a.dev/v1beta1', 'c.dev/v1', 'apps/v9']
  const resources = [...names.map((name) => custom(name)), builtIn('apps/v1'), builtIn('batch/v1')]
  const discovery = createDiscovery({ resources }, served)
  const versionsOf = ({ name, versions }: { name: string; versions: { version: string }[] }): string =>
    [name, ...versions.map(({ version }) => version)].join(' ')
  assert.deepEqual(read(discovery.document('/apis')).groups.map(versionsOf), [
    'apps v1 v9',
    'batch v1',
    'b.dev v1 v2beta1 v1alpha1',
    'c.dev v1',
    'a.dev v1beta1',
  ])
  const { items } = read(discovery.aggregated('apis', 'v2').body)
  assert.deepEqual(
    // biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
    items.map(({ metadata: { name }, versions }: any) => versionsOf({ name, versions })),
    ['apps v1 v9', 'batch v1', 'a.dev v1beta1', 'b.dev v1 v2beta1 v1alpha1', 'c.dev v1'],
  )
  const { preferredVersion } = read(discovery.document('/apis/b.dev'))
  assert.deepEqual(preferredVersion, { groupVersion: 'b.dev/v1', version: 'v1' })
})

test('discovery: registered versions are listed by their priorities, and not described', () => {
  const registered = (name: string, groupPriority: number, versionPriority: number, isRemote: boolean) => {
    const [group = '', versionName = ''] = name.split('/')
    return { group, versionName, groupPriority, versionPriority, isRemote }
  }
  const mine = ['b.dev/v1', 'b.dev/v2', 'c.dev/v1'].map((name) => custom(name))
  const api: DiscoverableApi = {
    resources: mine,
    registered: [
      registered('b.dev/v3', 900, 200, true),
      registered('b.dev/v4', 900, 50, false),
      registered('c.dev/v1', 5, 5, true),
      registered('a.dev/v1', 2_000, 10, true),
      { ...registered('a.dev/v2', 2_000, 5, true), resources: [{ resource: 'things' }] },
      { ...registered('a.dev/v3', 2_000, 1, true), resources: [] },
      registered('d.dev/v1', 10, 10, false),
    ],
  }
  const discovery = createDiscovery(api, served)
  const { groups } = read(discovery.document('/apis'))
  const shown = groups.map(({ name, versions }: { name: string; versions: { version: string }[] }) =>
    [name, ...versions.map(({ version }) => version)].join(' '),
  )
  assert.deepEqual(shown, ['a.dev v1 v2 v3', 'b.dev v3 v2 v1 v4', 'c.dev v1', 'd.dev v1'])
  assert.equal(discovery.document('/apis/b.dev/v3'), undefined)
  assert.equal(discovery.document('/apis/c.dev/v1'), undefined, 'another server is said to have it')
  const { items } = read(discovery.aggregated('apis', 'v2').body)
  // biome-ignore lint/suspicious/noExplicitAny: a document is read as it is.
  const listed = items.map(({ metadata, versions }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    [metadata.name, ...versions.map((each: any) => `${each.version}=${each.freshness}`)].join(' '),
  )
  assert.deepEqual(items[0].versions[1].resources, [{ resource: 'things' }])
  assert.deepEqual(listed, [
    'a.dev v1=Stale v2=Current v3=Current',
    'b.dev v3=Stale v2=Current v1=Current',
    'c.dev v1=Stale',
  ])
})

test('discovery: unchanged resources are not described again, and removed ones have no document', () => {
  const [kept, other] = [custom('example.dev/v1'), custom('example.dev/v2')]
  let resources: DiscoverableApi['resources'] = [kept, other]
  let described = 0
  const counting: ServedVerbs = {
    ...served,
    of: (resource) => {
      described += 1
      return served.of(resource)
    },
  }
  const discovery = createDiscovery(
    {
      get resources() {
        return resources
      },
    },
    counting,
  )
  const before = discovery.document('/apis/example.dev/v1')
  const { etag } = discovery.aggregated('apis', 'v2')
  assert.ok(discovery.document('/apis/example.dev/v2'))
  described = 0

  resources = [custom('other.dev/v1'), kept, other]
  assert.equal(discovery.document('/apis/example.dev/v1'), before)
  assert.notEqual(discovery.aggregated('apis', 'v2').etag, etag)
  assert.equal(described, 1)

  resources = [kept]
  assert.equal(discovery.document('/apis/example.dev/v1'), before)
  assert.equal(discovery.document('/apis/example.dev/v2'), undefined)
  assert.deepEqual(discovery.paths(), ['/api', '/apis', '/apis/example.dev', '/apis/example.dev/v1'])
})

test('discovery: the hash follows the written version, and nothing else is made again', () => {
  let written = 'example.dev/v1'
  const [things, others] = [custom('example.dev/v1', 'Thing', { isCustom: false }), custom('other.dev/v1')]
  const options = {
    storageVersionHashes: true,
    encodingVersionOf: (resource: DiscoverableResource) =>
      resource === things ? written : resource.codec.preferredVersion,
  }
  const discovery = createDiscovery({ resources: [things, others] }, served, options)
  const hashOf = (): string =>
    read(discovery.document('/apis/example.dev/v1')).resources[0].storageVersionHash
  const [other, list] = [discovery.document('/apis/other.dev/v1'), discovery.document('/apis')]
  const aggregated = discovery.aggregated('apis', 'v2')
  assert.equal(hashOf(), storageVersionHash('example.dev/v1', 'Thing'))
  assert.equal(discovery.document('/apis/example.dev/v1'), discovery.document('/apis/example.dev/v1'))
  written = 'example.dev/v2'
  assert.equal(hashOf(), storageVersionHash('example.dev/v2', 'Thing'))
  assert.equal(discovery.document('/apis/other.dev/v1'), other)
  assert.equal(discovery.document('/apis'), list)
  assert.equal(discovery.aggregated('apis', 'v2'), aggregated)
})

const hashed: ReadonlyArray<
  [name: string, resources: readonly DiscoverableResource[], isSame: boolean, written?: string]
> = (() => {
  const own = custom('example.dev/v1', 'Thing', { isCustom: false })
  return [
    ['the same resources', [own], true],
    ['a resource of the same words', [custom('example.dev/v1', 'Thing', { isCustom: false })], true],
    ['a custom kind more', [own, custom('other.dev/v1')], true],
    ['a custom kind more in the same group', [own, custom('example.dev/v1', 'Gizmo')], true],
    ['another version', [own, custom('example.dev/v2', 'Thing', { isCustom: false })], false],
    [
      'another short name',
      [custom('example.dev/v1', 'Thing', { isCustom: false, shortNames: ['t'] })],
      false,
    ],
    ['another version is written', [own], false, 'example.dev/v2'],
    ['nothing', [], false],
  ]
})()
for (const [name, resources, isSame, written] of hashed) {
  test(`hash of built-in resources: ${name}`, () => {
    const before = [custom('example.dev/v1', 'Thing', { isCustom: false })]
    let now: readonly DiscoverableResource[] = before
    let encodingVersion = 'example.dev/v1'
    const options = { storageVersionHashes: true, encodingVersionOf: () => encodingVersion }
    const api = {
      get resources() {
        return now
      },
    }
    const hash = createBuiltInHash(api, served, options)
    const first = hash()
    now = resources
    encodingVersion = written ?? encodingVersion
    assert.equal(hash() === first, isSame)
    now = before
    encodingVersion = 'example.dev/v1'
    assert.equal(hash(), first)
  })
}
