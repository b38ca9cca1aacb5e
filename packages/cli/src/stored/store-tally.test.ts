import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionFacts } from './definition-facts.ts'
import { placeOf } from './key-place.ts'
import { readValue } from './read-value.ts'
import { StoreTally } from './store-tally.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const object = (apiVersion: string, kind: string, more: object = {}): Buffer =>
  bytes(JSON.stringify({ apiVersion, kind, metadata: { name: 'a' }, ...more }))

const places: readonly [key: string, prefix: string | undefined, resource?: string][] = [
  ['pods/default/a', 'pods', 'pods.'],
  ['services/specs/default/a', 'services/specs', 'services.'],
  ['services/endpoints/default/a', 'services/endpoints', 'endpoints.'],
  ['minions/a', 'minions', 'nodes.'],
  ['light.example.dev/lamps/default/a', 'light.example.dev/lamps', 'lamps.light.example.dev'],
  [
    'apiregistration.k8s.io/apiservices/v1.apps',
    'apiregistration.k8s.io/apiservices',
    'apiservices.apiregistration.k8s.io',
  ],
  ['deployments/default/a', 'deployments'],
  ['ranges/serviceips', undefined],
  ['masterleases/10.0.0.1', undefined],
  ['strata.dev/ticks/a', undefined],
  ['health', undefined],
  ['light.example.dev/lamps', undefined],
]
for (const [key, prefix, resource] of places) {
  test(`place of ${key}`, () => {
    const place = placeOf(key)
    assert.equal(place?.prefix, prefix)
    assert.equal(place?.resource && `${place.resource.resource}.${place.resource.group}`, resource)
  })
}

const values: readonly [name: string, value: Buffer, want: object][] = [
  ['JSON of kube-apiserver', object('apps/v1', 'A'), { form: 'json', apiVersion: 'apps/v1', kind: 'A' }],
  [
    'JSON of Strata',
    bytes('{"kind":"A","apiVersion":"v1","metadata":{}}'),
    { form: 'json', apiVersion: 'v1', kind: 'A' },
  ],
  [
    'JSON in another order',
    bytes('{"metadata":{},"kind":"A","apiVersion":"v1"}'),
    { form: 'json', apiVersion: 'v1', kind: 'A' },
  ],
  [
    'protobuf',
    bytes('k8s\0\n\r\n\x07apps/v1\x12\x02De'),
    { form: 'protobuf', apiVersion: 'apps/v1', kind: 'De' },
  ],
  [
    'an encrypted value',
    bytes('k8s:enc:aesgcm:v1:key1:\x01\x02'),
    { form: 'encrypted', key: 'aesgcm:v1:key1' },
  ],
  ['a value of a KMS', bytes('k8s:enc:kms:v2:vault:\x01'), { form: 'encrypted', key: 'kms:v2:vault' }],
  ['an encrypted value that is cut off', bytes('k8s:enc:aes'), { form: 'encrypted', key: '' }],
]
for (const [name, value, want] of values) {
  test(`stored value: ${name}`, () => assert.deepEqual(readValue(value), want))
}
for (const damaged of [
  '',
  'text',
  'null',
  '{}',
  '{"apiVersion":7}',
  'k8s\0',
  'k8s\0\n\xff',
  'k8s\0\n\x02\n\0',
]) {
  test(`stored value: ${JSON.stringify(damaged)} is unreadable`, () =>
    assert.equal(readValue(bytes(damaged)).form, 'unreadable'))
}

async function tallied(
  entries: readonly (readonly [key: string, value: Buffer])[],
  options: object = {},
): Promise<StoreTally> {
  const tally = new StoreTally({ root: '/registry', ...options })
  for (const [key, value] of entries) await tally.add({ key, value })
  return tally
}

const summary = (tally: StoreTally): readonly string[] =>
  tally.resources().map(({ group, resource, identifiedBy, count, parts }) => {
    const shown = parts.map(({ apiVersion, key, count: each }) => `${apiVersion ?? key}×${each}`).join(' ')
    return `${resource}.${group} (${identifiedBy}): ${count}, ${shown}`
  })

