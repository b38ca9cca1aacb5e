import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiObject,
  compileStructuralSchema,
  defineResource,
  type ResourceDefinition,
  type Schema,
} from '@strata/api'
import { type Codec, UndecodableObject } from './codec.ts'
import { ConversionPending, type Converter, renamingConverter, whenConverted } from './converter.ts'
import { createCustomCodec } from './custom-codec.ts'
import { encoderFingerprint } from './fingerprint.ts'

const v1 = 'example.org/v1'
const v2 = 'example.org/v2'

const schemaOf = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties } },
})
const schemas = {
  v1: schemaOf({ colour: { type: 'string' }, size: { type: 'integer', default: 1 } }),
  v2: schemaOf({ colour: { type: 'string' }, weight: { type: 'integer', default: 2 } }),
}

function codecOf(
  stored: 'v1' | 'v2',
  { converter = renamingConverter, versions = ['v1', 'v2'] as readonly ('v1' | 'v2')[], own = schemas } = {},
): Codec {
  const form = (schema: Schema) => ({
    schema,
    toHub: (object: ApiObject) => object,
    fromHub: (object: ApiObject) => object,
  })
  const definition: ResourceDefinition = defineResource<ApiObject>({
    group: 'example.org',
    kind: 'Gadget',
    plural: 'gadgets',
    scope: 'Namespaced',
    isCustom: true,
    versions: Object.fromEntries(versions.map((name) => [name, form(own[name])])),
    preferredStorageVersion: stored,
    storagePrefix: 'example.org/gadgets',
    strategy: {},
  })
  return createCustomCodec({
    definition,
    storageVersionName: stored,
    converter,
    versions: versions.map((versionName) => ({
      versionName,
      isServed: versionName !== 'v1',
      schema: own[versionName],
      structural: compileStructuralSchema(own[versionName]),
    })),
  })
}

const gadget = (apiVersion: string, spec: object): ApiObject => ({
  ...{ apiVersion, kind: 'Gadget', metadata: { name: 'one', namespace: 'default', uid: 'u' }, spec },
})
const parse = (bytes: Uint8Array): ApiObject => JSON.parse(Buffer.from(bytes).toString())

test('custom codec: an object is stored in the version that is asked for, whichever it was written in', () => {
  const codec = codecOf('v2')
  assert.equal(codec.preferredVersion, v2)
  for (const spoken of [v1, v2]) {
    for (const wanted of [v1, v2]) {
      const bytes = codec.encode(gadget(spoken, { colour: 'red' }), wanted)
      assert.equal(codec.storedVersion(bytes), wanted)
      assert.equal(parse(bytes).apiVersion, wanted)
      assert.equal(parse(bytes)['spec'] && (parse(bytes)['spec'] as { colour: string }).colour, 'red')
    }
  }
})

test('custom codec: a read applies the defaults of the stored version and keeps fields of the other', () => {
  const codec = codecOf('v1')
  const bytes = codec.encode(gadget(v1, { colour: 'red', size: 7, old: true }), v1)
  assert.deepEqual(codec.decodeIn(bytes, v1)['spec'], { colour: 'red', size: 7 })
  assert.deepEqual(codec.decodeIn(bytes, v2)['spec'], { colour: 'red' })
  assert.equal(codec.decodeIn(bytes, v2).apiVersion, v2)
  assert.deepEqual(parse(codec.serve(bytes, 9, v2)), {
    kind: 'Gadget',
    apiVersion: v2,
    metadata: { resourceVersion: '9', name: 'one', namespace: 'default', uid: 'u' },
    spec: { colour: 'red' },
  })
  const bare = codec.encode(gadget(v1, { colour: 'red' }), v1)
  assert.deepEqual(codec.decodeIn(bare, v1)['spec'], { colour: 'red', size: 1 })
})

test('custom codec: bytes are served as they are only while everyone is known to have encoded so', () => {
  const codec = codecOf('v1')
  // Written by a CRD without the default.
  const old = Buffer.from(codec.encode(gadget(v1, { colour: 'red' }), v1))
  const spec = (at: number): unknown => parse(codec.serve(old, at, v1))['spec']
  assert.deepEqual(spec(5), { colour: 'red', size: 1 })
  codec.trust.uniform(7)
  assert.deepEqual(spec(5), { colour: 'red', size: 1 })
  assert.deepEqual(spec(8), { colour: 'red' })
})

