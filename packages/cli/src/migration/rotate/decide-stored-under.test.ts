import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreTally } from '../../stored/store-tally.ts'
import { decideStoredUnder } from './decide-stored-under.ts'

const sealed = (key: string) => `k8s:enc:aesgcm:v1:${key}:x`
const plain = (apiVersion: string) => JSON.stringify({ apiVersion, kind: 'A' })
const ingresses = { group: 'networking.k8s.io', resource: 'ingresses' }
const oldIngresses = { group: 'extensions', resource: 'ingresses' }
const secrets = { group: '', resource: 'secrets' }
type Entries = readonly (readonly [at: string, value: string])[]

const cases: ReadonlyArray<
  [
    name: string,
    entries: Entries,
    chosen: readonly { group: string; resource: string }[],
    want: readonly string[],
    doubt?: RegExp,
  ]
> = [
  [
    'a key with a slash in its name, in a resource that was not chosen',
    [
      ['secrets', sealed('two')],
      ['configmaps', sealed('2024/01')],
      ['pods', sealed('foreign')],
    ],
    [secrets],
    ['configmaps aesgcm:2024%2F01×1', 'secrets aesgcm:two×1'],
  ],
  [
    'clear text below a prefix of two groups',
    [
      ['ingress', plain('extensions/v1beta1')],
      ['ingress', plain('networking.k8s.io/v1')],
    ],
    [ingresses],
    ['ingresses.networking.k8s.io identity×2'],
  ],
  [
    'both groups are chosen: counted once',
    [['ingress', plain('extensions/v1beta1')]],
    [ingresses, oldIngresses],
    ['ingresses.networking.k8s.io identity×1'],
  ],
  [
    'bytes that nobody can read, of a group that only the cluster knows',
    [['ingress', 'damaged']],
    [ingresses],
    ['ingresses.networking.k8s.io unreadable×1'],
    /several groups may have ingresses/,
  ],
  [
    'a name that bytes cut at a colon, in a resource that was not chosen',
    [['configmaps', sealed('a:b')]],
    [secrets],
    ['configmaps aesgcm:a×1'],
  ],
  [
    'an encrypted value whose head is cut off',
    [['configmaps', 'k8s:enc:aes']],
    [secrets],
    ['configmaps unreadable×1'],
  ],
]
for (const [name, entries, chosen, want, doubt] of cases) {
  test(`stored under: ${name}`, async () => {
    const tally = new StoreTally({ root: '/registry', served: [ingresses, oldIngresses, secrets] })
    for (const [at, value] of entries)
      await tally.add({ key: `/registry/${at}/default/a`, value: Buffer.from(value, 'latin1') })
    const sight = { resources: tally.resources(), definitions: tally.definitions }
    const keys = ['aesgcm:two', 'aesgcm:2024%2F01', 'aesgcm:a%3Ab', 'identity']
    const found = decideStoredUnder(sight, chosen, keys)
    const shown = found.stored.flatMap(({ resource, keys: counts }) =>
      counts.map(({ key, count }) => `${resource} ${key}×${count}`),
    )
    assert.deepEqual(shown.toSorted(), want)
    if (doubt) assert.match(found.doubt ?? '', doubt)
    else assert.equal(found.doubt, undefined)
  })
}
