import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AgreementEntry,
  type AgreementStatus,
  defineResource,
  identityVersion,
  objectSchema,
  type ResourceDefinition,
  type UpgradeReview,
} from '@strata/api'
import type { Codec } from '../codec/index.ts'
import { reviewUpgrade } from './review-upgrade.ts'
import type { StoredResource } from './stored-resources.ts'

const group = 'example.dev'
const version = identityVersion(objectSchema({}))
const things = defineResource({
  group,
  kind: 'Thing',
  plural: 'things',
  scope: 'Cluster',
  versions: { v1: version, v2: version },
  preferredStorageVersion: 'v2',
  releases: {
    old: { decodable: ['v1'], served: ['v1'], preferredStorage: 'v1' },
    new: { decodable: ['v1', 'v2'], served: ['v1', 'v2'], preferredStorage: 'v2' },
  },
  storagePrefix: 'example.dev/things',
}) as unknown as ResourceDefinition
const late = defineResource({
  ...{ group, kind: 'Late', plural: 'lates', scope: 'Cluster', versions: { v1: version } },
  preferredStorageVersion: 'v1',
  releases: { new: { decodable: ['v1'], served: ['v1'], preferredStorage: 'v1' } },
  storagePrefix: 'example.dev/lates',
}) as unknown as ResourceDefinition

const status = (...versions: string[]): AgreementStatus => ({
  epoch: 1,
  encodings: [],
  servers: [],
  persisted: versions.map((encodingVersion) => ({ encodingVersion, writeKey: 'identity', epoch: 1 })),
  conditions: [{ type: 'Fenced', status: 'True', lastTransitionTime: '', reason: '', message: '' }],
})
const full = (...versions: string[]): string[] => versions.map((each) => `${group}/${each}`)
const unread = (): never => assert.fail('the stored objects need not be read')

function stored(
  resource: string,
  said: AgreementStatus | undefined,
  read: StoredResource['read'],
  definition: Partial<ResourceDefinition> | null = {},
): StoredResource {
  const codec = definition ? ({ definition, decodableVersions: full('v1') } as unknown as Codec) : undefined
  return { group, resource, status: said, read, codec }
}

type Row = [
  name: string,
  spec: UpgradeReview['spec'],
  resources: readonly StoredResource[],
  verdict: string,
  said: readonly string[],
]
const rows: readonly Row[] = [
  [
    'the record is enough',
    { release: 'old' },
    [stored('things', status('example.dev/v1'), unread)],
    'Safe',
    ['things Safe AllDecodable'],
  ],
  [
    'a record that remembers too much is looked after',
    { release: 'old' },
    [stored('things', status('example.dev/v1', 'example.dev/v2'), () => full('v1'))],
    'Safe',
    ['things Safe AllDecodable'],
  ],
  [
    'what is stored and cannot be read is a no',
    { release: 'old' },
    [stored('things', status('example.dev/v1', 'example.dev/v2'), () => full('v1', 'v2'))],
    'Unsafe',
    ['things Unsafe NotDecodable'],
  ],
  [
    'unrecorded versions are read',
    { release: 'new' },
    [stored('things', status('Unknown'), () => full('v2'))],
    'Safe',
    ['things Safe AllDecodable'],
  ],
  [
    'what this server does not keep could not be seen',
    { release: 'new' },
    [stored('things', undefined, () => undefined)],
    'CouldNotSee',
    ['things CouldNotSee PersistedUnknown'],
  ],
  [
    'a kind that the release does not have',
    { release: 'old' },
    [stored('lates', status('example.dev/v1'), () => full('v1'))],
    'Unsafe',
    ['lates Unsafe NotInTarget'],
  ],
  [
    'nothing is stored of it',
    { release: 'old' },
    [stored('lates', status('example.dev/v1'), () => [])],
    'Safe',
    ['lates Safe NothingStored'],
  ],
  [
    'a custom resource is read as its definition says, in every release',
    { release: 'old' },
    [
      stored('customs', status('example.dev/v1'), unread, { isCustom: true }),
      stored('broken', status('example.dev/v0'), () => full('v0'), { isCustom: true }),
    ],
    'Unsafe',
    ['broken Unsafe NotDecodable', 'customs Safe AllDecodable'],
  ],
  [
    'a record of an unknown kind: its readers are unknown',
    { release: 'new' },
    [stored('strangers', status('example.dev/v1'), () => full('v1'), null)],
    'CouldNotSee',
    ['strangers CouldNotSee TargetUnknown'],
  ],
  [
    'only what was named is looked at, in short names too',
    { resources: [{ group, resource: 'things', decodableVersions: ['v1', 'v2'] }] },
    [
      stored('things', status('example.dev/v1', 'example.dev/v2'), unread),
      stored('lates', status('Unknown'), unread),
    ],
    'Safe',
    ['things Safe AllDecodable'],
  ],
  [
    'without its versions a kind of the program cannot be judged, and a custom resource can',
    {
      resources: [
        { group, resource: 'things' },
        { group, resource: 'customs' },
      ],
    },
    [
      stored('things', status('example.dev/v1'), () => full('v1')),
      stored('customs', status('example.dev/v1'), unread, { isCustom: true }),
    ],
    'CouldNotSee',
    ['things CouldNotSee TargetUnknown', 'customs Safe AllDecodable'],
  ],
  [
    'an unknown resource could not be seen',
    { resources: [{ group, resource: 'nothings', decodableVersions: ['v1'] }] },
    [],
    'CouldNotSee',
    ['nothings CouldNotSee PersistedUnknown'],
  ],
]
for (const [name, spec, resources, verdict, said] of rows) {
  test(`upgrade review: ${name}`, () => {
    const answer = reviewUpgrade(spec, { resources, definitions: [things, late], ownName: '1.0' })
    const shown = answer.resources.map((each) => `${each.resource} ${each.verdict} ${each.reason}`)
    assert.deepEqual([answer.verdict, shown], [verdict, said])
  })
}

