import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originsAnnotation, type StorageAgreement, type StorageVersion } from '@strata/api'
import { decideOrigin, type OriginObservation } from './decide-origin.ts'
import type { Observed } from './observed.ts'

const resource = { group: 'shop.example.dev', resource: 'things' }
const absent = { kind: 'absent' } as const
const hidden = { kind: 'hidden' } as const

const record = (uid: string, spec = resource): Observed<StorageAgreement> => ({
  kind: 'found',
  object: { metadata: { uid }, spec } as unknown as StorageAgreement,
})
function mirror(...recordUIDs: readonly string[]): Observed<StorageVersion> {
  const origins = recordUIDs.map((recordUID, index) => ({
    ...{ origin: `o${index}`, recordUID, epoch: 1, resourceVersion: '7' },
  }))
  return mirrorWith({ [originsAnnotation]: JSON.stringify(origins) })
}
function mirrorWith(annotations: Readonly<Record<string, string>>): Observed<StorageVersion> {
  const object = { metadata: { name: 'shop.example.dev.things', annotations }, spec: {}, status: {} }
  return { kind: 'found', object }
}
type Sight = Observed<StorageAgreement>
const seen = (through: Readonly<Record<string, Sight>>, it: Observed<StorageVersion>): OriginObservation => ({
  ...{ kind: 'read', records: new Map(Object.entries(through)), mirror: it },
})

const cases: readonly [name: string, observation: OriginObservation, wanted: RegExp][] = [
  ['its record', seen({ v1: record('r') }, absent), /^record r$/],
  [
    'a mirror that may not be read',
    seen({ v1: record('r') }, hidden),
    /^you may not read the StorageVersion shop\.example\.dev\.things .* get storageversions\.internal\.apiserver\.k8s\.io$/,
  ],
  ['a mirror of this record', seen({ v1: record('r') }, mirror('r')), /^record r$/],
  ['a StorageVersion that mirrors nothing', seen({ v1: record('r') }, mirrorWith({})), /^record r$/],
  ['a mirror that names no origin', seen({ v1: record('r') }, mirror()), /origins of .* cannot be read/],
  ['one record in two versions', seen({ v1: record('r'), v2: record('r') }, mirror('r')), /^record r$/],
  ['another record in v2', seen({ v1: record('r'), v2: record('s') }, absent), /two origins: the versions/],
  [
    'a mirror of another record',
    seen({ v1: record('r') }, mirror('s')),
    /two origins: .* record s, .* have r$/,
  ],
  [
    'a mirror of two stores',
    seen({ v1: record('r') }, mirror('r', 's')),
    /two origins: .* records of 2 stores/,
  ],
  ['a mirror of two stores with one uid', seen({ v1: record('r') }, mirror('r', 'r')), /two origins/],
  [
    'a mirror that cannot be read',
    seen({ v1: record('r') }, mirrorWith({ [originsAnnotation]: '?' })),
    /origins of .* cannot be read/,
  ],
  ['no record', seen({ v1: absent }, mirror('r')), /have no agreement record of things\.shop/],
  ['no record in v2', seen({ v1: record('r'), v2: absent }, absent), /\(shop\.example\.dev\/v2\) have no/],
  ['no right to read it', seen({ v1: hidden }, mirror('r')), /may not read .* get storageagreements\.shop/],
  [
    'the record of another resource',
    seen({ v1: record('r', { ...resource, resource: 'others' }) }, absent),
    /record of others\.shop\.example\.dev, not of things/,
  ],
  ['a record without a uid', seen({ v1: record('') }, absent), /without a uid/],
  ['no version', seen({}, mirror('r')), /no aggregated server shows/],
  ['two servers', { kind: 'refused', because: 'in two stores' }, /^in two stores$/],
]
for (const [name, observation, wanted] of cases) {
  test(`origin: ${name}`, () => {
    const decision = decideOrigin(resource, observation)
    const text = decision.kind === 'record' ? `record ${decision.record.metadata.uid}` : decision.because
    assert.match(text, wanted)
  })
}
