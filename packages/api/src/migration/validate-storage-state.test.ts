import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import type { StorageStateStatus } from './storage-state-status.ts'
import { validateState, validateStateStatus, validateStateUpdate } from './validate-storage-state.ts'

const must = (expected: string): string =>
  `must be "${expected}", which is what spec.resource says: <resource>.<group>, or <resource> in the core group`

const names: ReadonlyArray<
  [name: string, resource: { readonly group?: string; readonly resource: string }, want: readonly string[]]
> = [
  ['deployments.apps', { group: 'apps', resource: 'deployments' }, []],
  ['secrets', { group: '', resource: 'secrets' }, []],
  ['secrets', { resource: 'secrets' }, []],
  [
    'deployments',
    { group: 'apps', resource: 'deployments' },
    [`metadata.name: Invalid value: "deployments": ${must('deployments.apps')}`],
  ],
  [
    'secrets.core',
    { group: '', resource: 'secrets' },
    [`metadata.name: Invalid value: "secrets.core": ${must('secrets')}`],
  ],
  [
    'apps.deployments',
    { group: 'apps', resource: 'deployments' },
    [`metadata.name: Invalid value: "apps.deployments": ${must('deployments.apps')}`],
  ],
  ['x', { group: 'apps', resource: '' }, ['spec.resource.resource: Required value: must name the resource']],
]
for (const [name, resource, want] of names) {
  test(`StorageState: ${name} is ${want.length === 0 ? '' : 'not '}the name of ${JSON.stringify(resource)}`, () => {
    assert.deepEqual(validateState({ metadata: { name }, spec: { resource } }).map(fieldErrorText), want)
  })
}

test('StorageState: what is no resource and no group has no state', () => {
  const found = validateState({
    metadata: { name: 'Bad_Res.-' },
    spec: { resource: { group: '-', resource: 'Bad_Res' } },
  })
  assert.deepEqual(
    found.map(({ path }) => path),
    ['spec.resource.resource', 'spec.resource.group'],
  )
})

const specOf = (group: string | undefined, resource: string) => ({
  spec: { resource: { ...(group === undefined ? {} : { group }), resource } },
})
const updates: ReadonlyArray<
  [name: string, next: ReturnType<typeof specOf>, before: ReturnType<typeof specOf>, want: readonly string[]]
> = [
  ['the same', specOf('apps', 'deployments'), specOf('apps', 'deployments'), []],
  ['the core group said in two ways', specOf(undefined, 'secrets'), specOf('', 'secrets'), []],
  [
    'another resource',
    specOf('apps', 'daemonsets'),
    specOf('apps', 'deployments'),
    ['spec.resource: Invalid value: {"group":"apps","resource":"daemonsets"}: field is immutable'],
  ],
  [
    'another group',
    specOf('extensions', 'deployments'),
    specOf('apps', 'deployments'),
    ['spec.resource: Invalid value: {"group":"extensions","resource":"deployments"}: field is immutable'],
  ],
]
for (const [name, next, before, want] of updates) {
  test(`StorageState: an update to ${name}`, () => {
    assert.deepEqual(validateStateUpdate(next, before).map(fieldErrorText), want)
  })
}

const hash = (reporterID: string, currentStorageVersionHash: string) => ({
  reporterID,
  currentStorageVersionHash,
})
const statuses: ReadonlyArray<[name: string, status: StorageStateStatus, want: readonly string[]]> = [
  ['nothing', {}, []],
  ['hashes', { persistedStorageVersionHashes: ['Unknown', 'v1'], currentStorageVersionHash: 'v1' }, []],
  [
    'an empty hash',
    { persistedStorageVersionHashes: ['v1', ''] },
    ['status.persistedStorageVersionHashes[1]: Required value'],
  ],
  [
    'a time that is none',
    { lastHeartbeatTime: 'soon' },
    [
      'status.lastHeartbeatTime: Invalid value: "soon": parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
    ],
  ],
  ['reporters', { currentStorageVersionHashes: [hash('a', 'v1'), hash('b', 'v2')] }, []],
  [
    'the same reporter twice',
    { currentStorageVersionHashes: [hash('a', 'v1'), hash('a', 'v2')] },
    ['status.currentStorageVersionHashes[1].reporterID: Duplicate value: "a"'],
  ],
  [
    'reporters without an id or a hash',
    { currentStorageVersionHashes: [hash('', 'v1'), hash('b', '')] },
    [
      'status.currentStorageVersionHashes[0].reporterID: Required value',
      'status.currentStorageVersionHashes[1].currentStorageVersionHash: Required value',
    ],
  ],
]
for (const [name, status, want] of statuses) {
  test(`StorageState: a status of ${name}`, () => {
    assert.deepEqual(validateStateStatus({ status }).map(fieldErrorText), want)
  })
}
