import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition, StorageState, StorageVersion } from '@strata/api'
import { storageVersionHash } from '@strata/api'
import { type ClusterHints, decideFromHints } from './decide-from-hints.ts'
import { mergeDeclared, parseDeclared, readDeclaredFile } from './declared-resources.ts'

const served = (resource: string, group: string, kind: string, ...versionNames: string[]) =>
  versionNames.map((versionName) => ({
    ...{ group, versionName, resource, kind },
    namespaced: true,
    verbs: ['create', 'get', 'list', 'update'],
  }))
const review = { ...served('reviews', 'example.dev', 'Review', 'v1')[0], verbs: ['create'] } as ReturnType<
  typeof served
>[number]
const definition = (stored: string[], versions: string[]) =>
  ({
    metadata: { name: 'lamps.example.dev' },
    spec: {
      group: 'example.dev',
      names: { plural: 'lamps', kind: 'Lamp' },
      versions: versions.map((name) => ({ name })),
    },
    status: { storedVersions: stored },
  }) as unknown as CustomResourceDefinition
const migrated = (reason: string, status: string, ...stored: string[]): CustomResourceDefinition => {
  const { status: rest, ...others } = definition(stored, ['v1', 'v2'])
  return {
    ...others,
    status: { ...rest, conditions: [{ type: 'StorageMigrating', status, reason }] },
  } as CustomResourceDefinition
}
const state = (...persisted: string[]): StorageState => ({
  metadata: { name: 'deployments.apps' },
  spec: { resource: { group: 'apps', resource: 'deployments' } },
  ...(persisted.length === 0
    ? {}
    : { status: { persistedStorageVersionHashes: persisted, lastHeartbeatTime: '2026-01-01T12:00:00Z' } }),
})
const nowMs = Date.parse('2026-01-01T12:20:00Z')
const heard = (lastHeartbeatTime: string | undefined, ...persisted: string[]): StorageState => {
  const { status: _, ...others } = state()
  const times = lastHeartbeatTime === undefined ? {} : { lastHeartbeatTime }
  return { ...others, status: { persistedStorageVersionHashes: persisted, ...times } }
}
const hash = (versionName: string): string => storageVersionHash(`apps/${versionName}`, 'Deployment')
const storageVersion = (...encodingVersions: string[]) =>
  ({
    metadata: { name: 'apps.deployments' },
    status: { storageVersions: encodingVersions.map((encodingVersion) => ({ encodingVersion })) },
  }) as unknown as StorageVersion
const lamps = served('lamps', 'example.dev', 'Lamp', 'v2')
const deployments = served('deployments', 'apps', 'Deployment', 'v1')
const maps = served('configmaps', '', 'ConfigMap', 'v1')

