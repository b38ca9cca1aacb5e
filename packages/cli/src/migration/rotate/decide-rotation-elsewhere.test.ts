import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideRotationElsewhere,
  type ElsewhereFacts,
  type ElsewhereStep,
  withoutMetricText,
} from './decide-rotation-elsewhere.ts'

const rule = { resource: 'secrets', writes: 'aesgcm:two', reads: ['aesgcm:two', 'aesgcm:one', 'identity'] }
const stored = (...keys: readonly [key: string, count: number][]) => [
  { resource: 'secrets', keys: keys.map(([key, count]) => ({ key, count })) },
]
const store = {
  source: 'etcd',
  isLive: true,
  renewals: new Map<string, number>(),
  doubt: undefined,
  stored: stored(['aesgcm:two', 9]),
}
/** Everything was seen, and nothing is under the old key. */
const seen: ElsewhereFacts = {
  ...{ to: undefined, file: { hash: 'h2', rules: [rule] }, blind: [], store, hasStood: true },
  withoutMetric: [],
  servers: [
    { server: 'a', name: 'apiserver-a' },
    { server: 'b', name: 'apiserver-b' },
  ],
  loaded: [
    { server: 'a', file: 'h2' },
    { server: 'b', file: 'h2' },
    { server: 'b', file: 'h2' },
  ],
}

const since = (sinceMs: number) => ['a', 'b'].map((server) => ({ server, file: 'h2', sinceMs }))
const snapshotAt = (ms: number) => ({
  ...{ ...store, isLive: false },
  renewals: new Map([
    ['a', ms],
    ['b', ms + 5],
  ]),
})

