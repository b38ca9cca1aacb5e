import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingGiven } from '../resources/given-flags.ts'
import { decideWays, type ObjectFacts, type Way } from './decide-ways.ts'

const base: ObjectFacts = {
  resource: { group: 'g.dev', resource: 'lamps' },
  ...{ namespace: 'n', name: 'a', reason: 'Denied', message: '', now: 'readable', isCustom: true },
}
const guard = { name: 'guard.g.dev', configuredBy: 'validatingwebhookconfiguration/guard' }
const store = ' --etcd-servers http://127.0.0.1:2379'

const rows: readonly [what: string, facts: Partial<ObjectFacts>, kinds: readonly Way['kind'][]][] = [
  [
    'a schema that refuses it',
    { reason: 'Invalid', message: 'spec.w: Required value' },
    ['edit', 'schema', 'retry'],
  ],
  ['a built-in schema', { reason: 'Invalid', message: 'spec.w: bad', isCustom: false }, ['edit', 'retry']],
  [
    'an immutable field',
    { reason: 'Invalid', message: 'spec.w: field is immutable' },
    ['schema', 'recreate', 'retry'],
  ],
  ['a webhook that denies', { refuser: guard }, ['edit', 'webhook', 'retry']],
  [
    'a policy that denies',
    { refuser: { name: 'p', configuredBy: 'validatingadmissionpolicy/p' } },
    ['edit', 'policy', 'retry'],
  ],
  ['a webhook that is down', { reason: 'WebhookUnavailable' }, ['webhook', 'retry']],
  ['a namespace that goes', { reason: 'NamespaceTerminating' }, ['namespace', 'retry']],
  ['finalizers', { reason: 'NamespaceTerminating', finalizers: ['f'] }, ['finalizers', 'namespace', 'retry']],
  ['a conversion that fails', { reason: 'ConversionFailed' }, ['conversion', 'retry']],
  ['a missing right', { reason: 'Forbidden' }, ['grant', 'retry']],
  ['an object that is too large', { reason: 'TooLarge' }, ['edit', 'retry']],
  ['a server that did not answer', { reason: 'Unavailable' }, ['retry']],
  ['damaged bytes', { now: 'undecodable', message: 'not JSON' }, ['restore', 'delete']],
  [
    'bytes of a version that is gone',
    { now: 'undecodable', message: 'no kind "Lamp" is registered' },
    ['release', 'restore', 'delete'],
  ],
  [
    'bytes under a lost key',
    { now: 'undecodable', message: 'no matching prefix found' },
    ['key', 'restore', 'delete'],
  ],
  [
    'bytes whose KMS is away',
    { now: 'undecodable', message: 'object not decodable: failed to decrypt DEK, error: rpc error' },
    ['key'],
  ],
  [
    'bytes whose conversion webhook is away',
    { now: 'undecodable', message: 'object not decodable: conversion webhook for g/v1, Kind=A failed: Post' },
    ['conversion'],
  ],
  [
    'an immutable field of a built-in kind',
    { reason: 'Invalid', message: 'spec.w: field is immutable', isCustom: false },
    ['recreate', 'retry'],
  ],
  ['an object that is gone', { now: 'gone', reason: 'Undecodable' }, ['take off']],
  ['one that was undecodable, and is not any more', { reason: 'Undecodable', now: 'readable' }, ['retry']],
]
for (const [what, facts, kinds] of rows) {
  test(`ways to mend ${what}: the first one is recommended`, () => {
    const ways = decideWays({ ...base, ...facts }, nothingGiven)
    assert.deepEqual(
      ways.map(({ kind }) => kind),
      kinds,
    )
    assert.deepEqual(
      ways.map(({ isRecommended }) => isRecommended),
      kinds.map((_, index) => index === 0),
    )
    // The report puts it before those that are not recommended.
    for (const { text } of ways) assert.doesNotMatch(text, /^or /)
  })
}

test('ways: commands name the object, the configuration and the cluster', () => {
  const given = { strata: ' --context c', kubectl: ' --context c', controllers: '' }
  const commands = decideWays({ ...base, refuser: guard }, given).map(({ command }) => command)
  assert.deepEqual(commands, [
    'kubectl edit lamps.g.dev a --namespace n --context c',
    'kubectl edit validatingwebhookconfiguration/guard --context c',
    'strata repair lamps.g.dev --object n/a --retry --context c',
  ])
})

test('ways: an undecodable object is only deleted where its bytes can be read', () => {
  const damaged = { ...base, now: 'undecodable' } as const
  const [blind] = decideWays(damaged, nothingGiven)
  assert.equal(blind?.command, undefined)
  assert.match(blind?.text ?? '', /its bytes are saved first, so name the store: --etcd-servers/)
  const [seeing] = decideWays({ ...damaged, store }, nothingGiven)
  assert.equal(seeing?.command, `strata repair lamps.g.dev --object n/a --delete-undecodable${store}`)
})
