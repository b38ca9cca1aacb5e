import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../migration/evidence/decide-evidence.ts'
import { type DropAnswer, decideCanDrop, type Proof } from './decide-can-drop.ts'
import { countedIn, lamps, possiblyIn, withStoredVersions } from './facts-for-test.ts'
import type { ResourceFacts } from './resource-facts.ts'

type Want = readonly [answer: DropAnswer['answer'], proof: Proof, exit: DropAnswer['exit']]

const evidence = (verdict: Verdict) => ({ evidence: { verdict, because: `it is ${verdict}` } })
const gone = { unseen: [{ what: 'Helm releases', because: 'the right to list secrets is missing' }] } as const

const api = {
  unseen: [{ what: 'stored versions', because: 'no API shows it' }],
  stored: possiblyIn('v2'),
} as const
const blind: Want = ['could not see', 'unknown', 'unknown']
const no: Want = ['no', 'unknown', 'incomplete']
const observed: Want = ['yes', 'observed clean', 'observedClean']

const cases: readonly [name: string, seen: Partial<ResourceFacts>, want: Want][] = [
  ['the bytes of the store show none', {}, observed],
  ['a census proves it', evidence('proven'), ['yes', 'proven', 'proven']],
  ['a migration found none', { ...evidence('observed clean'), ...api }, observed],
  ['the API alone shows nothing', { ...evidence('unknown'), ...api }, blind],
  ['something blocks', withStoredVersions('v1', 'v2'), no],
  ['something blocks, and something was not seen', { ...withStoredVersions('v1'), ...gone }, no],
  ['a missing right hides what may block', gone, blind],
  [
    'the keys are missing',
    { stored: countedIn({ v2: 1 }, { hidden: [{ key: 'aesgcm:v1:a', count: 2 }] }) },
    blind,
  ],
  ['an object cannot be read', { stored: countedIn({ v2: 1 }, { unreadable: 1 }) }, blind],
  ['the bytes show none, and servers disagree on what they write', evidence('disagreed'), blind],
  [
    'a snapshot shows none, and the cluster does',
    { ...evidence('stale'), stored: countedIn({ v2: 1 }, { by: 'snapshot' }) },
    blind,
  ],
  ['a census shows none in that version, and others under an old key', evidence('stale'), observed],
  [
    'a snapshot that later writes may contradict',
    { stored: countedIn({ v2: 1 }, { by: 'snapshot', unseenSince: 'no API shows it' }) },
    blind,
  ],
  [
    'such a snapshot, and a migration found none',
    {
      ...evidence('observed clean'),
      stored: countedIn({ v2: 1 }, { by: 'snapshot', unseenSince: 'no API shows it' }),
    },
    observed,
  ],
  ['the API lists objects, and the store holds none', { stored: countedIn({}) }, blind],
  [
    'nothing is stored, and the API lists nothing',
    { stored: countedIn({}), objects: { count: 0, managers: [], lastApplied: [] } },
    observed,
  ],
  ['the stored objects may be of another group', { stored: countedIn({ v2: 1 }, { doubt: 'a' }) }, blind],
  ['the file is not exact', { stored: countedIn({ v2: 1 }, { isExact: false }) }, blind],
]
for (const [name, seen, want] of cases) {
  test(`can drop: ${name}`, () => {
    const { answer, proof, exit } = decideCanDrop('v1', { ...lamps, ...seen })
    assert.deepEqual([answer, proof, exit], want)
  })
}

test('can drop: what could not be seen is named once', () => {
  assert.deepEqual(decideCanDrop('v1', { ...lamps, ...api }).unseen, api.unseen)
})

test('can drop: the age of a snapshot is remarked on', () => {
  const served = [{ version: 'v2', deprecated: false }]
  const stored = countedIn({ v2: 1 }, { by: 'snapshot', source: 'snapshot a.db' })
  assert.deepEqual(decideCanDrop('v1', { ...lamps, served, stored }).remarks, [
    'snapshot a.db is as old as its revision 7: later writes are not counted',
  ])
})

test('can drop: a version that is still served is remarked on', () => {
  assert.match(decideCanDrop('v1', lamps).remarks.join(), /still served/)
  const served = [{ version: 'v2', deprecated: false }]
  assert.deepEqual(decideCanDrop('v1', { ...lamps, served }).remarks, [])
})

test('can drop: a yes names the next step', () => {
  assert.match(decideCanDrop('v1', lamps).next ?? '', /^remove v1 from spec\.versions of the CRD lamps\./)
  const { definition: _, ...builtIn } = lamps
  assert.match(decideCanDrop('v1', builtIn).next ?? '', /^start servers that no longer have v1/)
  assert.equal(decideCanDrop('v1', { ...lamps, ...withStoredVersions('v1') }).next, undefined)
})

test('can drop: an older revision of a Helm release blocks nothing, and a rollback to it is remarked on', () => {
  const past = { version: 'v1', name: 'shop/web (revision 1, superseded)', isPast: true } as const
  const { answer, remarks } = decideCanDrop('v1', { ...lamps, helmReleases: [past] })
  assert.equal(answer, 'yes')
  assert.match(remarks.join('\n'), /^helm rollback to these revisions will fail .*: shop\/web \(revision 1/m)
})
