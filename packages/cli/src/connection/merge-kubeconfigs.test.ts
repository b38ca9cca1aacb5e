import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KubeconfigFile, mergeKubeconfigs } from './merge-kubeconfigs.ts'

const file = (path: string, config: Readonly<Record<string, unknown>>): KubeconfigFile => ({ path, config })
const cluster = (name: string, fields: object) => ({ name, cluster: fields })
const context = (name: string, of: string) => ({ name, context: { cluster: of, user: 'admin' } })
const user = (token: string) => ({ name: 'admin', user: { token } })

const a = file('/a/config', {
  'current-context': 'a',
  contexts: [context('a', 'a')],
  clusters: [cluster('a', { server: 'https://a' })],
  users: [user('of a')],
})
const b = file('/b/config', {
  'current-context': 'b',
  contexts: [context('b', 'b')],
  clusters: [cluster('b', { server: 'https://b' })],
  users: [user('of b')],
})

/** Each entry with its file and a field that identifies it. */
function shown(files: readonly KubeconfigFile[]): Record<string, unknown> {
  const { paths, currentContext, contexts, clusters, users } = mergeKubeconfigs(files)
  const entries = (map: typeof contexts, field: string) =>
    [...map].map(([name, { path, fields }]) => `${name} of ${path}: ${String(fields[field])}`)
  return {
    ...{ paths: paths.join(), currentContext, contexts: entries(contexts, 'cluster') },
    ...{ clusters: entries(clusters, 'server'), users: entries(users, 'token') },
  }
}

const cases: readonly [name: string, files: readonly KubeconfigFile[], want: Record<string, unknown>][] = [
  ['nothing', [], { paths: '', currentContext: '', contexts: [], clusters: [], users: [] }],
  [
    'entries of different files are joined, and the first of a name counts',
    [a, b],
    {
      paths: '/a/config,/b/config',
      currentContext: 'a',
      contexts: ['a of /a/config: a', 'b of /b/config: b'],
      clusters: ['a of /a/config: https://a', 'b of /b/config: https://b'],
      users: ['admin of /a/config: of a'],
    },
  ],
  [
    'in the other order the other counts',
    [b, a],
    { currentContext: 'b', users: ['admin of /b/config: of b'] },
  ],
  [
    'a file without a current context leaves it to the next, and one that is empty changes nothing',
    [file('/empty', {}), file('/c', { 'current-context': '', clusters: [] }), b],
    { currentContext: 'b', contexts: ['b of /b/config: b'] },
  ],
  [
    'the current context may stand in another file',
    [file('/c', { 'current-context': 'b' }), a, b],
    { currentContext: 'b', contexts: ['a of /a/config: a', 'b of /b/config: b'] },
  ],
  [
    'fields of one name are not mixed',
    [file('/c', { clusters: [cluster('a', { 'certificate-authority-data': 'X' })] }), a],
    { clusters: ['a of /c: undefined'] },
  ],
  [
    'within a file the first of a name counts, and values that are not entries are skipped',
    [file('/c', { contexts: ['x', null, context('a', 'one'), context('a', 'two')], users: 'none' })],
    { contexts: ['a of /c: one'], users: [] },
  ],
]
for (const [name, files, want] of cases) {
  test(`kubeconfigs together: ${name}`, () => {
    const seen = shown(files)
    for (const [field, value] of Object.entries(want)) assert.deepEqual(seen[field], value, field)
  })
}

test('kubeconfigs together: a file that one names is found beside it', () => {
  const named = { 'certificate-authority': 'ca.crt' }
  const files = [
    file('/a/config', {
      clusters: [cluster('a', named)],
      users: [{ name: 'u', user: { tokenFile: '../t' } }],
    }),
    file('/b/config', {
      clusters: [cluster('b', named), cluster('c', { 'certificate-authority': '/d/ca' })],
    }),
  ]
  const { clusters, users } = mergeKubeconfigs(files)
  assert.deepEqual(
    [...clusters.values()].map(({ fields }) => fields['certificate-authority']),
    ['/a/ca.crt', '/b/ca.crt', '/d/ca'],
  )
  assert.equal(users.get('u')?.fields['tokenFile'], '/t')
})
