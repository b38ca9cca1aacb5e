import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  persistedHashesOf,
  type ReportedHash,
  type StorageStateStatus,
  settledStatus,
} from './storage-state-status.ts'

const reported = (reporterID: string, hash: string, minute?: number): ReportedHash => ({
  reporterID,
  currentStorageVersionHash: hash,
  ...(minute === undefined ? {} : { lastHeartbeatTime: `2026-11-16T00:${minute}:00Z` }),
})

const rows: ReadonlyArray<[name: string, said: StorageStateStatus, want: StorageStateStatus]> = [
  ['nothing said is Unknown', {}, { persistedStorageVersionHashes: ['Unknown'] }],
  [
    'an empty list is Unknown',
    { persistedStorageVersionHashes: [], currentStorageVersionHash: 'v1' },
    { persistedStorageVersionHashes: ['Unknown'], currentStorageVersionHash: 'v1' },
  ],
  [
    'each hash is there once',
    { persistedStorageVersionHashes: ['v1', 'v2', 'v1'], currentStorageVersionHash: 'v2' },
    { persistedStorageVersionHashes: ['v1', 'v2'], currentStorageVersionHash: 'v2' },
  ],
  [
    'what is written now may be stored',
    { persistedStorageVersionHashes: ['v1'], currentStorageVersionHash: 'v2' },
    { persistedStorageVersionHashes: ['v1', 'v2'], currentStorageVersionHash: 'v2' },
  ],
  [
    'nothing needs to be added to Unknown',
    { persistedStorageVersionHashes: ['Unknown'], currentStorageVersionHash: 'v2' },
    { persistedStorageVersionHashes: ['Unknown'], currentStorageVersionHash: 'v2' },
  ],
  [
    'what all reporters say is the current hash, since the oldest heartbeat',
    {
      persistedStorageVersionHashes: ['v2'],
      currentStorageVersionHashes: [
        reported('a', 'v2', 20),
        reported('b', 'v2', 10),
        reported('c', 'v2', 30),
      ],
      currentStorageVersionHash: 'v1',
      lastHeartbeatTime: '2020-01-01T00:00:00Z',
    },
    {
      persistedStorageVersionHashes: ['v2'],
      currentStorageVersionHashes: [
        reported('a', 'v2', 20),
        reported('b', 'v2', 10),
        reported('c', 'v2', 30),
      ],
      currentStorageVersionHash: 'v2',
      lastHeartbeatTime: '2026-11-16T00:10:00Z',
    },
  ],
  [
    'reporters that differ have no current hash, and may have written all of theirs',
    {
      persistedStorageVersionHashes: ['v1'],
      currentStorageVersionHashes: [reported('a', 'v2', 20), reported('b', 'v1', 20)],
      currentStorageVersionHash: 'v1',
    },
    {
      persistedStorageVersionHashes: ['v1', 'v2'],
      currentStorageVersionHashes: [reported('a', 'v2', 20), reported('b', 'v1', 20)],
      lastHeartbeatTime: '2026-11-16T00:20:00Z',
    },
  ],
  [
    'a reporter without a heartbeat leaves none',
    { currentStorageVersionHashes: [reported('a', 'v1', 20), reported('b', 'v1')] },
    {
      currentStorageVersionHashes: [reported('a', 'v1', 20), reported('b', 'v1')],
      persistedStorageVersionHashes: ['Unknown'],
      currentStorageVersionHash: 'v1',
    },
  ],
]
for (const [name, said, want] of rows) {
  test(`StorageState: ${name}`, () => {
    assert.deepEqual(settledStatus(said), want)
    assert.deepEqual(settledStatus(want), want)
  })
}

const persisted: ReadonlyArray<[status: StorageStateStatus | undefined, want: readonly string[]]> = [
  [undefined, ['Unknown']],
  [{}, ['Unknown']],
  [{ persistedStorageVersionHashes: [] }, ['Unknown']],
  [{ persistedStorageVersionHashes: ['v1', 'v2'] }, ['v1', 'v2']],
]
for (const [status, want] of persisted) {
  test(`StorageState: of ${JSON.stringify(status)}, ${want} may be stored`, () => {
    assert.deepEqual(persistedHashesOf(status === undefined ? {} : { status }), want)
  })
}
