import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import type { StatusCondition } from '../meta/condition.ts'
import { type StorageVersionMigration, stateOf } from './storage-version-migration.ts'
import {
  validateMigration,
  validateMigrationStatusUpdate,
  validateMigrationUpdate,
} from './validate-migration.ts'

// What upstream's own tests assert: docs/reference/upstream-behaviour.md, N7.

const specOf = (group: string, resource: string): Pick<StorageVersionMigration, 'spec'> => ({
  spec: { resource: { group, resource } },
})
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const missing = 'spec.resource.resource: Required value: resource is required to be set'

const specs: ReadonlyArray<[name: string, group: string, resource: string, want: readonly string[]]> = [
  ['all fields are non-empty', 'non-empty', 'non-empty', []],
  ['all fields are empty', '', '', [missing]],
  ['resource is empty', 'non-empty', '', [missing]],
  ['resource is invalid', 'non-empty', '.', [`spec.resource.resource: Invalid value: ".": ${label}`]],
  ['group is invalid', '-', 'non-empty', [`spec.resource.group: Invalid value: "-": ${subdomain}`]],
]
for (const [index, [name, group, resource, want]] of specs.entries()) {
  test(`StorageVersionMigration N7, create ${index + 1}: ${name}`, () => {
    assert.deepEqual(validateMigration(specOf(group, resource)).map(fieldErrorText), want)
  })
}

const stored = specOf('example.com', 'myresources')
const immutable = (group: string, resource: string): string =>
  `spec: Invalid value: ${JSON.stringify({ Resource: { group, resource } })}: field is immutable`
const updates: ReadonlyArray<
  [name: string, next: Pick<StorageVersionMigration, 'spec'>, want: readonly string[]]
> = [
  ['no change', stored, []],
  ['a change of metadata', { ...stored, metadata: { labels: { a: 'b' } } } as typeof stored, []],
  [
    'a change of the spec',
    specOf('new.example.com', 'myresources'),
    [immutable('new.example.com', 'myresources')],
  ],
  ['a new object that is invalid', specOf('example.com', ''), [missing, immutable('example.com', '')]],
]
for (const [index, [name, next, want]] of updates.entries()) {
  test(`StorageVersionMigration N7, update ${index + 1}: ${name}`, () => {
    const found = [...validateMigration(next), ...validateMigrationUpdate(next, stored)]
    assert.deepEqual(found.map(fieldErrorText), want)
  })
}

const conditionOf = (type: string, status: StatusCondition['status']): StatusCondition => ({
  type,
  status,
  lastTransitionTime: '2026-11-16T00:00:00Z',
  reason: status === 'True' ? type : `Not${type}`,
  message: '',
})
const running = conditionOf('Running', 'True')
const stopped = conditionOf('Running', 'False')
const succeeded = conditionOf('Succeeded', 'True')
const failed = conditionOf('Failed', 'True')
const statusOf = (
  resourceVersion: string,
  ...conditions: readonly StatusCondition[]
): Pick<StorageVersionMigration, 'status'> => ({
  status: { ...(resourceVersion === '' ? {} : { resourceVersion }), conditions },
})
const said = (conditions: readonly StatusCondition[], why: string): string =>
  `status.conditions: Invalid value: ${JSON.stringify(conditions)}: ${why}`

type StatusRow = [
  name: string,
  next: Pick<StorageVersionMigration, 'status'>,
  before: Pick<StorageVersionMigration, 'status'>,
  want: readonly string[],
]
const unset = [conditionOf('Succeeded', 'False')]
const unfailed = [conditionOf('Failed', 'False')]
const statuses: readonly StatusRow[] = [
  ['the first status, with a revision', statusOf('123', running), statusOf(''), []],
  ['running to succeeded', statusOf('123', stopped, succeeded), statusOf('123', running), []],
  ['running to failed', statusOf('123', stopped, failed), statusOf('123', running), []],
  ['succeeded stays succeeded', statusOf('123', succeeded), statusOf('123', succeeded), []],
  ['failed stays failed', statusOf('123', failed), statusOf('123', failed), []],
  [
    'another revision',
    statusOf('456', running),
    statusOf('123', running),
    ['status.resourceVersion: Invalid value: "456": field is immutable'],
  ],
  [
    'what is no revision',
    statusOf('abc', running),
    statusOf(''),
    ['status.resourceVersion: Invalid value: "abc": resource version is not well formed: abc'],
  ],
  [
    'succeeded and failed at once',
    statusOf('123', succeeded, failed),
    statusOf('123', running),
    [said([succeeded, failed], 'Both success and failed conditions cannot be true at the same time')],
  ],
  [
    'succeeded no more',
    statusOf('123', ...unset),
    statusOf('123', succeeded),
    [said(unset, 'Success condition cannot be set to false once it is true')],
  ],
  [
    'failed no more',
    statusOf('123', ...unfailed),
    statusOf('123', failed),
    [said(unfailed, 'Failed condition cannot be set to false once it is true')],
  ],
]
for (const [index, [name, next, before, want]] of statuses.entries()) {
  test(`StorageVersionMigration N7, status ${index + 1}: ${name}`, () => {
    assert.deepEqual(validateMigrationStatusUpdate(next, before).map(fieldErrorText), want)
  })
}

for (const wrong of ['0', '0123', '-1', '1.0', ' 1']) {
  test(`StorageVersionMigration: ${JSON.stringify(wrong)} is no revision`, () => {
    assert.deepEqual(validateMigrationStatusUpdate(statusOf(wrong), statusOf('')).map(fieldErrorText), [
      `status.resourceVersion: Invalid value: ${JSON.stringify(wrong)}: resource version is not well formed: ${wrong}`,
    ])
  })
}

const states: ReadonlyArray<[want: string, conditions: readonly StatusCondition[]]> = [
  ['Unknown', []],
  ['Running', [running]],
  ['Succeeded', [running, succeeded]],
  ['Failed', [failed, stopped]],
  ['Unknown', [stopped]],
  ['Running', [running, conditionOf('Other', 'True')]],
]
for (const [want, conditions] of states) {
  test(`StorageVersionMigration: ${conditions.map(({ type, status }) => `${type}=${status}`)} is shown as ${want}`, () => {
    assert.equal(stateOf(conditions), want)
  })
}
