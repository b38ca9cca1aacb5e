import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineResource } from '@strata/api'
import { isFullSize } from '../support/full-size.ts'
import { startServer } from '../support/one-server.ts'
import { type PublishedCrd, publishedCrds } from '../support/published-crds.ts'

const crds = publishedCrds(isFullSize ? 1 : 8)
const skip = crds.length === 0 ? 'no published definitions here; STRATA_CRDS says where they are' : false

const identity = <T>(object: T): T => object

function definitionOf({ spec: { group, names, scope, versions } }: PublishedCrd) {
  const served = versions.filter((each) => each.served)
  return defineResource({
    group,
    kind: names.kind,
    plural: names.plural,
    scope,
    versions: Object.fromEntries(
      served.map(({ name, schema }) => [
        name,
        { schema: schema?.openAPIV3Schema ?? {}, toHub: identity, fromHub: identity },
      ]),
    ),
    preferredStorageVersion: served.find(({ storage }) => storage)?.name ?? served[0]?.name ?? '',
    storagePrefix: `${group}/${names.plural}`,
    subresources: { status: versions.some(({ subresources }) => subresources?.status) },
    isCustom: true,
  })
}

/** One release of each. */
function definitions() {
  const newest = new Map(crds.map((crd) => [crd.metadata.name, crd]))
  return [...newest.values()]
    .filter(({ spec }) => spec.versions.some(({ served }) => served))
    .map(definitionOf)
}

type Json = Record<string, unknown>

function* schemasIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const each of value) yield* schemasIn(each)
    return
  }
  const schema = value as Json
  yield schema
  for (const each of Object.values((schema['properties'] ?? {}) as Json)) yield* schemasIn(each)
  for (const key of ['items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not'])
    yield* schemasIn(schema[key])
}

function checkReferences(document: Json, schemas: Json, prefix: string): void {
  for (const [, name = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
    assert.ok(name.startsWith(prefix), name)
    assert.ok(schemas[name.slice(prefix.length)], name)
  }
}

test('published kinds: each has a document of OpenAPI v3 that needs no other', { skip }, async () => {
  const resources = definitions()
  const { send } = await startServer('published v3', { resources })
  const index = JSON.parse((await send('GET', '/openapi/v3')).body)
  for (const { group, kind, versions } of resources) {
    for (const versionName of Object.keys(versions)) {
      const { serverRelativeURL } = index.paths[`apis/${group}/${versionName}`]
      const { status, body } = await send('GET', serverRelativeURL)
      assert.equal(status, 200, serverRelativeURL)
      const { schemas } = body.components
      const name = `${group.split('.').toReversed().join('.')}.${versionName}.${kind}`
      const { properties } = schemas[name]
      assert.ok(properties.apiVersion && properties.kind && properties.metadata.allOf, name)
      checkReferences(body, schemas, '#/components/schemas/')
    }
  }
})

test('published kinds: all are in v2, in words that kubectl can read', { skip }, async () => {
  const resources = definitions()
  const { send } = await startServer('published v2', { resources })
  const { body } = await send('GET', '/openapi/v2')
  checkReferences(body, body.definitions, '#/definitions/')
  for (const { group, kind, versions } of resources) {
    for (const versionName of Object.keys(versions)) {
      const name = `${group.split('.').toReversed().join('.')}.${versionName}.${kind}`
      assert.ok(body.definitions[name], name)
      for (const schema of schemasIn(body.definitions[name])) {
        for (const word of ['nullable', 'default', 'allOf', 'anyOf', 'oneOf', 'not']) {
          assert.equal(schema[word], undefined, `${name}: ${word}`)
        }
        if (schema['type'] === 'array') assert.ok(schema['items'], `${name}: a list without items`)
        if (schema['x-kubernetes-preserve-unknown-fields'])
          assert.equal(schema['properties'], undefined, name)
      }
    }
  }
})

test('published kinds: both forms of discovery have the same of them', { skip }, async () => {
  const resources = definitions()
  const { send } = await startServer('published discovery', { resources })
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const { body: aggregated } = await send('GET', '/apis', undefined, { accept })
  const { body: legacy } = await send('GET', '/apis')
  const names = (list: { name: string }[]): string[] => list.map(({ name }) => name).sort()
  assert.deepEqual(names(aggregated.items.map((each: Json) => each['metadata'])), names(legacy.groups))
  for (const { metadata, versions } of aggregated.items) {
    for (const { version, resources: all } of versions) {
      const { body } = await send('GET', `/apis/${metadata.name}/${version}`)
      const shown = body.resources.filter(({ name }: { name: string }) => !name.includes('/'))
      const summary = ({ resource, name = resource, verbs }: Record<string, string>): unknown => [name, verbs]
      assert.deepEqual(all.map(summary), shown.map(summary))
    }
  }
})
