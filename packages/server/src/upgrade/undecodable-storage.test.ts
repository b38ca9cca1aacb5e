import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '@strata/world'
import type { Codec } from '../codec/index.ts'
import { agreementPrefix } from '../coordination/index.ts'
import type { WatchCache, Watcher } from '../watch-cache/index.ts'
import { UndecodableStorage } from './undecodable-storage.ts'

const group = 'lighthouse.example.dev'
const prefix = `/registry/${group}/beacons/`
const sealed = Buffer.from('k8s:enc:kms:v2:vault:xxxx')
const inVersion = (version: string): Buffer =>
  Buffer.from(JSON.stringify({ apiVersion: `${group}/${version}`, kind: 'Beacon' }))
const codec = {
  definition: { group, resource: 'beacons', storagePrefix: `${group}/beacons` },
  decodableVersions: [`${group}/v1`],
  equivalentVersions: [],
} as unknown as Codec

/** A server that finds these objects and no record. */
function startOver(values: Buffer[], allowed: readonly string[] = []) {
  const subscribers: Watcher[] = []
  const at = (index: number) => ({ key: `${prefix}default/${index}`, value: values[index] })
  const objects = {
    range: () => ({ count: values.length, at }),
    subscribe: (each: Watcher) => {
      subscribers.push(each)
      return () => subscribers.splice(subscribers.indexOf(each), 1)
    },
  }
  const records = { get: () => undefined }
  const collection = (of: string) => (of === agreementPrefix ? records : objects)
  const cache = { collection } as unknown as WatchCache
  const served: string[] = []
  const storage = new UndecodableStorage({
    ...{ cache, codecs: [codec], release: 'x', allowed, log: silentLog },
    onServed: () => served.push('served'),
  })
  storage.look()
  return {
    served,
    refusal: () => storage.refusalOf(codec.definition),
    /** The watch restarts, as when values can be decrypted again. */
    readAnew: (...next: Buffer[]) => {
      values.splice(0, values.length, ...next)
      for (const each of subscribers.splice(0)) each.onReset(false)
    },
  }
}

test('undecodable: what cannot be decrypted may be in any version, and is refused until it can', () => {
  const { refusal, readAnew, served } = startOver([sealed, inVersion('v1')])
  assert.match(
    refusal() ?? '',
    /1 object under k8s:enc:kms:v2:vault: cannot be decrypted for now, and may be in a version/,
  )
  assert.doesNotMatch(refusal() ?? '', /cannot decode/)
  readAnew(inVersion('v1'), inVersion('v1'))
  assert.equal(refusal(), undefined)
  assert.deepEqual(served, ['served'])
})

test('undecodable: … and goes on to be when it turns out to be in one that this release does not read', () => {
  const { refusal, readAnew } = startOver([sealed])
  readAnew(inVersion('v3'))
  assert.match(
    refusal() ?? '',
    /1 object is stored as lighthouse.example.dev\/v3, which release x cannot decode/,
  )
  readAnew(inVersion('v1'))
  assert.equal(refusal(), undefined)
})

test('undecodable: damaged bytes are in no version, and nothing waits for them', () => {
  assert.equal(startOver([Buffer.from('{')]).refusal(), undefined)
})

test('undecodable: an allowed resource is served, whatever can be decrypted', () => {
  assert.equal(startOver([sealed], [`beacons.${group}`]).refusal(), undefined)
})
