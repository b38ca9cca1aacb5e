import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StoreFlags, storeChoice } from './store-choice.ts'

const etcdServers = ['http://127.0.0.1:2379']

const chosen: readonly [name: string, flags: StoreFlags, kind: string][] = [
  ['nothing said means sqlite', {}, 'sqlite'],
  ['endpoints mean etcd', { etcdServers }, 'etcd'],
  ['saying both the same way is no contradiction', { store: 'etcd', etcdServers }, 'etcd'],
]
for (const [name, flags, kind] of chosen) {
  test(`store: ${name}`, () => assert.equal(storeChoice(flags, '/d').kind, kind))
}

const refused: readonly [name: string, flags: StoreFlags, message: RegExp][] = [
  [
    'sqlite with endpoints',
    { store: 'sqlite', etcdServers },
    /--etcd-servers does not go with the sqlite store/,
  ],
  [
    'memory with endpoints',
    { store: 'memory', etcdServers },
    /--etcd-servers does not go with the memory store/,
  ],
  ['a CA without etcd endpoints', { etcdCafile: 'ca' }, /--etcd-cafile .* name the endpoints/],
  ['etcd without endpoints', { store: 'etcd' }, /name the endpoints with --etcd-servers/],
  ['a certificate without its key', { etcdServers, etcdCertfile: 'c' }, /belong together/],
  ['a store that there is not', { store: 'paper' }, /--store paper: choose memory, sqlite or etcd/],
]
for (const [name, flags, message] of refused) {
  test(`store: ${name} is refused`, () => {
    assert.throws(() => storeChoice(flags, '/d'), { name: 'CliError', exitCode: 2, message })
  })
}
