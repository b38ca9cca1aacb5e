import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyStoreError } from './empty-store.ts'
import { findRoots } from './find-roots.ts'

const rows: readonly [others: readonly string[] | string, want: string][] = [
  [[], 'etcd holds no object below /foo: it holds no key at all'],
  [
    ['/registry'],
    "etcd holds no object below /foo: its keys begin with /registry (1 prefix); name the servers' --etcd-prefix",
  ],
  [
    ['/a', '/registry'],
    "etcd holds no object below /foo: its keys begin with /a, /registry (2 prefixes); name the servers' --etcd-prefix",
  ],
  [
    'permission denied',
    'etcd holds no object below /foo; which other keys it holds was not seen: permission denied',
  ],
]
for (const [others, want] of rows) {
  test(`empty store: ${want}`, () => {
    const { message, exitCode } = emptyStoreError('etcd', '/foo', others)
    assert.deepEqual([message, exitCode], [want, 5])
  })
}

test('empty store: each prefix costs one request, however many keys it has', async () => {
  const keys = ['/calico/a', '/calico/b', '/registry', '/registry/pods/a', '/registry/é/b', 'alone', 'z/1']
  const asked: (string | undefined)[] = []
  const next = async (after: string | undefined): Promise<string | undefined> => {
    asked.push(after)
    return keys.find((each) => after === undefined || each > after)
  }
  assert.deepEqual(await findRoots(next), ['/calico', '/registry', 'alone', 'z'])
  assert.ok(asked.length <= 6, `${asked.length} requests`)
  let count = 0
  const many = await findRoots(async () => `/${String(count++).padStart(4, '0')}/a`)
  assert.equal(many.length, 20)
})
