import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { boltFile } from '../etcd-file/bolt-file-for-test.ts'
import { observeBytes } from './stored-bytes.ts'

const key = '/registry/configmaps/n/a'
const file = boltFile([{ key, value: 'not JSON' }])
const checksum = createHash('sha256').update(file).digest()

const rows: readonly [what: string, end: Buffer, doubt: RegExp | undefined][] = [
  ['a checksum that matches', checksum, undefined],
  ['a wrong checksum', Buffer.alloc(32, 1), /checksum .* does not match/],
  ['no checksum, as the db file of a member', Buffer.alloc(0), /no checksum/],
]
for (const [what, end, doubt] of rows) {
  test(`bytes of a snapshot with ${what}: ${doubt ? 'in doubt' : 'exact'}`, async (t) => {
    const snapshot = await fileWith(t, Buffer.concat([file, end]))
    const source = { from: { snapshot }, root: '/registry' }
    const resource = { group: '', resource: 'configmaps' }
    const world = createNodeWorld({ log: silentLog })
    const sight = await observeBytes(source, resource, [key], world, new AbortController().signal)
    assert.deepEqual(
      sight.found.map(({ value, read }) => [Buffer.from(value).toString(), read.form]),
      [['not JSON', 'unreadable']],
    )
    if (doubt === undefined) assert.equal(sight.doubt, undefined)
    else assert.match(sight.doubt ?? '', doubt)
  })
}

async function fileWith(t: TestContext, bytes: Buffer): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-bytes-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'snapshot.db')
  await writeFile(path, bytes)
  return path
}
