import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition, JsonSchemaProps } from '@strata/api'
import { decideDefinition, wantedDefinitions } from './definitions.ts'

const [states, migrations] = wantedDefinitions as [CustomResourceDefinition, CustomResourceDefinition]
const statusOf = ({ spec }: CustomResourceDefinition): JsonSchemaProps =>
  spec.versions?.[0]?.schema?.openAPIV3Schema?.properties?.['status'] ?? {}

/** The shape of kube-storage-version-migrator's own definition, without its words. */
const theirs: CustomResourceDefinition = {
  ...states,
  metadata: { name: 'storagestates.migration.k8s.io', resourceVersion: '7' },
  spec: {
    ...states.spec,
    versions: [
      {
        ...{ name: 'v1alpha1', served: true, storage: true, subresources: { status: {} } },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              metadata: { type: 'object', properties: { name: { type: 'string' } } },
              spec: {
                type: 'object',
                properties: {
                  resource: {
                    type: 'object',
                    properties: { group: { type: 'string' }, resource: { type: 'string' } },
                  },
                },
              },
              status: {
                type: 'object',
                properties: {
                  currentStorageVersionHash: { type: 'string', description: 'theirs' },
                  lastHeartbeatTime: { type: 'string', format: 'date-time' },
                  persistedStorageVersionHashes: { type: 'array', items: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    ],
  },
}
const changed = (more: object): CustomResourceDefinition => ({
  ...theirs,
  spec: { ...theirs.spec, versions: [{ ...theirs.spec.versions?.[0], ...more }] as never },
})

test('definitions: they are made of our own schemas, and of nothing that other servers do not know', () => {
  assert.deepEqual(
    wantedDefinitions.map(({ metadata }) => metadata.name),
    ['storagestates.migration.k8s.io', 'storageversionmigrations.migration.k8s.io'],
  )
  assert.deepEqual(Object.keys(statusOf(states).properties ?? {}).sort(), [
    'accepted',
    'currentStorageVersionHash',
    'currentStorageVersionHashes',
    'lastHeartbeatTime',
    'persistedStorageVersionHashes',
  ])
  for (const field of ['epoch', 'quarantine', 'result', 'conditions']) {
    assert.ok(statusOf(migrations).properties?.[field], field)
  }
  assert.doesNotMatch(JSON.stringify(wantedDefinitions), /x-strata|x-kubernetes-patch/)
})

test('definitions: one that is missing is made', () => {
  assert.deepEqual(decideDefinition(states, undefined), { do: 'create', definition: states })
})

test('definitions: a CRD of another project gets the fields it lacks, and keeps all it has', () => {
  const decision = decideDefinition(states, theirs)
  assert.ok(decision.do === 'update')
  const { definition } = decision
  assert.deepEqual(statusOf(definition).properties?.['currentStorageVersionHash'], {
    type: 'string',
    description: 'theirs',
  })
  assert.ok(statusOf(definition).properties?.['currentStorageVersionHashes'])
  assert.equal(definition.metadata.resourceVersion, '7')
  const [before, after] = [theirs, definition].map(({ spec }) => spec.versions?.[0]?.schema?.openAPIV3Schema)
  assert.deepEqual([before?.required, after?.required], [undefined, undefined])
  assert.deepEqual(after?.properties?.['metadata'], before?.properties?.['metadata'])
  // Once is enough.
  assert.equal(decideDefinition(states, definition).do, 'nothing')
})

const rows: ReadonlyArray<[name: string, found: CustomResourceDefinition, want: string]> = [
  ['our own is left as it is', states, 'nothing'],
  ['one without another version is not ours to change', changed({ name: 'v1beta1' }), 'refuse'],
  ['one that is not served either', changed({ served: false }), 'refuse'],
  ['nor one whose status is written with the rest', changed({ subresources: {} }), 'refuse'],
  ['nor one in namespaces', { ...theirs, spec: { ...theirs.spec, scope: 'Namespaced' } }, 'refuse'],
  [
    'one that keeps whatever it is sent needs nothing',
    changed({
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    }),
    'nothing',
  ],
]
for (const [name, found, want] of rows) {
  test(`definitions: ${name}`, () => assert.equal(decideDefinition(states, found).do, want))
}
