import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import { maxQuarantine } from './migration-progress.ts'
import {
  validateVersioned,
  validateVersionedStatus,
  validateVersionedUpdate,
} from './validate-versioned-migration.ts'
import type { VersionedMigrationCondition, VersionedMigrationStatus } from './versioned-migration.ts'

const resource = { group: 'apps', version: 'v1', resource: 'deployments' }

const specs: ReadonlyArray<[name: string, change: Partial<typeof resource>, want: readonly string[]]> = [
  ['right', {}, []],
  ['of the core group', { group: '' }, []],
  [
    'without a resource',
    { resource: '' },
    ['spec.resource.resource: Required value: must name the resource to migrate'],
  ],
  [
    'without a version',
    { version: '' },
    ['spec.resource.version: Required value: must name the API version that the migrator uses'],
  ],
]
for (const [name, change, want] of specs) {
  test(`migration.k8s.io: a migration ${name}`, () => {
    const spec = { resource: { ...resource, ...change } }
    assert.deepEqual(validateVersioned({ spec }).map(fieldErrorText), want)
  })
}

test('migration.k8s.io: a migration of what is no resource, in what is no version', () => {
  const spec = { resource: { group: '-', version: '1', resource: 'Bad_Res' } }
  assert.deepEqual(
    validateVersioned({ spec }).map(({ path }) => path),
    ['spec.resource.resource', 'spec.resource.group', 'spec.resource.version'],
  )
})

test('migration.k8s.io: a migrator keeps its place, and changes nothing else of the spec', () => {
  const next = (change: Partial<typeof resource>, continueToken = 'there') =>
    validateVersionedUpdate(
      { spec: { resource: { ...resource, ...change }, continueToken } },
      { spec: { resource } },
    ).map(fieldErrorText)
  assert.deepEqual(next({}), [])
  assert.deepEqual(next({ version: 'v2' }), [
    'spec.resource: Invalid value: {"group":"apps","version":"v2","resource":"deployments"}: field is immutable',
  ])
})

const conditionOf = (
  type: string,
  status: VersionedMigrationCondition['status'] = 'True',
): VersionedMigrationCondition => ({ type, status, lastUpdateTime: '2026-11-16T00:00:00Z' })
const quoted = (...conditions: readonly VersionedMigrationCondition[]): string =>
  `status.conditions: Invalid value: ${JSON.stringify(conditions)}:`
const [running, succeeded, failed] = ['Running', 'Succeeded', 'Failed'].map((type) => conditionOf(type)) as [
  VersionedMigrationCondition,
  VersionedMigrationCondition,
  VersionedMigrationCondition,
]

type Row = [
  name: string,
  next: VersionedMigrationStatus,
  before: VersionedMigrationStatus | undefined,
  want: readonly string[],
]
const zero = 'must be greater than or equal to zero'
const statuses: readonly Row[] = [
  ['first running', { conditions: [running] }, undefined, []],
  ['running to succeeded', { conditions: [succeeded] }, { conditions: [running] }, []],
  ['running to failed', { conditions: [failed] }, { conditions: [running] }, []],
  [
    'both at once',
    { conditions: [succeeded, failed] },
    undefined,
    [`${quoted(succeeded, failed)} Succeeded and Failed cannot both be True`],
  ],
  [
    'succeeded no more',
    { conditions: [running] },
    { conditions: [succeeded] },
    [`${quoted(running)} Succeeded must stay True: create another migration to migrate again`],
  ],
  [
    'failed no more',
    { conditions: [] },
    { conditions: [failed] },
    [`${quoted()} Failed must stay True: create another migration to try again`],
  ],
  [
    'a type twice',
    { conditions: [running, conditionOf('Running', 'False')] },
    undefined,
    ['status.conditions[1].type: Duplicate value: "Running"'],
  ],
  [
    'another status',
    { conditions: [conditionOf('Running', 'Maybe' as 'True')] },
    undefined,
    ['status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"'],
  ],
  [
    'progress',
    {
      epoch: 3,
      target: { how: 'record', encodingVersion: 'apps/v1', epoch: 3 },
      ...{ total: 10, migrated: 4, alreadyCurrent: 5, quarantined: 1, percent: 100 },
      quarantine: [{ namespace: 'a', name: 'b', reason: 'Denied', message: 'a webhook said no' }],
      ...{ ratePerSecond: 1.5, etaSeconds: 0, continueToken: 'there', result: 'Unknown' },
    },
    undefined,
    [],
  ],
  [
    'less than nothing',
    { total: -1, ratePerSecond: -0.5, percent: 101 },
    undefined,
    [
      `status.total: Invalid value: -1: ${zero}`,
      `status.ratePerSecond: Invalid value: -0.5: ${zero}`,
      'status.percent: Invalid value: 101: must be between 0 and 100, inclusive',
    ],
  ],
  [
    'unknown words',
    { target: { how: 'guess' as 'record' }, result: 'Fine' as 'Proven' },
    undefined,
    [
      'status.target.how: Unsupported value: "guess": supported values: "record", "storageversion", "definition", "discovery", "unpublished"',
      'status.result: Unsupported value: "Fine": supported values: "Proven", "ObservedClean", "Unknown"',
    ],
  ],
  [
    'a quarantine without reasons',
    { quarantine: [{ name: '', reason: '' }] },
    undefined,
    ['status.quarantine[0].name: Required value', 'status.quarantine[0].reason: Required value'],
  ],
  [
    'a quarantine without bounds',
    { quarantine: Array.from({ length: maxQuarantine + 1 }, () => ({ name: 'a', reason: 'Denied' })) },
    undefined,
    ['status.quarantine: Too many: 101: must have at most 100 items'],
  ],
]
for (const [name, next, before, want] of statuses) {
  test(`migration.k8s.io: a status of ${name}`, () => {
    const stored = before ? { status: before } : {}
    assert.deepEqual(validateVersionedStatus({ status: next }, stored).map(fieldErrorText), want)
  })
}