test('custom codec: an object converted for the store keeps fields of the stored version and is never served as it is', () => {
  const codec = codecOf('v2')
  codec.trust.uniform(1)
  const bytes = codec.encode(gadget(v1, { colour: 'red', size: 3 }), v2)
  assert.deepEqual(parse(bytes)['spec'], { colour: 'red' })
  assert.deepEqual(parse(codec.serve(bytes, 9, v2))['spec'], { colour: 'red', weight: 2 })
})

test('custom codec: an object in a removed version is named, with the remedy', () => {
  const bytes = codecOf('v1').encode(gadget(v1, { colour: 'red' }), v1)
  const codec = codecOf('v2', { versions: ['v2'] })
  for (const read of [
    () => codec.decode(bytes),
    () => codec.decodeIn(bytes, v2),
    () => codec.serve(bytes, 9, v2),
  ]) {
    assert.throws(read, (error: unknown) => {
      assert.ok(error instanceof UndecodableObject)
      assert.match(error.message, /gadgets\.example\.org "default\/one"/)
      assert.match(error.message, /stored as example\.org\/v1/)
      assert.match(error.message, /add v1 to spec\.versions .* again/)
      return true
    })
  }
  // Its version can still be read, so that the others of its kind are reached.
  assert.equal(codec.storedVersion(bytes), v1)
})

test('custom codec: another schema of the stored version is another encoder; of another version it is not', () => {
  const print = (codec: Codec): string => encoderFingerprint(codec, codec.preferredVersion)
  const changed = schemaOf({ colour: { type: 'string' } })
  assert.equal(print(codecOf('v1')), print(codecOf('v1', { own: { ...schemas, v2: changed } })))
  assert.notEqual(print(codecOf('v1')), print(codecOf('v1', { own: { ...schemas, v1: changed } })))
  assert.notEqual(print(codecOf('v1')), print(codecOf('v2')))
})

/** A slow converter that counts its calls. */
function asking(): Converter & { asked: number } {
  const converter = {
    needsWebhook: true,
    asked: 0,
    convert: async (objects: readonly ApiObject[], apiVersion: string) => {
      converter.asked++
      return objects.map((object) => ({ ...structuredClone(object), apiVersion }))
    },
  }
  return converter
}

test('custom codec: the webhook is called once for many objects, and never for those in that version', async () => {
  const converter = asking()
  const codec = codecOf('v1', { converter })
  const one = codec.encode(gadget(v1, { colour: 'red' }), v1)
  const other = codec.encode(gadget(v1, { colour: 'blue' }), v1)
  assert.equal(codec.ready([one, other], v1), undefined)
  assert.throws(() => codec.decodeIn(one, v2), ConversionPending)
  await codec.ready([one, other], v2)
  assert.equal(converter.asked, 1)
  assert.equal(codec.ready([one, other], v2), undefined)
  assert.deepEqual(codec.decodeIn(one, v2)['spec'], { colour: 'red' })
  assert.deepEqual(parse(codec.serve(other, 9, v2))['spec'], { colour: 'blue' })
  assert.equal(converter.asked, 1)
})

test('custom codec: a write that has to be converted asks, and is then done again with the answer', async () => {
  const converter = asking()
  const codec = codecOf('v1', { converter })
  const bytes = await whenConverted(() => codec.encode(gadget(v2, { colour: 'red', weight: 3 }), v1))
  assert.equal(codec.storedVersion(bytes), v1)
  assert.deepEqual(parse(bytes)['spec'], { colour: 'red' })
  assert.equal(converter.asked, 1)
})

test('custom codec: a conversion leaves its input unchanged', () => {
  const codec = codecOf('v1')
  const object = gadget(v2, { colour: 'red', weight: 3 })
  assert.deepEqual(codec.toWire(object, v1)['spec'], { colour: 'red' })
  codec.encode(object, v1)
  assert.deepEqual(object, gadget(v2, { colour: 'red', weight: 3 }))
})

test('custom codec: bytes that are no object are an error while waiting for the conversion', async () => {
  const codec = codecOf('v1', { converter: asking() })
  const ready = codec.ready([Buffer.from('{')], v2)
  await assert.rejects(ready ?? Promise.resolve())
})
