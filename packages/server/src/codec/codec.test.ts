import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ApiObject,
  type ConfigMap,
  configMaps,
  customResourceDefinitions,
  type ResourceDefinition,
  resourceAtRelease,
} from '@strata/api'
import { createSimRandom } from '@strata/world/sim'
import { beacons } from '../../../../examples/lighthouse/beacon.ts'
import { type Codec, createCodec, UndecodableObject } from './codec.ts'
import { encoderFingerprint } from './fingerprint.ts'

function codecOf(definition: unknown, release?: string): Codec {
  const resource = definition as ResourceDefinition
  const at = resourceAtRelease(resource, release)
  assert.ok(at)
  return createCodec(resource, at)
}
const beaconV1 = 'lighthouse.example.dev/v1'
const beaconV2 = 'lighthouse.example.dev/v2'
const parse = (bytes: Uint8Array): ApiObject => JSON.parse(Buffer.from(bytes).toString())

test('codec: every encodable version decodes to the same hub object', () => {
  const codec = codecOf(beacons, 'x+1')
  const random = createSimRandom('codec')
  for (let round = 0; round < 500; round++) {
    const hub: ApiObject = {
      metadata: { name: `b${round}`, uid: 'u', labels: { __proto__x: '1' } },
      spec: { periodMs: 1 + Math.floor(random.fraction() * 1e7), silent: true, colour: 'red' },
    }
    for (const version of codec.decodableVersions) {
      const bytes = codec.encode(structuredClone(hub), version)
      assert.equal(codec.storedVersion(bytes), version)
      const decoded = codec.decode(bytes)
      assert.equal(decoded.storedVersion, version)
      const { kind: _, apiVersion: __, ...back } = decoded.hub
      assert.deepEqual(back, hub)
    }
  }
})

test('codec: stored bytes never hold a resourceVersion; served ones always do', () => {
  const codec = codecOf(configMaps)
  const map: ConfigMap = {
    metadata: { name: 'a', uid: 'u', resourceVersion: '7', selfLink: '/x' },
    data: { k: 'v' },
  }
  const stored = codec.encode(map, 'v1')
  assert.deepEqual(parse(stored).metadata, { name: 'a', uid: 'u' })
  assert.deepEqual(parse(codec.serve(stored, 42, 'v1')), {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { resourceVersion: '42', name: 'a', uid: 'u' },
    data: { k: 'v' },
  })
})

test('codec: bytes of another program, in another order, are served too', () => {
  const codec = codecOf(configMaps)
  const foreign = Buffer.from(
    '{"data":{"k":"v"},"metadata":{"name":"a"},"kind":"ConfigMap","apiVersion":"v1"}',
  )
  assert.equal(codec.storedVersion(foreign), 'v1')
  const served = parse(codec.serve(foreign, 3, 'v1'))
  assert.equal(served.metadata.resourceVersion, '3')
  assert.deepEqual(served['data'], { k: 'v' })
})

test('codec: a read in another version converts', () => {
  const codec = codecOf(beacons, 'x+1')
  const stored = codec.encode({ metadata: { name: 'b' }, spec: { periodMs: 5000 } }, beaconV1)
  assert.deepEqual(parse(codec.serve(stored, 9, beaconV2))['spec'], { periodMs: 5000, colour: 'white' })
})

test('codec: what this release cannot decode is named, with what it can', () => {
  const stored = codecOf(beacons, 'x+1').encode(
    { metadata: { name: 'b' }, spec: { periodMs: 5000 } },
    beaconV1,
  )
  const newer = codecOf(beacons, 'x+3')
  assert.throws(
    () => newer.decode(stored),
    (error: unknown) => {
      assert.ok(error instanceof UndecodableObject)
      assert.match(error.message, /stored as lighthouse.example.dev\/v1.*decodes lighthouse.example.dev\/v2/)
      return true
    },
  )
  assert.equal(newer.storedVersion(stored), beaconV1)
})

const damaged: Readonly<Record<string, string>> = {
  'nothing at all': '',
  'bytes cut off': '{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v1","meta',
  'no metadata': '{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v1"}',
  'metadata that is a text': '{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v1","metadata":"x"}',
  'no name':
    '{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v2","metadata":{"x":1},"spec":{"periodMs":1}}',
  'no spec for the conversion':
    '{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v1","metadata":{"name":"b"}}',
}

for (const [name, text] of Object.entries(damaged)) {
  test(`codec: damaged bytes are named, and no bug: ${name}`, () => {
    const codec = codecOf(beacons, 'x+1')
    for (const read of [codec.decode, (bytes: Uint8Array) => codec.serve(bytes, 9, beaconV2)]) {
      assert.throws(() => read(Buffer.from(text)), {
        name: 'UndecodableObject',
        message: /^stored bytes are n.*\(beacons\.lighthouse\.example\.dev\); restore it from a backup/,
      })
    }
  })
}

