import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry, StorageAgreement } from '@strata/api'
import { describeWriters, isReadByAll, listed, viewRecord } from './record-view.ts'

const entry = (serverID: string, version: string, decodable: readonly string[]): AgreementEntry => ({
  ...{ serverID, process: '', encodingVersion: `g/${version}`, servedVersions: [], guarantee: 'strict' },
  decodableVersions: decodable.map((each) => `g/${each}`),
  ...{ writeKey: 'identity', readableKeys: [], encoderFingerprint: '' },
})
const view = (...servers: readonly AgreementEntry[]) => {
  const status = { epoch: 3, encodings: [], servers, conditions: [] } as StorageAgreement['status']
  return viewRecord(status, [
    { name: 'strata-1', serverID: 'id-1' },
    { name: 'strata-2', serverID: 'id-2' },
  ])
}

test('record view: servers have their names, and stand in their order', () => {
  const record = view(
    entry('id-2', 'v1', ['v1']),
    entry('foreign', 'v1', ['v1']),
    entry('id-1', 'v2', ['v1', 'v2']),
  )
  assert.equal(describeWriters(record), 'foreign and strata-2 write v1, strata-1 writes v2')
  assert.equal(record.agreed, undefined)
})

test('record view: every server reads what some server writes, or not', () => {
  const reads = ['v1', 'v2']
  assert.equal(isReadByAll(view(entry('id-1', 'v2', reads), entry('id-2', 'v1', reads))), true)
  assert.equal(isReadByAll(view(entry('id-1', 'v2', reads), entry('id-2', 'v1', ['v1']))), false)
})

test('record view: a list of names', () => {
  assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed), ['', 'a', 'a and b', 'a, b and c'])
})