type Row = [name: string, hints: Partial<ClusterHints>, declared: string[], verdict: string, said: string[]]
const rows: readonly Row[] = [
  [
    'a definition has all that it says is stored',
    { discovered: lamps, definitions: [definition(['v1', 'v2'], ['v1', 'v2'])] },
    [],
    'Safe',
    ['lamps Safe AllDecodable'],
  ],
  [
    'the definition of the target has not',
    { discovered: lamps, definitions: [definition(['v1', 'v2'], ['v1', 'v2'])] },
    ['lamps.example.dev=v2,v3'],
    'Unsafe',
    ['lamps Unsafe NotDecodable example.dev/v1'],
  ],
  [
    'storedVersions was written by hand',
    { discovered: lamps, definitions: [definition(['v0'], ['v1'])] },
    [],
    'Unsafe',
    ['lamps Unsafe NotDecodable example.dev/v0'],
  ],
  [
    'a built-in resource without hints',
    { discovered: maps },
    ['configmaps=v1'],
    'CouldNotSee',
    ['configmaps CouldNotSee PersistedUnknown'],
  ],
  [
    'a release whose versions are not declared',
    { discovered: deployments, states: [state(hash('v1'))] },
    [],
    'CouldNotSee',
    ['deployments CouldNotSee TargetUnknown'],
  ],
  [
    'a StorageState has the hashes of what may be stored',
    { discovered: deployments, states: [state(hash('v1'), hash('v1beta2'))] },
    ['deployments.apps=v1,v1beta2'],
    'Safe',
    ['deployments Safe AllDecodable'],
  ],
  [
    'a stale StorageState is not enough for Safe',
    { discovered: deployments, states: [heard('2026-01-01T11:59:59Z', hash('v1'))] },
    ['deployments.apps=v1'],
    'CouldNotSee',
    ['deployments CouldNotSee PersistedUnknown'],
  ],
  [
    'nor one that was never kept',
    { discovered: deployments, states: [heard(undefined, hash('v1'))] },
    ['deployments.apps=v1'],
    'CouldNotSee',
    ['deployments CouldNotSee PersistedUnknown'],
  ],
  [
    'nor one of a clock that runs ahead',
    { discovered: deployments, states: [heard('2027-01-01T00:00:00Z', hash('v1'))] },
    ['deployments.apps=v1'],
    'CouldNotSee',
    ['deployments CouldNotSee PersistedUnknown'],
  ],
  [
    'what such a state names may still be stored',
    { discovered: deployments, states: [heard('2020-01-01T00:00:00Z', hash('v1beta2'))] },
    ['deployments.apps=v1'],
    'Unsafe',
    [`deployments Unsafe NotDecodable ${hash('v1beta2')}`],
  ],
  [
    'a dead StorageState does not hide what StorageVersions show',
    {
      discovered: deployments,
      states: [heard('2020-01-01T00:00:00Z', hash('v1beta2'))],
      storageVersions: [storageVersion('apps/v1')],
    },
    ['deployments.apps=v1beta2'],
    'Unsafe',
    ['deployments Unsafe NotDecodable apps/v1'],
  ],
  [
    'nor does a live one, between two of its looks',
    {
      discovered: deployments,
      states: [state(hash('v1beta2'))],
      storageVersions: [storageVersion('apps/v1')],
    },
    ['deployments.apps=v1beta2'],
    'Unsafe',
    ['deployments Unsafe NotDecodable apps/v1'],
  ],
  [
    'nor what discovery shows',
    {
      discovered: deployments,
      states: [state(hash('v1beta2'))],
      hashes: new Map([['deployments.apps', hash('v1')]]),
    },
    ['deployments.apps=v1beta2'],
    'Unsafe',
    ['deployments Unsafe NotDecodable apps/v1'],
  ],
  [
    'what discovery shows is enough for a no without any state',
    { discovered: deployments, hashes: new Map([['deployments.apps', 'unheard of']]) },
    ['deployments.apps=v1'],
    'Unsafe',
    ['deployments Unsafe NotDecodable unheard of'],
  ],
  [
    'Q1: storedVersions were cut after a migration that failed',
    { discovered: lamps, definitions: [migrated('MigrationFailed', 'False', 'v2')] },
    [],
    'CouldNotSee',
    ['lamps CouldNotSee PersistedUnknown'],
  ],
  [
    'Q1: and the next attempt hides it',
    { discovered: lamps, definitions: [migrated('MigrationRunning', 'True', 'v2')] },
    [],
    'CouldNotSee',
    ['lamps CouldNotSee PersistedUnknown'],
  ],
  [
    'after one that succeeded they are believed',
    { discovered: lamps, definitions: [migrated('MigrationSucceeded', 'False', 'v2')] },
    [],
    'Safe',
    ['lamps Safe AllDecodable'],
  ],
  [
    'a definition without storedVersions says nothing',
    { discovered: lamps, definitions: [definition([], ['v1', 'v2'])] },
    [],
    'CouldNotSee',
    ['lamps CouldNotSee PersistedUnknown'],
  ],
  [
    'a hash of none of the declared versions',
    { discovered: deployments, states: [state(hash('v1'), hash('v1beta2'))] },
    ['deployments.apps=v1'],
    'Unsafe',
    [`deployments Unsafe NotDecodable ${hash('v1beta2')}`],
  ],
  [
    'a StorageState that knows nothing',
    { discovered: deployments, states: [state('Unknown')] },
    ['deployments.apps=v1'],
    'CouldNotSee',
    ['deployments CouldNotSee PersistedUnknown'],
  ],
  [
    'one without a status',
    { discovered: deployments, states: [state()] },
    ['deployments.apps=v1'],
    'CouldNotSee',
    ['deployments CouldNotSee PersistedUnknown'],
  ],
  [
    'a StorageVersion is enough for a no',
    { discovered: deployments, storageVersions: [storageVersion('apps/v1', 'apps/v2')] },
    ['deployments.apps=v1'],
    'Unsafe',
    ['deployments Unsafe NotDecodable apps/v2'],
  ],
  [
    'and never for a yes',
    { discovered: deployments, storageVersions: [storageVersion('apps/v1')] },
    ['deployments.apps=v1'],
    'CouldNotSee',
    ['deployments CouldNotSee PersistedUnknown'],
  ],
  [
    'a resource that the cluster does not have',
    {},
    ['things.example.dev=v1'],
    'CouldNotSee',
    ['things CouldNotSee PersistedUnknown'],
  ],
  ['questions are not stored', { discovered: [review] }, [], 'CouldNotSee', []],
]
for (const [name, hints, declared, verdict, said] of rows) {
  test(`check, another cluster: ${name}`, () => {
    const all = {
      discovered: [],
      definitions: [],
      states: [],
      storageVersions: [],
      hashes: new Map<string, string>(),
      nowMs,
      ...hints,
    }
    const answer = decideFromHints(all, declared.map(parseDeclared))
    const shown = answer.resources.map((each) =>
      [each.resource, each.verdict, each.reason, ...each.missing].join(' '),
    )
    assert.deepEqual([answer.verdict, shown], [verdict, said])
  })
}

