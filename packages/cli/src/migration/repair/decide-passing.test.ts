import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PassingFacts, whyItMayPass } from './decide-passing.ts'

const corrupt = (why: string): string =>
  `Internal error occurred: StorageError: corrupt object, Code: 7, Key: /secrets/n/a, ResourceVersion: 0, AdditionalErrorMsg: ${why}`
const noProvider = corrupt('data from the storage is not transformable revision=0: no matching prefix found')
const notStarted = corrupt(
  'data from the storage is not transformable revision=0: got unexpected nil transformer',
)
const kmsAway = corrupt(
  'data from the storage is not transformable revision=0: failed to decrypt DEK, error: rpc error: code = Unavailable desc = connection error',
)
const webhookAway = corrupt(
  'object not decodable revision=238: conversion webhook for ex.dev/v1, Kind=Widget failed: Post "https://h/convert": dial tcp: connect: connection refused',
)
const damaged = corrupt('object not decodable revision=9: invalid character')
const underKms = { form: 'encrypted', key: 'kms:v2:k' } as const
const underLocal = { form: 'encrypted', key: 'aesgcm:v1:key1' } as const
const plain = { form: 'unreadable' } as const

const rows: readonly [what: string, facts: Partial<PassingFacts>, because: RegExp | undefined][] = [
  ['damaged bytes', { messages: [damaged, damaged] }, undefined],
  ['a local key that no server has', { read: underLocal, messages: [noProvider] }, undefined],
  [
    'a local key that is in the given file',
    { read: underLocal, opened: { form: 'json' }, messages: [noProvider] },
    /give that file to every server$/,
  ],
  [
    'a version that no server has, under a key that they have',
    {
      read: underLocal,
      opened: { form: 'json' },
      messages: [corrupt('object not decodable: no kind "A" is registered')],
    },
    undefined,
  ],
  [
    'damaged bytes under a key that is in the given file',
    { read: underKms, opened: plain, messages: [damaged] },
    undefined,
  ],
  ['a KMS that is away', { read: underKms, messages: [kmsAway] }, /KMS provider k, which may only be away/],
  [
    'a KMS that is away since the server started',
    { read: underKms, messages: [notStarted] },
    /start its plugin beside every server/,
  ],
  ['a KMS of which the server says something new', { read: underKms, messages: ['?'] }, /may only be away/],
  [
    'a KMS that only one of two servers has',
    { read: underKms, messages: [noProvider, notStarted] },
    /may only be away/,
  ],
  ['a KMS that no server has any more', { read: underKms, messages: [noProvider, noProvider] }, undefined],
  ['a KMS error about bytes that do not name it', { messages: [kmsAway] }, /^its key provider may only/],
  ['a conversion webhook that is down', { messages: [damaged, webhookAway] }, /conversion webhook fails/],
  ['a connection that fails', { messages: ['x: i/o timeout'] }, /did not answer, and may answer again/],
]
for (const [what, facts, because] of rows) {
  test(`may bytes be read later: ${what}: ${because ? 'perhaps' : 'nothing speaks for it'}`, () => {
    const said = whyItMayPass({ read: plain, messages: [], ...facts })
    if (because === undefined) return assert.equal(said, undefined)
    assert.match(said ?? '', because)
  })
}
