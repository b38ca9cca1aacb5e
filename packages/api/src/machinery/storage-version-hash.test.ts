import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storageVersionHash } from './storage-version-hash.ts'

// docs/reference/upstream-behaviour.md, section 2: values that equal a real cluster's.
const known: ReadonlyArray<[apiVersion: string, kind: string, hash: string]> = [
  ['v1', 'ConfigMap', 'qFsyl6wFWjQ='],
  ['v1', 'Secret', 'S6u1pOWzb84='],
  ['v1', 'ServiceAccount', 'pbx9ZvyFpBE='],
  ['v1', 'ResourceQuota', '8uhSgffRX6w='],
  ['v1', 'LimitRange', 'EBKMFVe6cwo='],
  ['coordination.k8s.io/v1', 'Lease', 'gqkMMb/YqFM='],
  ['stable.example.com/v2', 'CronTab', 'TR6IKIUpEME='],
]
for (const [apiVersion, kind, hash] of known) {
  test(`storage version hash: ${apiVersion} ${kind}`, () =>
    assert.equal(storageVersionHash(apiVersion, kind), hash))
}