test('upgrade review: says what may be stored and what can be read; this software has a name too', () => {
  const resources = [stored('things', status('example.dev/v2'), unread)]
  const { resources: found } = reviewUpgrade(
    { release: '1.0' },
    { resources, definitions: [things, late], ownName: '1.0' },
  )
  const [{ persistedVersions, decodableVersions, missing } = assert.fail()] = found
  assert.deepEqual([persistedVersions, decodableVersions, missing], [full('v2'), full('v1', 'v2'), []])
})

const writes = (encodingVersion: string, ...decodable: string[]): AgreementEntry =>
  ({
    encodingVersion: `${group}/${encodingVersion}`,
    decodableVersions: full(...decodable),
    readableKeys: ['identity'],
  }) as unknown as AgreementEntry
const under = (writeKey: string, ...readableKeys: string[]): AgreementStatus => ({
  ...status(),
  persisted: [{ encodingVersion: 'example.dev/v1', writeKey, epoch: 1 }],
  servers: readableKeys.length === 0 ? [] : [{ ...writes('v1', 'v1'), readableKeys }],
})
const sealed: readonly [name: string, status: AgreementStatus, read: StoredResource['read'], said: RegExp][] =
  [
    [
      'a key that no server has',
      under('aesgcm:key2:f', 'aesgcm:key1:e', 'identity'),
      () => ['Unknown'],
      /^CouldNotSee: it is unknown what is stored: some of it may be under aesgcm:key2:f, which no server here has; add it to --encryption-provider-config$/,
    ],
    [
      'the record remembers it, and nothing is under it',
      under('aesgcm:key2:f', 'identity'),
      () => full('v1'),
      /^Safe/,
    ],
    ['some server has it', under('aesgcm:key2:f', 'aesgcm:key2:f'), unread, /^Safe/],
    ['a KMS may open it', under('kms:vault:f', 'kms:vault:*'), unread, /^Safe/],
    ['no server is there', under('aesgcm:key2:f'), unread, /^Safe/],
    ['the version is unknown', under('Unknown', 'identity'), unread, /^Safe/],
  ]
for (const [name, said, read, want] of sealed) {
  test(`upgrade review: of keys: ${name}`, () => {
    const resources = [stored('things', said, read)]
    const answer = reviewUpgrade({ release: 'new' }, { resources, definitions: [things], ownName: '1.0' })
    assert.match(answer.resources.map((each) => `${each.verdict}: ${each.message}`).join(), want)
  })
}

const advised: readonly [name: string, status: AgreementStatus, advice: string][] = [
  [
    'what is written is what it cannot read',
    { ...status('example.dev/v2'), servers: [writes('v2', 'v1', 'v2')] },
    'bring all servers that write v2 to a release that reads v1 and v2 and writes v1 (for instance between), then run "strata migrate things.example.dev" (before that, it changes nothing)',
  ],
  [
    'only what is left of earlier times is in the way',
    { ...status('example.dev/v1', 'example.dev/v2'), servers: [writes('v1', 'v1', 'v2')] },
    'migrate first ("strata migrate things.example.dev")',
  ],
  [
    'a server writes an unknown version',
    { ...status('example.dev/v2'), servers: [writes('v1', 'v1', 'v2')], encodings: ['unrecorded'] },
    'start a server of a release that reads v1 and v2 and writes v1 (for instance between), replace any server that writes v2, then run "strata migrate things.example.dev"',
  ],
]
for (const [name, said, advice] of advised) {
  test(`upgrade review: what to do where ${name}`, () => {
    const between = { decodable: ['v1', 'v2'], served: ['v1'], preferredStorage: 'v1' }
    const definitions = [{ ...things, releases: { ...things.releases, between } }]
    const resources = [stored('things', said, () => full('v2'))]
    const answer = reviewUpgrade({ release: 'old' }, { resources, definitions, ownName: '1.0' })
    assert.deepEqual([answer.verdict, answer.resources[0]?.advice], ['Unsafe', advice])
  })
}