test('tally: resources are named by their keys, and where that is not enough by what is stored', async () => {
  const sealed = bytes('k8s:enc:secretbox:v1:k:x')
  const entries = [
    ['/registry/deployments/a/a', object('apps/v1', 'Deployment')],
    ['/registry/deployments/a/b', object('extensions/v1beta1', 'Deployment')],
    ['/registry/deployments/a/c', object('apps/v1', 'Deployment')],
    ['/registry/light.example.dev/lamps/a/a', object('light.example.dev/v1', 'Lamp')],
    ['/registry/secrets/a/a', sealed],
    ['/registry/ingress/a/a', sealed],
    ['/registry/jobs/a/a', sealed],
    ['/registry/ranges/serviceips', bytes('k8s\0')],
    ['/calico/resources/a', bytes('{}')],
  ] as const
  const served = [{ group: 'networking.k8s.io', resource: 'ingresses' }]
  const tally = await tallied(entries, { served })
  assert.deepEqual(summary(tally), [
    'deployments.apps (key and stored apiVersion): 3, apps/v1×2 extensions/v1beta1×1',
    'ingresses.networking.k8s.io (key): 1, secretbox:v1:k×1',
    'jobs. (key, group unknown): 1, secretbox:v1:k×1',
    'lamps.light.example.dev (key): 1, light.example.dev/v1×1',
    'secrets. (key): 1, secretbox:v1:k×1',
  ])
  assert.deepEqual([tally.entries, [...tally.otherRoots]], [7, ['/calico']])
})

test('tally: another prefix', async () => {
  const tally = await tallied([['/k8s/prod/pods/a/a', object('v1', 'Pod')]], { root: 'k8s/prod/' })
  assert.deepEqual(summary(tally), ['pods. (key): 1, v1×1'])
})

test('tally: uids of namespaces and CRDs, in JSON and protobuf; the permanent namespaces also among many', async () => {
  const named = (uid: string) => object('v1', 'Namespace', { metadata: { uid } })
  const message = 'k8s\0\n\x0f\n\x02v1\x12\tNamespace\x12\x07\n\x05*\x03abc'
  const many = Array.from({ length: 30 }, (_, at) => [`/registry/namespaces/a-${at}`, named('x')] as const)
  const definition = '/registry/apiextensions.k8s.io/customresourcedefinitions/as.g.dev'
  const { signs } = await tallied([
    ...many,
    ['/registry/namespaces/default', named('def')],
    ['/registry/namespaces/kube-system', bytes(message)],
    [definition, object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { metadata: { uid: 'c' } })],
  ])
  assert.deepEqual([signs.namespaces.get('default'), signs.namespaces.get('kube-system')], ['def', 'abc'])
  assert.deepEqual([...signs.definitions], [['as.g.dev', 'c']])
  assert.equal(signs.namespaces.size, 22)
})

test('tally: of encrypted objects a sign is seen only if they can be opened', async () => {
  const sealed = bytes('k8s:enc:secretbox:v1:k:x')
  const plain = object('v1', 'Namespace', { metadata: { uid: 'abc' } })
  const entries = [['/registry/namespaces/kube-system', sealed]] as const
  const openSealed = () => ({ read: readValue(plain), plain })
  assert.equal((await tallied(entries)).signs.namespaces.size, 0)
  assert.equal((await tallied(entries, { openSealed })).signs.namespaces.get('kube-system'), 'abc')
})

test('tally: CRDs in the store are kept without their schemas', async () => {
  const spec = { group: 'g.dev', names: { plural: 'as', kind: 'A' }, scope: 'Cluster', version: 'v1' }
  const crd = object('apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', {
    spec,
    status: { storedVersions: ['v1'] },
  })
  const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/as.g.dev'
  const { definitions } = await tallied([
    [key, crd],
    [`${key}2`, bytes('{"apiVersion":"x","kind":"y"')],
  ])
  assert.deepEqual(definitions, [
    {
      ...{
        group: 'g.dev',
        resource: 'as',
        kind: 'A',
        namespaced: false,
        conversion: 'None',
        storedVersions: ['v1'],
      },
      versions: [{ name: 'v1', served: true, storage: true, deprecated: false }],
    },
  ])
})

const service = { clientConfig: { service: { namespace: 'a', name: 'b' } } }
const conversions: readonly [
  name: string,
  conversion: object | undefined,
  want: readonly (string | undefined)[],
][] = [
  ['none', undefined, ['None', undefined]],
  ['a service', { strategy: 'Webhook', webhook: service }, ['Webhook', 'service a/b']],
  [
    'a URL',
    { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' } } },
    ['Webhook', 'https://a'],
  ],
  ['v1beta1', { strategy: 'Webhook', webhookClientConfig: { url: 'https://a' } }, ['Webhook', 'https://a']],
]
for (const [name, conversion, want] of conversions) {
  test(`CRD in the store: conversion: ${name}`, () => {
    const spec = {
      group: 'g.dev',
      names: { plural: 'as' },
      versions: [],
      ...(conversion ? { conversion } : {}),
    }
    const facts = definitionFacts({ spec })
    assert.deepEqual([facts?.conversion, facts?.webhook], want)
  })
}
for (const strange of [undefined, null, 7, {}, { spec: 7 }, { spec: { names: [] } }]) {
  test(`CRD in the store: ${JSON.stringify(strange)} is none`, () =>
    assert.equal(definitionFacts(strange), undefined))
}