const rows: readonly [
  what: string,
  facts: Partial<ElsewhereFacts>,
  next: Partial<ElsewhereStep>,
  unseen?: RegExp,
][] = [
  ['everything was seen', {}, { step: 'drop', keys: ['aesgcm:one'] }],
  ['not for long enough: a write under the old file may arrive', { hasStood: false }, { step: 'wait' }],
  [
    'objects are left',
    { store: { ...store, stored: stored(['aesgcm:two', 8], ['aesgcm:one', 1]) } },
    { step: 'rewrite', because: '1 object of secrets under aesgcm:one' },
  ],
  [
    'bytes that nobody can rewrite',
    { store: { ...store, stored: stored(['unreadable', 1], ['aesgcm:one', 1]) } },
    { step: 'blocked' },
  ],
  [
    'objects are not encrypted',
    { store: { ...store, stored: stored(['identity', 2]) } },
    { step: 'rewrite', because: '2 objects of secrets not encrypted' },
  ],
  [
    'a server has another file',
    {
      loaded: [
        { server: 'a', file: 'h2' },
        { server: 'b', file: 'h1' },
      ],
    },
    { step: 'load', servers: ['apiserver-b'] },
  ],
  [
    'a server has no file',
    {
      loaded: [
        { server: 'a', file: 'h2' },
        { server: 'b', file: undefined },
      ],
    },
    { step: 'load', servers: ['apiserver-b'] },
  ],
  [
    'the new key is not the first one',
    { to: 'one' },
    { step: 'promote', to: 'aesgcm:one', resources: ['secrets'] },
  ],
  ['a key that the file lacks', { to: 'aesgcm:three' }, { step: 'add', to: 'aesgcm:three' }],
  [
    'the old key is gone from the file',
    { file: { hash: 'h2', rules: [{ ...rule, reads: ['aesgcm:two', 'identity'] }] } },
    { step: 'done' },
  ],
  ['no store', { store: undefined }, { step: 'rewrite' }, /^what is stored: no API shows/],
  [
    'a snapshot',
    { store: { ...store, isLive: false } },
    { step: 'blocked' },
    /stored after the snapshot was taken/,
  ],
  [
    'a snapshot, taken long after all had the file',
    { loaded: since(0), hasStood: false, store: snapshotAt(70_000) },
    { step: 'drop' },
  ],
  [
    'a snapshot, taken too soon',
    { loaded: since(0), store: snapshotAt(69_999) },
    { step: 'blocked' },
    /more than a minute after every server/,
  ],
  [
    'a snapshot with the Lease of a server that is gone',
    {
      loaded: since(0),
      store: { ...snapshotAt(70_000), renewals: new Map([...snapshotAt(70_000).renewals, ['c', 0]]) },
    },
    { step: 'blocked' },
    /stored after the snapshot/,
  ],
  [
    'a snapshot without the Lease of a server',
    { loaded: since(0), store: { ...snapshotAt(70_000), renewals: new Map([['a', 70_000]]) } },
    { step: 'blocked' },
    /stored after the snapshot/,
  ],
  [
    'a store of perhaps another cluster',
    { store: { ...store, doubt: 'it is not known whose it is' } },
    { step: 'blocked' },
    /what is stored: it is not known/,
  ],
  [
    'a server that did not answer',
    { loaded: [{ server: 'a', file: 'h2' }] },
    { step: 'blocked' },
    /the file that apiserver-b has loaded/,
  ],
  [
    'an address that could not be asked',
    { blind: ['https://c: 403'] },
    { step: 'blocked' },
    /https:\/\/c: 403/,
  ],
  ['no Leases', { servers: undefined }, { step: 'blocked' }, /which API servers there are/],
  [
    'a KMS in the file, and nothing is under it',
    { file: { hash: 'h2', rules: [{ ...rule, reads: [...rule.reads, 'kms:vault'] }] } },
    { step: 'drop', keys: ['aesgcm:one', 'kms:vault'] },
  ],
  [
    'objects are under a KMS',
    {
      file: { hash: 'h2', rules: [{ ...rule, reads: [...rule.reads, 'kms:vault'] }] },
      store: { ...store, stored: stored(['aesgcm:two', 1], ['kms:vault', 1]) },
    },
    { step: 'rewrite', because: '1 object of secrets under kms:vault' },
  ],
  [
    'from a key to a KMS',
    {
      file: { hash: 'h2', rules: [{ ...rule, writes: 'kms:vault', reads: ['kms:vault', 'aesgcm:one'] }] },
      store: { ...store, stored: stored(['kms:vault', 9]) },
    },
    { step: 'drop', keys: ['aesgcm:one'] },
  ],
  [
    'only a KMS: the key in it is not seen',
    {
      file: { hash: 'h2', rules: [{ ...rule, writes: 'kms:vault', reads: ['kms:vault', 'identity'] }] },
      store: { ...store, stored: stored(['kms:vault', 9]) },
    },
    { step: 'done' },
    /which key of kms:vault/,
  ],
  [
    'a name with a colon, which bytes do not tell from another',
    { file: { hash: 'h2', rules: [{ ...rule, reads: [...rule.reads, 'aesgcm:two%3Ab'] }] } },
    { step: 'blocked' },
    /up to the first colon of its name: aesgcm:two:b/,
  ],
  [
    'from a key of the name identity to clear text',
    {
      to: 'identity',
      file: { hash: 'h2', rules: [{ ...rule, writes: 'identity', reads: ['identity', 'aesgcm:identity'] }] },
      store: { ...store, stored: stored(['aesgcm:identity', 1]) },
    },
    { step: 'rewrite', because: '1 object of secrets under aesgcm:identity' },
  ],
  [
    'a key of the name identity was the last one',
    {
      to: 'identity',
      file: { hash: 'h2', rules: [{ ...rule, writes: 'identity', reads: ['aesgcm:identity', 'identity'] }] },
      store: { ...store, stored: stored(['identity', 1]) },
    },
    { step: 'drop', keys: ['aesgcm:identity'] },
  ],
  [
    'a name that the file encodes',
    {
      file: { hash: 'h2', rules: [{ ...rule, reads: ['aesgcm:two', 'aesgcm:2024%2F01'] }] },
      store: { ...store, stored: stored(['aesgcm:2024%2F01', 1]) },
    },
    { step: 'rewrite', because: '1 object of secrets under aesgcm:2024/01' },
  ],
  [
    'the old key is gone from the file, and a write under it may arrive',
    { file: { hash: 'h2', rules: [{ ...rule, reads: ['aesgcm:two', 'identity'] }] }, hasStood: false },
    { step: 'wait' },
  ],
  [
    'the old key is gone from the file, and a server was not seen',
    {
      file: { hash: 'h2', rules: [{ ...rule, reads: ['aesgcm:two', 'identity'] }] },
      loaded: [{ server: 'a', file: 'h2' }],
    },
    { step: 'blocked' },
    /the file that apiserver-b has loaded/,
  ],
  [
    'a server runs without the file, and its objects are not encrypted',
    {
      ...{ loaded: [], withoutMetric: ['https://a'], blind: ['https://a: no metric'] },
      store: { ...store, stored: stored(['identity', 6]) },
    },
    { step: 'load', servers: ['https://a'], because: withoutMetricText },
    /^https:\/\/a: no metric$/m,
  ],
  [
    'one server has another file, and one runs without',
    { loaded: [{ server: 'b', file: 'h1' }], withoutMetric: ['https://a'], blind: ['x'] },
    { step: 'load', servers: ['https://a', 'apiserver-b'], because: withoutMetricText },
    /^x$/,
  ],
  [
    'no server could be asked, and objects are left',
    { loaded: [], blind: ['x'], store: { ...store, stored: stored(['aesgcm:one', 1]) } },
    { step: 'blocked', because: 'no server shows that it has loaded the file' },
    /no answer came/,
  ],
  [
    'no server could be asked, and no store',
    { loaded: [], store: undefined },
    { step: 'blocked', because: 'no server shows that it has loaded the file' },
    /no answer came/,
  ],
  [
    'a rewrite that moved nothing',
    {
      before: stored(['aesgcm:two', 1], ['identity', 6]),
      store: { ...store, stored: stored(['identity', 6]) },
    },
    {
      step: 'blocked',
      because:
        'the rewrite moved nothing: 6 objects of secrets not encrypted. The servers do not write with aesgcm:two',
    },
  ],
  [
    'a rewrite that moved some',
    { before: stored(['aesgcm:one', 6]), store: { ...store, stored: stored(['aesgcm:one', 1]) } },
    { step: 'rewrite' },
  ],
  [
    'a rewrite, and no store: another one would show no more',
    { before: [], store: undefined },
    { step: 'blocked' },
    /^what is stored: no API shows/,
  ],
  ['no file', { file: undefined }, { step: 'begin' }, /the file of the servers/],
]
for (const [what, facts, next, unseen] of rows) {
  test(`rotation elsewhere: ${what}: ${next.step}`, () => {
    const decision = decideRotationElsewhere({ ...seen, ...facts })
    assert.deepEqual({ ...decision.next, ...next }, decision.next)
    if (unseen === undefined) assert.deepEqual(decision.unseen, [])
    else assert.match(decision.unseen.join('\n'), unseen)
  })
}

test('rotation elsewhere: without any of what has to be seen, no key is ever dropped', () => {
  const partial: readonly Partial<ElsewhereFacts>[] = [
    ...[
      { file: undefined },
      { servers: undefined },
      { loaded: [] },
      { blind: ['x'] },
      { store: undefined },
      { hasStood: false },
    ],
    ...[{ store: { ...store, isLive: false } }, { store: { ...store, doubt: 'x' } }],
  ]
  for (const each of partial) assert.notEqual(decideRotationElsewhere({ ...seen, ...each }).next.step, 'drop')
})

test('rotation elsewhere: a server that answered without the metric is not said to be silent', () => {
  const loaded = [{ server: 'b', file: 'h2' }]
  const one = decideRotationElsewhere({ ...seen, loaded, withoutMetric: ['https://a'], blind: ['x'] })
  assert.deepEqual(one.unseen, ['x'])
  const two = decideRotationElsewhere({ ...seen, loaded: [], withoutMetric: ['https://a'], blind: ['x'] })
  assert.match(two.unseen.join('\n'), /^the file that apiserver-a has loaded: no answer names it/)
  assert.doesNotMatch(two.unseen.join('\n'), /no answer came/)
})
