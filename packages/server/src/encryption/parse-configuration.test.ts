import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { parseConfiguration } from './parse-configuration.ts'
import { providersOf } from './rule-of.ts'

const isPlain = ({ resource }: { resource: string }): boolean => resource === 'leases'
const secret16 = Buffer.alloc(16, 7).toString('base64')
const secret32 = Buffer.alloc(32, 7).toString('base64')
const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n'

function read(text: string) {
  return parseConfiguration(parse(text), isPlain)
}
const rule = (resources: string, provider = '{identity: {}}'): string =>
  `${head}resources: [{resources: ${resources}, providers: [${provider}]}]`
const keys = (kind: string, key: string): string => rule('[secrets]', `{${kind}: {keys: [${key}]}}`)
const kms = (fields: string): string => rule('[secrets]', `{kms: {${fields}}}`)
const socket = 'endpoint: unix:///tmp/kms.sock'

const refused: ReadonlyArray<[name: string, text: string, problem: RegExp]> = [
  ['no object', '[]', /^must be an object with apiVersion, kind, resources$/],
  [
    'another kind',
    'apiVersion: v1\nkind: Secret\nresources: []',
    /^apiVersion: must be apiserver.config.k8s.io\/v1$/,
  ],
  ['an unknown field', `${rule('[secrets]')}\nprovider: x`, /^provider: unknown field/],
  [
    'a secret where a name should be',
    keys('aescbc', `{name: k, ${secret32}: }`),
    /keys\[0\]: a field with a name that is not shown, since it may be a secret; there are name, secret$/,
  ],
  ['no rules', `${head}resources: []`, /^resources: is required/],
  ['no resources', rule('[]'), /^resources\[0\].resources: is required/],
  ['no providers', `${head}resources: [{resources: [secrets]}]`, /^resources\[0\].providers: is required/],
  ['capital letters', rule('[Secrets]'), /resources\[0\].resources\[0\]: "Secrets": .*no capital letters/],
  ['a star alone', rule("['*']"), /write '\*\.' for everything in the core group/],
  ['a resource of all groups', rule("['secrets.*']"), /write 'secrets' or 'secrets.GROUP'/],
  ['events by their other group', rule('[events.events.k8s.io]'), /write 'events'/],
  ['the group that is gone', rule('[deployments.extensions]'), /that group is gone/],
  ['what has no API', rule('[serviceipallocations]'), /is not served by any API/],
  [
    'a kind that agreement is made of',
    rule('[leases.coordination.k8s.io]'),
    /so it cannot be encrypted; remove it/,
  ],
  ['a resource twice', rule('[secrets, secrets]'), /names a resource twice/],
  ['a wildcard over its neighbour', rule("['*.', secrets]"), /a wildcard covers another name/],
  ['everything and something', rule("['*.*', secrets]"), /a wildcard covers another name/],
  [
    'a rule behind a wildcard',
    `${head}resources:\n- {resources: ['*.'], providers: [{identity: {}}]}\n- {resources: [secrets], providers: [{identity: {}}]}`,
    /resources\[1\].resources\[0\]: "secrets" is covered by '\*\.' of an earlier rule; put the wildcard last/,
  ],
  ['two providers in one item', rule('[secrets]', '{identity: {}, aescbc: {keys: []}}'), /give each an item/],
  [
    'no provider in an item',
    rule('[secrets]', '{}'),
    /must be one of aescbc, aesgcm, secretbox, kms, identity/,
  ],
  ['identity without braces', rule('[secrets]', '{identity: }'), /write identity: \{\}/],
  ['an unknown provider', rule('[secrets]', '{rot13: {}}'), /providers\[0\].rot13: unknown field/],
  ['no keys', rule('[secrets]', '{aescbc: {keys: []}}'), /aescbc.keys: is required/],
  ['a key without a name', keys('aescbc', `{secret: ${secret32}}`), /keys\[0\].name: is required/],
  ['a key without a secret', keys('aescbc', '{name: a}'), /keys\[0\].secret: is required/],
  ['a secret that is not base64', keys('aesgcm', '{name: a, secret: "!!!!"}'), /secret: is not base64/],
  [
    'a short secret',
    keys('aesgcm', '{name: a, secret: c2hvcnQ=}'),
    /has 5 bytes, and must have one of 16, 24, 32/,
  ],
  [
    'half a secret for secretbox',
    keys('secretbox', `{name: a, secret: ${secret16}}`),
    /has 16 bytes, and must have 32/,
  ],
  ['KMS v1', kms(`name: a, ${socket}`), /apiVersion: KMS v1 is not spoken here/],
  [
    'a KMS with a cache',
    kms(`apiVersion: v2, name: a, ${socket}, cachesize: 5`),
    /cachesize: belongs to KMS v1/,
  ],
  ['a KMS without a name', kms(`apiVersion: v2, ${socket}`), /kms.name: is required/],
  ['a KMS with a colon', kms(`apiVersion: v2, name: 'a:b', ${socket}`), /must have no colon/],
  ['a KMS without a socket', kms('apiVersion: v2, name: a'), /endpoint: is required/],
  ['a KMS elsewhere', kms('apiVersion: v2, name: a, endpoint: "https://x"'), /is no socket; write unix/],
  [
    'a KMS without patience',
    kms(`apiVersion: v2, name: a, ${socket}, timeout: 0s`),
    /timeout: must be a duration/,
  ],
  [
    'two KMS of one name',
    rule(
      '[secrets]',
      `{kms: {apiVersion: v2, name: a, ${socket}}}, {kms: {apiVersion: v2, name: a, ${socket}}}`,
    ),
    /providers\[1\].kms.name: "a" is the name of another KMS provider/,
  ],
]
for (const [name, text, problem] of refused) {
  test(`encryption configuration: ${name} is refused, with the field and the remedy`, () => {
    const read_ = read(text)
    assert.ok('problems' in read_, 'it was taken')
    assert.match(read_.problems.join('\n'), new RegExp(problem.source, 'm'))
    assert.doesNotMatch(
      read_.problems.join(),
      new RegExp(secret32.slice(0, 20)),
      'a secret stands in the message',
    )
  })
}

