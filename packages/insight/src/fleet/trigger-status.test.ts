import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageAgreement, StorageState } from '@strata/api'
import type { MigrationObject } from '../migration/migration-view.ts'
import type { ResourceStatus } from './resource-status.ts'
import { describeTrigger, renderTrigger, type TriggerFacts } from './trigger-status.ts'

const state = (name: string, persisted: string[], current?: string): StorageState =>
  ({
    metadata: { name },
    spec: { resource: { group: 'g.dev', resource: name } },
    status: {
      persistedStorageVersionHashes: persisted,
      ...(current ? { currentStorageVersionHash: current } : {}),
    },
  }) as unknown as StorageState
const migration = (name: string, is: string, percent?: number): MigrationObject => ({
  metadata: { name },
  spec: { resource: { group: 'g.dev', resource: 'things' } },
  status: {
    conditions: is === '' ? [] : [{ type: is, status: 'True' }],
    ...(percent === undefined ? {} : { percent }),
  },
})

/** Where all agree on v1, in epoch 2. */
const record = (...persisted: readonly [encodingVersion: string, writeKey: string, epoch: number][]) =>
  ({
    metadata: { name: 'g.dev.things', uid: 'r' },
    spec: { group: 'g.dev', resource: 'things' },
    status: {
      ...{ epoch: 2, agreedVersion: 'v1', encodings: ['v1 k2 f strict'], servers: [], conditions: [] },
      persisted: persisted.map(([encodingVersion, writeKey, epoch]) => ({
        encodingVersion,
        writeKey,
        epoch,
      })),
    },
  }) satisfies StorageAgreement
const disagreed = (each: StorageAgreement): StorageAgreement => {
  const { agreedVersion: _, ...status } = each.status
  return { ...each, status }
}
const accepting = (recordUID: string, epoch: number): StorageState => {
  const { status, ...each } = state('things.g.dev', ['a'], 'a')
  return { ...each, status: { ...status, accepted: { recordUID, epoch } } }
}
const renewed = '2026-01-01T00:00:00Z'
const leader = { isHeld: true, renewed, durationSeconds: 15 } as const
const nowMs = Date.parse(renewed) + 10_000
const none = 'Migrations: 1 resource is watched, and none may have objects in an old version or key.'
const one =
  'Migrations: 1 resource is watched, and 1 may have objects in an old version or key: things.g.dev.'

