import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideSameCluster, type Signs } from './decide-same-cluster.ts'

type Uids = Readonly<Record<string, string>>
const signs = (namespaces: Uids, definitions: Uids = {}): Signs => ({
  namespaces: new Map(Object.entries(namespaces)),
  definitions: new Map(Object.entries(definitions)),
})

const cases: readonly [name: string, store: Signs, cluster: Signs, want: 'same' | RegExp, unseen?: string][] =
  [
    ['kube-system', signs({ 'kube-system': 'a' }), signs({ 'kube-system': 'a' }), 'same'],
    [
      'another kube-system, whatever else is alike',
      signs({ 'kube-system': 'a', shop: 's' }),
      signs({ 'kube-system': 'b', shop: 's' }),
      /^other: its namespace kube-system has the uid a, and that of the cluster is b$/,
    ],
    ['the store shows default only', signs({ default: 'a' }), signs({ default: 'a' }), 'same'],
    [
      'another default',
      signs({ default: 'a' }),
      signs({ default: 'b' }),
      /^other: its namespace default has the uid a/,
    ],
    ['a namespace of a user', signs({ shop: 's', home: 'h' }), signs({ home: 'h' }), 'same'],
    ['a CRD', signs({}, { 'as.g.dev': 'c' }), signs({}, { 'as.g.dev': 'c' }), 'same'],
    [
      // It may have been created again since.
      'another namespace of a user of that name',
      signs({ shop: 's' }),
      signs({ shop: 't' }),
      /^unknown: the cluster has none of what is in it, such as namespace shop, with the same uid$/,
    ],
    [
      'kube-system may not be read',
      signs({ 'kube-system': 'a' }),
      signs({}),
      /^unknown: the right to get namespaces is missing$/,
      'the right to get namespaces is missing',
    ],
    ['everything is encrypted', signs({}), signs({}), /^unknown: .*give --encryption-provider-config$/],
  ]
for (const [name, store, cluster, want, unseen] of cases) {
  test(`same cluster: ${name}`, () => {
    const decided = decideSameCluster(store, cluster, unseen)
    if (want === 'same') assert.equal(decided.kind, 'same')
    else assert.match(`${decided.kind}: ${'because' in decided ? decided.because : ''}`, want)
  })
}
