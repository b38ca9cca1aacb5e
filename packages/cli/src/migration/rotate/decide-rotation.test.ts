import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideRotation,
  type KeyedResource,
  type KeyedServer,
  type RotationFacts,
  type RotationStep,
  stillNeededBy,
} from './decide-rotation.ts'

const [one, two] = ['aesgcm:one:aaaa', 'aesgcm:two:bbbb']
const server = (
  name: string,
  writeKey: string,
  readableKeys: readonly string[],
  more: Partial<KeyedServer> = {},
): KeyedServer => ({
  ...{ serverID: `id-${name}`, name, writeKey, readableKeys },
  ...more,
})
const secrets = (
  servers: readonly KeyedServer[],
  persistedKeys: readonly string[],
  isFenced = true,
): KeyedResource => ({
  ...{ resource: 'secrets', servers, persistedKeys, isFenced },
})
const both = [one, two]
const old = [server('a', one, [one]), server('b', one, [one])]
const added = [server('a', one, both), server('b', one, both)]
const promoted = [server('a', two, [two, one]), server('b', two, [two, one])]
const half = [server('a', one, both, { wantedKey: two }), server('b', one, [one])]
const waits = [server('a', one, both, { wantedKey: two }), server('b', one, both, { wantedKey: two })]

const rows: readonly [
  what: string,
  facts: Partial<RotationFacts> & {
    servers?: readonly KeyedServer[]
    persisted?: readonly string[]
    isFenced?: boolean
  },
  want: Partial<RotationStep>,
][] = [
  ['a key that no server has is added', {}, { step: 'add', to: 'aesgcm:two', servers: ['a', 'b'] }],
  ['a name without a provider has that of the key of now', { to: 'two' }, { step: 'add', to: 'aesgcm:two' }],
  [
    'a server that lacks it is named, also if another waits for it',
    { servers: half },
    { step: 'add', to: two, servers: ['b'] },
  ],
  ['all read it: it is put first', { servers: added }, { step: 'promote', to: two, servers: ['a', 'b'] }],
  ['all want it: they agree by themselves', { servers: waits }, { step: 'agree', to: two }],
  [
    'all write it, and older objects may be left',
    { servers: promoted, persisted: both },
    { step: 'rewrite', resources: ['secrets'] },
  ],
  [
    'without its name: it is what all write',
    { servers: promoted, persisted: both, to: undefined },
    { step: 'rewrite', to: two },
  ],
  [
    'without its name: it is what all wait for',
    { servers: waits, to: undefined },
    { step: 'agree', to: two },
  ],
  [
    'an unknown past is rewritten, too',
    { servers: promoted, persisted: [two, 'Unknown'] },
    { step: 'rewrite' },
  ],
  [
    'what is not encrypted is rewritten, too',
    { servers: promoted, persisted: [two, 'identity'] },
    { step: 'rewrite' },
  ],
  [
    'nothing is left under the old one',
    { servers: promoted, persisted: [two] },
    { step: 'drop', keys: [one], servers: ['a', 'b'] },
  ],
  [
    'a file that was rejected is named first',
    { servers: promoted, persisted: [two], rejecting: ['b'] },
    { step: 'blocked' },
  ],
  [
    'without a guard nothing is dropped',
    { servers: promoted, persisted: [two], isFenced: false },
    { step: 'blocked' },
  ],
  [
    'no server has the old one',
    { servers: [server('a', two, [two, 'identity'])], persisted: [two] },
    { step: 'done', to: two },
  ],
  [
    'a server that refuses to write is named',
    { servers: [server('a', two, [two], { keyProblem: 'it lacks one' })] },
    { step: 'blocked', because: 'a: it lacks one' },
  ],
  [
    'two secrets under one name',
    { servers: [server('a', one, both), server('b', one, [one, 'aesgcm:two:cccc'])] },
    { step: 'blocked' },
  ],
  [
    'nothing is encrypted, and no key is named',
    { servers: [server('a', 'identity', ['identity'])], persisted: ['identity'], to: undefined },
    { step: 'begin' },
  ],
  [
    'nothing is encrypted, and one is',
    { servers: [server('a', 'identity', ['identity'])], persisted: ['identity'] },
    { step: 'add' },
  ],
  [
    'one key, and no other: a name is asked for',
    { servers: old, persisted: [one], to: undefined },
    { step: 'begin' },
  ],
  [
    'a further key may be old or new: a name is asked for',
    { servers: added, persisted: [one], to: undefined },
    { step: 'begin' },
  ],
  ['no resource', { resources: [] }, { step: 'begin' }],
]
for (const [what, { servers = old, persisted = [one], isFenced = true, ...facts }, want] of rows) {
  test(`rotation: ${what}`, () => {
    const resources = [secrets(servers, persisted, isFenced)]
    const step = decideRotation({ resources, to: 'aesgcm:two', rejecting: [], ...facts })
    assert.deepEqual({ ...step, ...want }, step)
  })
}

test('rotation: the earliest open step of all resources is next', () => {
  const other: KeyedResource = { ...secrets(added, [one]), resource: 'configmaps' }
  const step = decideRotation({ resources: [secrets(promoted, [two]), other], to: 'two', rejecting: [] })
  assert.deepEqual([step.step, 'servers' in step && step.servers], ['promote', ['a', 'b']])
})

test('rotation: the names of suggestions can be used', () => {
  const begin = (servers: readonly KeyedServer[]) =>
    decideRotation({ resources: [secrets(servers, [one])], to: undefined, rejecting: [] })
  const nine = [server('a', 'aesgcm:key9:aaaa', ['aesgcm:key9:aaaa'])]
  const said = [
    begin(added),
    decideRotation({ resources: [secrets(nine, ['aesgcm:key9:aaaa'])], to: undefined, rejecting: [] }),
  ]
  assert.match(JSON.stringify(said[0]), /run it with --to aesgcm:one; if it is new, with --to aesgcm:two/)
  assert.match(JSON.stringify(said[1]), /--to aesgcm:key10/)
})

test('rotation: a key that another resource may be under is not dropped', () => {
  assert.deepEqual(stillNeededBy([one], [secrets(promoted, [two])]), [])
  const deleted: KeyedResource = { ...secrets([], [one]), resource: 'gone.g.dev' }
  assert.deepEqual(stillNeededBy([one], [secrets(promoted, [two]), deleted]), [
    'gone.g.dev may have objects under aesgcm:one:aaaa',
  ])
  const unknown: KeyedResource = { ...secrets(promoted, [two, 'Unknown']), resource: 'lamps.g.dev' }
  assert.match(stillNeededBy([one], [unknown])[0] ?? '', /it is unknown under which keys/)
  const loose: KeyedResource = { ...secrets(promoted, [two], false), resource: 'lamps.g.dev' }
  assert.match(stillNeededBy([one], [loose])[0] ?? '', /it is unknown under which keys/)
  const turning = [server('a', two, [two, one], { wantedKey: one })]
  assert.match(stillNeededBy([one], [secrets(turning, [two])])[0] ?? '', /may have objects under/)
})

test('rotation: a KMS that another resource may be under is not dropped', () => {
  const [kms, kmsKey] = ['kms:vault:*', 'kms:vault:cccc']
  const writing: KeyedResource = { ...secrets([server('a', kmsKey, [kms])], [kmsKey]), resource: 'maps' }
  const deleted: KeyedResource = { ...secrets([], [kmsKey]), resource: 'gone.g.dev' }
  assert.deepEqual(stillNeededBy([kms], [writing, deleted]), [
    'maps may have objects under kms:vault:*',
    'gone.g.dev may have objects under kms:vault:*',
  ])
})
