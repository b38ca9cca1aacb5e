import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdsUnknown } from '../machinery/carry-unknown.ts'
import { type ResourceDefinition, resourceAtRelease } from '../machinery/define-resource.ts'
import { applyDefaults } from '../machinery/schema.ts'
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from './custom-resource-definition.ts'
import { thingDefinition } from './definition-for-test.ts'
import { customResourceDefinitions } from './definition-resource.ts'
import { type StoredDefinition, storedDefinitionVersion } from './stored-definition.ts'

const { schema, toHub, fromHub } = storedDefinitionVersion

const store = (definition: CustomResourceDefinition): string => JSON.stringify(fromHub(definition))

function read(text: string): CustomResourceDefinition {
  const object = JSON.parse(text) as StoredDefinition
  applyDefaults(object, schema)
  storedDefinitionVersion.applyDefaults?.(object)
  return toHub(object)
}

const version = (
  name: string,
  more: Partial<CustomResourceDefinitionVersion> = {},
): CustomResourceDefinitionVersion => ({ name, served: true, storage: name === 'v1', ...more })

const open = { openAPIV3Schema: { type: 'object' } } as const
const closed = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } } as const
const columns = [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', priority: 1 }]
const wide = [...columns, { name: 'Kind', type: 'string', jsonPath: '.kind' }]
const scale = { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } }

const spec = (change: Partial<CustomResourceDefinition['spec']>): CustomResourceDefinition =>
  thingDefinition({ spec: change })

/** What is asked of every version of every kind: there and back is where one was. */
const roundTrips: Readonly<Record<string, CustomResourceDefinition>> = {
  'one version': thingDefinition(),
  'one with everything': spec({
    versions: [
      version('v1', {
        deprecated: true,
        deprecationWarning: 'old',
        schema: closed,
        subresources: { status: {}, ...scale },
        additionalPrinterColumns: wide,
        selectableFields: [{ jsonPath: '.spec.colour' }],
      }),
    ],
  }),
  'two that are alike': spec({
    versions: ['v1', 'v2'].map((name) =>
      version(name, { schema: closed, additionalPrinterColumns: columns, subresources: { status: {} } }),
    ),
  }),
  'two that differ in everything': spec({
    versions: [
      version('v1', { schema: open, additionalPrinterColumns: columns, subresources: { status: {} } }),
      version('v2', { schema: closed, additionalPrinterColumns: wide, subresources: scale }),
    ],
  }),
  'two of which one has nothing': spec({
    versions: [
      version('v1'),
      version('v2', { schema: closed, additionalPrinterColumns: wide, subresources: scale }),
    ],
  }),
  'alike in their schema alone': spec({
    versions: [
      version('v1', { schema: closed, subresources: scale }),
      version('v2', { schema: closed, additionalPrinterColumns: wide }),
    ],
  }),
  'a webhook by its service': spec({
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: {
          service: { namespace: 'n', name: 's', path: '/convert', port: 8443 },
          caBundle: 'eA==',
        },
        conversionReviewVersions: ['v1', 'v1beta1'],
      },
    },
  }),
  'a webhook by its address': spec({
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: { url: 'https://127.0.0.1/' }, conversionReviewVersions: ['v1'] },
    },
  }),
  'unknown fields preserved, as definitions from before v1 may say': spec({ preserveUnknownFields: true }),
  'no versions': spec({ versions: null }),
  'a status': thingDefinition({
    status: {
      storedVersions: ['v1', 'v2'],
      observedGeneration: 3,
      conditions: [
        { type: 'Established', status: 'True', lastTransitionTime: null, reason: 'InitialNamesAccepted' },
      ],
    },
  }),
}

for (const [name, definition] of Object.entries(roundTrips)) {
  test(`stored definition: ${name}: what is read is what was stored, and nothing in it is unknown`, () => {
    const before = structuredClone(definition)
    const text = store(definition)
    assert.deepEqual(definition, before)
    assert.deepEqual(read(text), definition)
    assert.equal(holdsUnknown(JSON.parse(text), schema), false)
    assert.equal(store(read(text)), store(read(store(read(text)))))
  })
}

test('stored definition: what versions have in common stands beside them, as kube-apiserver stores it', () => {
  const alike = roundTrips['two that are alike']
  assert.ok(alike)
  assert.deepEqual(JSON.parse(store(alike)).spec, {
    group: 'example.com',
    names: alike.spec.names,
    scope: 'Namespaced',
    version: 'v1',
    validation: closed,
    subresources: { status: {} },
    additionalPrinterColumns: [
      { name: 'Age', type: 'date', JSONPath: '.metadata.creationTimestamp', priority: 1 },
    ],
    versions: [
      { name: 'v1', served: true, storage: true },
      { name: 'v2', served: true, storage: false },
    ],
    conversion: { strategy: 'None' },
    preserveUnknownFields: false,
  })
})

test('stored definition: versions that had a schema in common do not share it once read', () => {
  const alike = roundTrips['two that are alike']
  assert.ok(alike)
  const [one, two] = read(store(alike)).spec.versions ?? []
  assert.ok(one?.schema && two?.schema)
  assert.notEqual(one.schema, two.schema)
  assert.notEqual(one.additionalPrinterColumns, two.additionalPrinterColumns)
})

test('stored definition: one that was made in v1beta1 long ago has the defaults of that time', () => {
  const { spec: made, status } = read(
    JSON.stringify({
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'things', kind: 'Thing' },
        version: 'v1alpha1',
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { service: { namespace: 'n', name: 's' } },
        },
      },
      status: { storedVersions: ['v1alpha1'] },
    }),
  )
  assert.deepEqual(made, {
    group: 'example.com',
    names: { plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1alpha1', served: true, storage: true }],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
        conversionReviewVersions: ['v1beta1'],
      },
    },
    preserveUnknownFields: true,
  })
  assert.deepEqual(status.storedVersions, ['v1alpha1'])
})

test('stored definition: a webhook of which nothing is said is none, as upstream has it', () => {
  for (const webhook of [{}, { conversionReviewVersions: null }, { conversionReviewVersions: [] }]) {
    const text = store(spec({ conversion: { strategy: 'None', webhook } }))
    assert.deepEqual(JSON.parse(text).spec.conversion, { strategy: 'None' })
    assert.deepEqual(read(text).spec.conversion, { strategy: 'None' })
  }
})

test('stored definition: fields of newer releases survive, wherever they stand (rule 16)', () => {
  const newer = thingDefinition({
    spec: {
      tomorrow: 1,
      versions: [
        { ...version('v1'), tomorrow: 2, schema: { ...open, tomorrow: 3 } },
        {
          ...version('v2'),
          schema: { ...open, tomorrow: 3 },
          additionalPrinterColumns: [{ name: 'A', type: 'date', jsonPath: '.a', tomorrow: 4 }],
        },
      ],
      conversion: {
        strategy: 'Webhook',
        tomorrow: 5,
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { url: 'https://a/', tomorrow: 6 },
          tomorrow: 7,
        },
      },
    } as unknown as CustomResourceDefinition['spec'],
  })
  assert.deepEqual(read(store(newer)), newer)
  assert.equal(holdsUnknown(fromHub(newer), schema), true)
})

test('stored definition: v1beta1 is stored and read, and v1 alone is served', () => {
  assert.deepEqual(resourceAtRelease(customResourceDefinitions as unknown as ResourceDefinition, undefined), {
    decodable: ['v1', 'v1beta1'],
    served: ['v1'],
    preferredStorage: 'v1beta1',
  })
})