test('codec: the same object in another order of keys is current, another version is not', () => {
  const codec = codecOf(beacons, 'x+1')
  const one = codec.encode(
    { metadata: { name: 'b', uid: 'u' }, spec: { periodMs: 1000, colour: 'red' } },
    beaconV2,
  )
  const two = codec.encode(
    { metadata: { uid: 'u', name: 'b' }, spec: { colour: 'red', periodMs: 1000 } },
    beaconV2,
  )
  const old = codec.encode(
    { metadata: { name: 'b', uid: 'u' }, spec: { periodMs: 1000, colour: 'red' } },
    beaconV1,
  )
  const other = codec.encode(
    { metadata: { name: 'b', uid: 'u' }, spec: { periodMs: 2000, colour: 'red' } },
    beaconV2,
  )
  assert.equal(codec.isCurrent(one, two), true)
  assert.equal(codec.isCurrent(old, two), false)
  assert.equal(codec.isCurrent(other, two), false)
})

test('codec: the fingerprint follows the schema and the version', () => {
  const codec = codecOf(beacons, 'x+1')
  assert.notEqual(encoderFingerprint(codec, beaconV1), encoderFingerprint(codec, beaconV2))
  assert.equal(encoderFingerprint(codec, beaconV2), encoderFingerprint(codecOf(beacons, 'x+2'), beaconV2))
})

test('codec: clients use versions that some release serves and this one reads, not those only stored', () => {
  const one = beacons.releases?.['x+1']
  assert.ok(one)
  const quiet = createCodec(beacons as unknown as ResourceDefinition, { ...one, served: ['v1'] })
  assert.deepEqual([quiet.isSpoken(beaconV1), quiet.isSpoken(beaconV2)], [true, true])
  const late = codecOf(beacons, 'x+3')
  assert.deepEqual([late.isSpoken(beaconV1), late.isSpoken(beaconV2)], [false, true])
  const definitions = codecOf(customResourceDefinitions)
  assert.equal(definitions.isSpoken('apiextensions.k8s.io/v1'), true)
  assert.equal(definitions.isSpoken('apiextensions.k8s.io/v1beta1'), false)
})

test('codec: a schema that contains itself has a fingerprint too', () => {
  const codec = codecOf(customResourceDefinitions)
  assert.match(encoderFingerprint(codec, 'apiextensions.k8s.io/v1'), /^[\w-]{16}$/)
})

test('codec: bytes of an unknown encoder are defaulted and pruned when served, and stay as they are stored', () => {
  const codec = codecOf(beacons, 'x+2')
  const text =
    '{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v2","metadata":{"name":"b"},"spec":{"periodMs":5000,"tomorrow":1}}'
  const stored = Buffer.from(text)
  const served = parse(codec.serve(stored, 7, beaconV2))
  assert.deepEqual(served['spec'], { periodMs: 5000, colour: 'white' })
  // Unknown fields survive a write through this release (docs/design/agreement.md, rule 16).
  const { hub } = codec.decode(stored)
  assert.deepEqual(parse(codec.encode(hub, beaconV2))['spec'], {
    periodMs: 5000,
    tomorrow: 1,
    colour: 'white',
  })
})

test('codec: once everyone encodes as we do, bytes are served as they are', () => {
  const codec = codecOf(beacons, 'x+2')
  const stored = Buffer.from(
    '{"kind":"Beacon","apiVersion":"lighthouse.example.dev/v2","metadata":{"name":"b"},"spec":{"periodMs":5000}}',
  )
  codec.trust.uniform(5)
  assert.deepEqual(parse(codec.serve(stored, 7, beaconV2))['spec'], { periodMs: 5000 })
  assert.equal(codec.tail(stored, 7, beaconV2).buffer, stored.buffer)
  assert.deepEqual(parse(codec.serve(stored, 4, beaconV2))['spec'], { periodMs: 5000, colour: 'white' })
})

test('codec: bytes that were encoded as this server does are known without a look, unless they carry something along', () => {
  const codec = codecOf(beacons, 'x+2')
  const hub: ApiObject = { metadata: { name: 'b' }, spec: { periodMs: 5000, colour: 'red' } }
  const plain = codec.encode(hub, beaconV2, true)
  assert.deepEqual(plain, codec.encode(hub, beaconV2))
  const carrying = codec.encode({ ...hub, future: 1 }, beaconV2, true)
  assert.equal(codec.isKnown(plain, 7), false)
  codec.trust.uniform(5)
  assert.equal(codec.isKnown(plain, 7), true)
  assert.equal(codec.isKnown(plain, 4), false)
  assert.equal(codec.isKnown(carrying, 7), false)
  assert.equal(parse(codec.serve(carrying, 7, beaconV2))['future'], undefined)
  assert.equal(codec.storedVersion(carrying), beaconV2)
  codec.trust.mixed(10)
  assert.equal(codec.isKnown(plain, 10), true)
  assert.equal(codec.isKnown(plain, 11), false)
})