test('check, another cluster: a resource of a group with a dot may be that of a CRD that could not be listed', () => {
  const definitionsUnseen = 'CRDs could not be listed (no right)'
  const nothing = { definitions: [], states: [], storageVersions: [], hashes: new Map<string, string>() }
  const hints = { ...nothing, nowMs, definitionsUnseen, discovered: [...lamps, ...maps] }
  const whys = (...declared: string[]) =>
    decideFromHints(hints, declared.map(parseDeclared)).resources.map(({ message }) => message)
  const [ofMaps, ofLamps] = whys()
  assert.match(ofMaps ?? '', /give --decodable configmaps=/)
  assert.match(ofLamps ?? '', /CRDs could not be listed \(no right\)$/)
  assert.match(whys('lamps.example.dev=v2')[1] ?? '', /CRDs could not be listed \(no right\)$/)
})

test('check: hashes are those of discovery', () => {
  assert.equal(storageVersionHash('v1', 'ConfigMap'), 'qFsyl6wFWjQ=')
  assert.equal(storageVersionHash('apps/v1', 'Deployment'), '8aSe+NMegvE=')
})

test('check: flags and a file declare versions together', () => {
  const file = readDeclaredFile('f', 'deployments.apps: [v1]\nconfigmaps: ["v1"]\n')
  assert.deepEqual(mergeDeclared([...file, parseDeclared('deployments.apps=v1beta2,apps/v1')]), [
    { group: 'apps', resource: 'deployments', decodableVersions: ['apps/v1', 'apps/v1beta2'] },
    { group: '', resource: 'configmaps', decodableVersions: ['v1'] },
  ])
})

const mistakes: ReadonlyArray<[what: string, read: () => unknown, message: RegExp]> = [
  ['no versions', () => parseDeclared('deployments.apps'), /^--decodable "deployments.apps": write resource/],
  ['none named', () => parseDeclared('deployments.apps='), /write resource.group=v1,v2/],
  ['a list for a mapping', () => readDeclaredFile('f', '- a'), /^--decodable-file f: write a mapping/],
  ['a text for a list', () => readDeclaredFile('f', 'a: v1'), /^--decodable-file f: a: give a list/],
  ['no YAML', () => readDeclaredFile('f', 'a: ['), /^--decodable-file f: /],
]
for (const [what, read, message] of mistakes) {
  test(`check: ${what} is refused in one line`, () =>
    assert.throws(read, (error: Error & { exitCode?: number }) => {
      assert.match(error.message, message)
      return error.exitCode === 2 && !error.message.includes('\n')
    }))
}