const rows: readonly [
  name: string,
  facts: TriggerFacts,
  want: string,
  record?: StorageAgreement,
  nowMs?: number,
][] = [
  ['no StorageStates', { states: [], migrations: [], leader }, ''],
  [
    'no StorageStates, and the record says that something may be left',
    { states: [], migrations: [], leader: { isHeld: false } },
    'Migrations: 1 resource may have objects in an old version or key: things.g.dev. No controllers are running to migrate them: strata migrate things.g.dev.',
    record(['v1', 'k2', 2], ['v0', 'k2', 1]),
  ],
  [
    'no StorageStates, and the record says that all is current',
    { states: [], migrations: [], leader: { isHeld: false } },
    '',
    record(['v1', 'k2', 2]),
  ],
  [
    'no StorageStates, and while the servers disagree nothing can be migrated',
    { states: [], migrations: [], leader: { isHeld: false } },
    '',
    disagreed(record(['v1', 'k2', 2], ['v0', 'k2', 1])),
  ],
  ['whose books may not be seen', { states: undefined, migrations: [], leader }, ''],
  [
    'no answer about any of it',
    { states: undefined, migrations: undefined, leader: undefined, unanswered: ['a', 'b'] },
    'Migrations: no answer about a, b; there may be more.',
  ],
  [
    'no answer about a part of it',
    { states: [state('things.g.dev', ['a'], 'a')], migrations: [], leader: undefined, unanswered: ['a'] },
    `${none}\nMigrations: no answer about a; there may be more.`,
  ],
  [
    'in a rotation, what is under the key of before has the same hash',
    { states: [state('things.g.dev', ['a'], 'a')], migrations: [], leader },
    one,
    record(['v1', 'k2', 2], ['v1', 'k1', 1]),
  ],
  [
    'after it',
    { states: [state('things.g.dev', ['a'], 'a')], migrations: [], leader },
    none,
    record(['v1', 'k2', 2]),
  ],
  [
    'what the books have left out on the word of a migration is left out',
    { states: [accepting('r', 2)], migrations: [], leader },
    none,
    record(['v1', 'k2', 2], ['v1', 'k1', 1]),
  ],
  [
    'not so of another record',
    { states: [accepting('lost', 2)], migrations: [], leader },
    one,
    record(['v1', 'k2', 2], ['v1', 'k1', 1]),
  ],
  [
    'kinds of the agreement itself have one version for ever, also after a recording gap',
    { states: [state('leases.coordination.k8s.io', ['a'], 'a')], migrations: [], leader },
    none,
    {
      ...record(['v1', 'k2', 2], ['Unknown', 'Unknown', 1]),
      spec: { group: 'coordination.k8s.io', resource: 'leases' },
    },
  ],
  [
    'the holder of the Lease was killed',
    { states: [state('things.g.dev', ['a'], 'a')], migrations: [], leader },
    `${none.slice(0, -1)}; no controllers are running, if this machine's clock is right (their Lease was last renewed at ${renewed}): start them with "strata controllers".`,
    record(['v1', 'k2', 2]),
    nowMs + 10_000,
  ],
  [
    'all is as it should be',
    { states: [state('things.g.dev', ['a'], 'a')], migrations: [migration('old', 'Succeeded')], leader },
    'Migrations: 1 resource is watched, and none may have objects in an old version or key.',
  ],
  [
    'one is under way',
    {
      states: [state('things.g.dev', ['a', 'b'], 'b'), state('others.g.dev', ['a'], 'a')],
      migrations: [migration('things-epoch-3', 'Running', 40)],
      leader: undefined,
    },
    'Migrations: 2 resources are watched, and 1 may have objects in an old version or key: things.g.dev; under way: things.g.dev (things-epoch-3: Running, 40 %).',
  ],
  [
    'no controllers',
    {
      states: [state('things.g.dev', ['Unknown'])],
      migrations: [migration('m', '')],
      leader: { isHeld: false },
    },
    'Migrations: 1 resource is watched, and 1 may have objects in an old version or key: things.g.dev; under way: things.g.dev (m: not begun); no controllers are running: start them with "strata controllers".',
  ],
]
for (const [name, facts, want, about, atMs = nowMs] of rows) {
  test(`status of the trigger: ${name}`, () => {
    assert.equal(renderTrigger(describeTrigger(facts, about ? [about] : [], atMs)), want)
  })
}

test('status of the trigger: events are named, which are agreed and not watched', () => {
  const facts: TriggerFacts = {
    states: [state('things.g.dev', ['a'], 'a')],
    migrations: [],
    leader: undefined,
  }
  const events = { resource: 'events', persistedVersions: [], servers: {} } as unknown as ResourceStatus
  assert.match(
    renderTrigger(describeTrigger(facts, [], nowMs), [events]),
    /^Migrations: 1 resource is watched \(not events: they expire\), and none /,
  )
})

test('status of the trigger: what was not seen is left out', () => {
  const unseen = { states: undefined, migrations: undefined, leader: undefined }
  const seen = describeTrigger(unseen, [], nowMs)
  assert.equal(JSON.stringify(seen), '{}')
})

test('status of the trigger: the command comes after a server that can read what is stored', () => {
  const facts: TriggerFacts = { states: [], migrations: [], leader: { isHeld: false } }
  const trigger = describeTrigger(facts, [record(['v1', 'k2', 2], ['v0', 'k2', 1])], nowMs)
  const resource = (...decodes: string[]) =>
    ({
      ...{
        resource: 'things.g.dev',
        persistedVersions: ['v1', 'v0', 'Unknown'],
        servers: { a: { decodes } },
      },
    }) as unknown as ResourceStatus
  assert.match(
    renderTrigger(trigger, [resource('v1')]),
    / No controllers are running to migrate them: first do what is said above, then strata migrate things\.g\.dev\.$/,
  )
  assert.match(
    renderTrigger(trigger, [resource('v0', 'v1')]),
    / to migrate them: strata migrate things\.g\.dev\.$/,
  )
})