const example = `${head}resources:
- resources: [events]
  providers: [{identity: {}}]
- resources: [secrets, pandas.awesome.bears.example]
  providers:
  - aescbc: {keys: [{name: key1, secret: ${secret32}}]}
  - identity: {}
- resources: ['*.apps']
  providers: [{aesgcm: {keys: [{name: key2, secret: ${secret16}}]}}]
- resources: [secrets]
  providers: [{secretbox: {keys: [{name: key3, secret: ${secret32}}]}}]
- resources: ['*.*']
  providers: [{kms: {apiVersion: v2, name: vault, ${socket}, timeout: 1m30s}}]
`

const matched: ReadonlyArray<[group: string, resource: string, want: readonly string[]]> = [
  ['', 'events', ['identity']],
  ['', 'secrets', ['aescbc', 'identity', 'secretbox']],
  ['awesome.bears.example', 'pandas', ['aescbc', 'identity']],
  ['apps', 'deployments', ['aesgcm']],
  ['', 'configmaps', ['kms']],
  ['other.example', 'secrets', ['kms']],
]
for (const [group, resource, want] of matched) {
  test(`encryption configuration: ${resource} of ${group || 'the core group'} is under ${want.join(', ')}`, () => {
    const read_ = read(example)
    assert.ok('configuration' in read_, JSON.stringify(read_))
    assert.deepEqual(
      providersOf(read_.configuration, { group, resource }).map(({ kind }) => kind),
      want,
    )
  })
}

test('encryption configuration: what no rule names is stored as it is', () => {
  const read_ = read(rule('[secrets]', `{aescbc: {keys: [{name: a, secret: ${secret16}}]}}`))
  assert.ok('configuration' in read_)
  assert.deepEqual(providersOf(read_.configuration, { group: '', resource: 'configmaps' }), [
    { kind: 'identity' },
  ])
})

test('encryption configuration: a KMS waits three seconds by default', () => {
  const read_ = read(kms(`apiVersion: v2, name: a, ${socket}`))
  assert.ok('configuration' in read_)
  assert.deepEqual(read_.configuration.rules[0]?.providers, [
    { kind: 'kms', name: 'a', socket: '/tmp/kms.sock', timeoutMs: 3_000 },
  ])
})
