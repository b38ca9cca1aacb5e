import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReadValue } from '../../stored/read-value.ts'
import { askedText, type Readers, whyReadable, whyReadableByRecord } from './decide-readers.ts'

const a = { name: 'a', said: 'unreadable', message: 'no matching prefix found' } as const
const b = { ...a, name: 'b' }
const base: Readers = { kind: 'servers', servers: [a, b], unasked: [] }

const rows: readonly [what: string, facts: Partial<Readers>, because: RegExp | undefined][] = [
  ['no server can', {}, undefined],
  [
    'one of two can',
    { servers: [a, { ...b, said: 'readable', message: 'in v1' }] },
    /^the API server b can decode it in v1: give the others what it has/,
  ],
  ['one does not find it', { servers: [{ ...a, said: 'absent' }, b] }, /^the API server a does not find it/],
  [
    'one does not say',
    { servers: [a, { ...b, said: 'unknown', message: 'no answer' }] },
    /^the API server b did not say whether .*--feature-gates=.*: no answer$/,
  ],
  ['none was asked', { servers: [] }, /^no API server was asked/],
  [
    'one could not be asked',
    { kind: 'endpoints', unasked: ['https://c: no route'] },
    /could not be asked .*: name each API server with --server \(https:\/\/c: no route\)$/,
  ],
  ['the cluster names all', { kind: 'endpoints', leases: 2 }, undefined],
  [
    'there are more Leases than servers',
    { kind: 'endpoints', leases: 3 },
    /^3 API servers have a Lease in kube-system, and only 2/,
  ],
  [
    'connections to one address, of several servers',
    { kind: 'samples', leases: 2 },
    /cannot be asked one by one/,
  ],
  ['connections to the address of one server', { kind: 'samples', leases: 1 }, undefined],
  ['the user names fewer than have a Lease', { leases: 3 }, /^3 API servers have a Lease .* name each/],
]
for (const [what, facts, because] of rows) {
  test(`can a server decode it: ${what}`, () => {
    const said = whyReadable({ ...base, ...facts })
    if (because === undefined) return assert.equal(said, undefined)
    assert.match(said ?? '', because)
  })
}

test('which servers were asked is said, or that it is not known', () => {
  assert.equal(askedText(base), '2 API servers cannot decode it: a, b')
  assert.match(askedText({ ...base, kind: 'samples' }), /^asked through 2 connections to one address; which/)
})

const one = { serverID: 'one', readableKeys: ['aesgcm:k1:ab', 'kms:k:*'], decodableVersions: ['v1'] }
const two = {
  serverID: 'two',
  readableKeys: ['aesgcm:k1:ab', 'aesgcm:k2:cd'],
  decodableVersions: ['v1', 'v2'],
}
const sealed = (key: string): ReadValue => ({ form: 'encrypted', key })

const records: readonly [what: string, read: ReadValue, because: RegExp | undefined][] = [
  ['a key that one has', sealed('aesgcm:v1:k2'), /^by the record, two can read aesgcm:v1:k2/],
  ['a KMS that one has', sealed('kms:v2:k'), /^by the record, one can read/],
  ['a key that all have: damaged bytes', sealed('aesgcm:v1:k1'), undefined],
  ['a key that none has', sealed('aesgcm:v1:k3'), undefined],
  ['a version that one decodes', { form: 'json', apiVersion: 'g.dev/v2' }, /^by the record, two can/],
  ['a version that all decode: damaged bytes', { form: 'json', apiVersion: 'g.dev/v1' }, undefined],
  ['bytes that say nothing', { form: 'unreadable' }, undefined],
]
for (const [what, read, because] of records) {
  test(`can a server decode it, by the record: ${what}`, () => {
    const said = whyReadableByRecord([one, two], read)
    if (because === undefined) return assert.equal(said, undefined)
    assert.match(said ?? '', because)
  })
}
