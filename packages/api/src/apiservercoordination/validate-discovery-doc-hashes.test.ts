import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import type { DiscoveryDocHash } from './discovery-doc-hashes.ts'
import { validateDiscoveryDocHashes } from './validate-discovery-doc-hashes.ts'

const entry: DiscoveryDocHash = {
  apiServerID: 'apiserver-a',
  builtInAPIHash: 'h1',
  lastHeartbeatTime: '2026-01-01T00:00:00Z',
}

const cases: ReadonlyArray<
  [name: string, hashes: readonly Partial<DiscoveryDocHash>[] | undefined, want: readonly string[]]
> = [
  ['no server is fine', [], []],
  ['one entry with all that it needs', [entry], []],
  ['two servers', [entry, { ...entry, apiServerID: 'apiserver-b' }], []],
  ['the list itself is required', undefined, ['hashes: Required value']],
  [
    'all three fields are required',
    [{}],
    [
      'hashes[0].apiServerID: Required value',
      'hashes[0].builtInAPIHash: Required value',
      'hashes[0].lastHeartbeatTime: Required value',
    ],
  ],
  ['empty is missing', [{ ...entry, builtInAPIHash: '' }], ['hashes[0].builtInAPIHash: Required value']],
  ['a server has one entry', [entry, entry], ['hashes[1].apiServerID: Duplicate value: "apiserver-a"']],
]
for (const [name, hashes, want] of cases) {
  test(`discovery doc hashes: ${name}`, () => {
    assert.deepEqual(validateDiscoveryDocHashes(hashes).map(fieldErrorText), want)
  })
}
