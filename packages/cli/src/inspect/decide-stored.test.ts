import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideStored, type StoredSources, whyNotKnown } from './decide-stored.ts'
import { countedIn, possiblyIn } from './facts-for-test.ts'
import type { StoredSight } from './resource-facts.ts'

const reading = { from: 'snapshot', source: 'snapshot a.db', revision: 7, isExact: true } as const
const named = { group: 'g.dev', resource: 'as', prefix: 'g.dev/as', identifiedBy: 'key' } as const
const part = { bytes: 10, objects: ['a/b'] }
const census = {
  ...{ resourceVersion: '9', total: 3, unreadable: 0, proven: true },
  encodings: [{ encodingVersion: 'g.dev/v1', count: 3 }],
  objects: [{ namespace: 'a', name: 'b', encodingVersion: 'g.dev/v1' }],
}

const shown = (stored: StoredSight): string =>
  stored.kind === 'possible'
    ? `possible ${stored.versions}`
    : `${stored.source}@${stored.revision} ${stored.total}: ${[...stored.versions.map((each) => `${each.version}×${each.count}`), ...stored.hidden.map((each) => `${each.key}?×${each.count}`)]}, ${stored.unreadable} unreadable`

const cases: readonly [name: string, sources: Partial<StoredSources>, want: string][] = [
  ['nothing but the API', { possible: ['v2', 'v1', 'v2'] }, 'possible v1,v2'],
  [
    'a past migration, which is about the version that is written',
    {
      ...{ possible: ['v1', 'v2'], storage: { version: 'v2', source: 'CRD' } },
      evidence: { verdict: 'observed clean', because: 'migrated' },
    },
    'possible v2',
  ],
  [
    'a migration that showed nothing',
    {
      possible: ['v1', 'v2'],
      storage: { version: 'v2', source: 'CRD' },
      evidence: { verdict: 'unknown', because: '' },
    },
    'possible v1,v2',
  ],
  ['a census', { census, possible: ['v2'] }, 'census@9 3: v1×3, 0 unreadable'],
  ['a store without such objects', { reading }, 'snapshot a.db@7 0: , 0 unreadable'],
  [
    'a store, which counts more than a census',
    {
      ...{ reading, census },
      found: {
        stored: {
          ...{ ...named, count: 10, bytes: 99 },
          parts: [
            { ...part, form: 'json', apiVersion: 'g.dev/v2', count: 4 },
            { ...part, form: 'protobuf', apiVersion: 'extensions/v1', count: 2 },
            { ...part, form: 'encrypted', key: 'aesgcm:v1:a', apiVersion: 'g.dev/v1', count: 1 },
            { ...part, form: 'encrypted', key: 'aesgcm:v1:b', count: 2 },
            { ...part, form: 'unreadable', count: 1 },
          ],
        },
      },
    },
    'snapshot a.db@7 10: extensions/v1×2,v1×1,v2×4,aesgcm:v1:b?×2, 1 unreadable',
  ],
]
for (const [name, sources, want] of cases) {
  test(`stored: ${name}`, () =>
    assert.equal(shown(decideStored({ group: 'g.dev', possible: [], ...sources })), want))
}

test('stored: later writes are not seen in a snapshot, and in etcd they are', () => {
  const since = (from: 'etcd' | 'snapshot') => {
    const stored = decideStored({ group: '', possible: [], reading: { ...reading, from } })
    return stored.kind === 'counted' ? stored.unseenSince : undefined
  }
  assert.match(since('snapshot') ?? '', /^no API shows since when/)
  assert.equal(since('etcd'), undefined)
})

const hidden = [{ key: 'aesgcm:v1:a', count: 2 }]
const doubts: readonly [name: string, stored: StoredSight, want: RegExp | undefined][] = [
  ['everything was counted', countedIn({ v1: 3 }), undefined],
  ['only possible', possiblyIn('v1'), /no API shows it/],
  ['migrated', { kind: 'possible', versions: ['v2'], because: 'migrated', isObservedClean: true }, undefined],
  ['encrypted', countedIn({ v1: 3 }, { hidden }), /2 objects encrypted.*--encryption-provider-config/],
  [
    'encrypted under another key',
    countedIn({}, { hidden: [{ key: 'k', count: 1, because: 'no matching key' }] }),
    /1 object encrypted.*no matching key/,
  ],
  ['unreadable', countedIn({}, { unreadable: 1 }), /1 stored object cannot be read/],
  [
    'perhaps of another group',
    countedIn({ v1: 1 }, { doubt: 'the key does not tell' }),
    /the key does not tell/,
  ],
  ['not exact', countedIn({}, { isExact: false }), /etcd at a is not exact/],
]
for (const [name, stored, want] of doubts) {
  test(`stored, not known: ${name}`, () => {
    const why = whyNotKnown(stored)
    if (want) assert.match(why ?? '', want)
    else assert.equal(why, undefined)
  })
}
