import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry } from '@strata/api'
import { ClusterSigns } from '../../stored/cluster-signs.ts'
import { type DeletionFacts, decideDeletion } from './decide-deletion.ts'

const bytes = {
  key: '/registry/g.dev/lamps/n/a',
  value: Uint8Array.of(1),
  revision: 7,
  read: { form: 'unreadable' },
} as const
const sight = { source: 'etcd at e', isLive: true, found: [bytes], signs: new ClusterSigns() }
const notJson = { name: 'a', said: 'unreadable', message: 'not JSON' } as const
const readers = { kind: 'servers', servers: [notJson], unasked: [] } as const
const status = { servers: [] }
const record = { kind: 'read', spec: {}, status } as const
const base: DeletionFacts = {
  ...{ sight, keys: [bytes.key], strangeness: undefined, comparesRevision: true, readers, record },
}
const snapshot = { ...sight, source: 'snapshot s', isLive: false }
const gap = { epoch: 2, at: '2026-01-01T00:00:00Z', message: '' }
const sealed = { ...bytes, read: { form: 'encrypted', key: 'aesgcm:v1:two' } } as const
const entry = (serverID: string, ...readableKeys: string[]) =>
  ({ serverID, readableKeys, decodableVersions: ['v1'] }) as unknown as AgreementEntry

const rows: readonly [what: string, facts: Partial<DeletionFacts>, because: RegExp | undefined][] = [
  ['bytes of the live store', {}, undefined],
  ['bytes of the live store, on another API server', { comparesRevision: false }, undefined],
  [
    'bytes of a snapshot, whose revision the server compares',
    { sight: { ...sight, isLive: false } },
    undefined,
  ],
  [
    'a snapshot, and a server that compares nothing',
    { sight: { ...sight, isLive: false }, comparesRevision: false },
    /name etcd itself/,
  ],
  [
    'a snapshot whose checksum is wrong',
    { sight: { ...snapshot, doubt: 'the checksum does not match' } },
    /may not be what is stored: the checksum does not match; or name etcd itself/,
  ],
  [
    'a snapshot, and a store that was restored',
    {
      sight: snapshot,
      record: { ...record, status: { ...status, recordingGap: { ...gap, reason: 'StoreRestored' } } },
    },
    /restored or replaced at 2026-01-01T00:00:00Z, .*: name etcd itself/,
  ],
  [
    'a snapshot, and a store that was restored before all was rewritten',
    {
      sight: snapshot,
      record: { ...record, status: { ...status, closedRecordingGap: { ...gap, reason: 'StoreRestored' } } },
    },
    /restored or replaced/,
  ],
  [
    'a snapshot, and a server that did not record',
    {
      sight: snapshot,
      record: { ...record, status: { ...status, recordingGap: { ...gap, reason: 'ServersDidNotRecord' } } },
    },
    undefined,
  ],
  [
    'a snapshot, and no record of the resource',
    { sight: snapshot, record: { kind: 'none' } },
    /whether the store was restored since the snapshot is unknown/,
  ],
  ['etcd itself, and no record of the resource', { record: { kind: 'none' } }, undefined],
  [
    'a record that may not be read',
    { record: { kind: 'not allowed' } },
    /needs the verb get of storageagreements/,
  ],
  [
    'a server that can read it',
    { readers: { ...readers, servers: [notJson, { name: 'b', said: 'readable', message: 'in v1' }] } },
    /^the API server b can decode it/,
  ],
  [
    'a server with the key that was not asked',
    {
      sight: { ...sight, found: [sealed] },
      record: { ...record, status: { servers: [entry('a', 'aesgcm:one:0'), entry('b', 'aesgcm:two:0')] } },
    },
    /^by the record, b can read aesgcm:v1:two/,
  ],
  [
    'a conversion webhook that is away',
    {
      readers: {
        ...readers,
        servers: [
          { ...notJson, message: 'object not decodable: conversion webhook for g/v1, Kind=A failed' },
        ],
      },
    },
    /its conversion webhook fails/,
  ],
  ['no store', { sight: undefined }, /could not be saved, because no API shows them: .* --etcd-servers/],
  [
    'a store of an unknown cluster',
    { strangeness: 'nothing is alike' },
    /not known that etcd at e is of this cluster: nothing is alike/,
  ],
  [
    'no bytes',
    { sight: { ...sight, found: [] } },
    /has nothing at \/registry\/g\.dev\/lamps\/n\/a: its bytes could not be saved/,
  ],
  [
    'two places',
    { sight: { ...sight, found: [bytes, { ...bytes, key: '/registry/lamps/n/a' }] } },
    /not known which of them/,
  ],
]
for (const [what, facts, because] of rows) {
  test(`deletion of undecodable bytes: ${what}: ${because ? 'refused' : 'saved first, then deleted'}`, () => {
    const decision = decideDeletion({ ...base, ...facts })
    if (because === undefined) return assert.deepEqual(decision, { do: 'save and delete', bytes })
    assert.match(decision.do === 'refuse' ? decision.because : '', because)
  })
}
