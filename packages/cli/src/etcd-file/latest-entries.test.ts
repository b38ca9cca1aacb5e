import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chance, integer } from '@strata/world'
import { createSimRandom } from '@strata/world/sim'
import { boltFile, type Change, meta, withChecksum } from './bolt-file-for-test.ts'
import { DamagedFile } from './damaged-file.ts'
import { lastRevision, latestEntries } from './latest-entries.ts'
import { randomAccessOf } from './random-access.ts'
import { checkSnapshot } from './snapshot-checksum.ts'

const pageSize = 4096

const read = (file: Buffer): readonly string[] =>
  [...latestEntries(randomAccessOf(file))]
    .map(({ key, value, revision }) => `${key}=${Buffer.from(value)}@${revision}`)
    .sort()

const cases: readonly [name: string, changes: readonly Change[], want: readonly string[]][] = [
  ['nothing', [], []],
  ['one key', [{ key: 'a', value: '1' }], ['a=1@2']],
  [
    'only the latest value counts',
    [
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ],
    ['a=2@3'],
  ],
  ['a deleted key is gone', [{ key: 'a', value: '1' }, { key: 'b', value: '2' }, { key: 'a' }], ['b=2@3']],
  ['a key that came back', [{ key: 'a', value: '1' }, { key: 'a' }, { key: 'a', value: '3' }], ['a=3@4']],
  ['a deletion whose key was compacted', [{ key: 'a' }, { key: 'b', value: '1' }], ['b=1@3']],
  ['an empty value', [{ key: 'a', value: '' }], ['a=@2']],
]
for (const [name, changes, want] of cases) {
  test(`latest entries: ${name}`, () => assert.deepEqual(read(boltFile(changes)), want))
}

const thousand = Array.from({ length: 1000 }, (_, at) => ({
  key: `/registry/things/${at % 400}`,
  value: `v${at}`,
}))

test('latest entries: a tree of several levels, and values longer than a page', () => {
  const long = 'x'.repeat(3 * pageSize)
  const file = boltFile([...thousand, { key: '/registry/long', value: long }])
  const entries = [...latestEntries(randomAccessOf(file))]
  assert.equal(entries.length, 401)
  assert.equal(entries[0]?.value.length, long.length)
  assert.equal(lastRevision(randomAccessOf(file)), 1002)
})

test('latest entries: the newest intact meta page counts', () => {
  const file = boltFile(thousand)
  const whole = read(file)
  file.fill(0xff, 20, 60)
  assert.deepEqual(read(file), whole)
})

/** Changes bytes of a valid file. */
const damages: readonly [name: string, damage: (file: Buffer) => Buffer, message: RegExp][] = [
  ['an empty file', () => Buffer.alloc(0), /no database of etcd: .*only 0 bytes/],
  ['a file of something else', () => Buffer.alloc(99_999, 'text '), /magic number of bbolt is missing/],
  [
    'both meta pages',
    (file) => file.fill(0, 20, 30).fill(0, pageSize + 20, pageSize + 30),
    /neither meta page is valid/,
  ],
  [
    'a truncated file',
    (file) => file.subarray(0, file.length - pageSize),
    /truncated: it ends at byte \d+, in page \d+/,
  ],
  [
    'a page that is another',
    (file) => file.fill(99, 3 * pageSize, 3 * pageSize + 1),
    /page 3, at byte 12288: it says that it is page 99/,
  ],
  [
    'a page of another type',
    (file) => file.fill(0x10, 3 * pageSize + 8, 3 * pageSize + 9),
    /page 3, .*its type is 0x10/,
  ],
  [
    'too many elements',
    (file) => file.fill(0xff, 3 * pageSize + 10, 3 * pageSize + 12),
    /page 3, .*says 65535 elements/,
  ],
  [
    'an element beyond its page',
    (file) => file.fill(0xff, 3 * pageSize + 28, 3 * pageSize + 30),
    /page 3, .*element 0 ends beyond its page/,
  ],
  [
    'a root out of range',
    (file) => Buffer.concat([meta(9_999, file.length / pageSize, 8n), file.subarray(80)]),
    /page 9999, .*out of range/,
  ],
  [
    'an entry that is no message',
    (file) => file.fill(0xff, 3 * pageSize + 16 + 3 * 16 + 17, 3 * pageSize + 16 + 3 * 16 + 37),
    /revision 2 cannot be read/,
  ],
]
for (const [name, damage, message] of damages) {
  test(`latest entries: refuses ${name}`, () => {
    assert.throws(
      () => read(damage(boltFile(thousand))),
      (error) => (error instanceof DamagedFile && message.test(error.message)) || error,
    )
  })
}

test('latest entries: pages in a circle end', () => {
  const file = boltFile(thousand)
  // Each branch has its first child replaced by the page itself.
  for (let id = 3; id < file.length / pageSize; id++) {
    const at = id * pageSize
    if (file.readUInt16LE(at + 8) === 0x01) file.writeBigUInt64LE(BigInt(id), at + 24)
  }
  assert.throws(() => read(file), DamagedFile)
})

test('latest entries: another bbolt database is refused by its buckets', () => {
  assert.throws(() => read(boltFile(thousand, { bucket: 'keys' })), /no bucket "key"/)
})

test('latest entries: damaged anywhere, it is read or refused, and always ends', () => {
  const file = boltFile(thousand.slice(0, 120))
  const random = createSimRandom('damaged snapshots')
  const results = new Set<string>()
  for (let round = 0; round < 600; round++) {
    const damaged = Buffer.from(file)
    for (let flips = integer(random, 4); flips >= 0; flips--) {
      const at = integer(random, damaged.length)
      damaged[at] = (damaged[at] ?? 0) ^ (1 << integer(random, 8))
    }
    const cut = chance(random, 0.1) ? damaged.subarray(0, integer(random, damaged.length)) : damaged
    try {
      read(cut)
      results.add('read')
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error
      results.add('refused')
    }
  }
  assert.deepEqual([...results].sort(), ['read', 'refused'])
})

test('snapshot checksum: what is behind the database decides', () => {
  const database = boltFile(thousand)
  const saved = withChecksum(database)
  assert.equal(checkSnapshot(randomAccessOf(saved)), 'matches')
  assert.equal(checkSnapshot(randomAccessOf(database)), 'missing')
  saved[5000] = 1 ^ (saved[5000] ?? 0)
  assert.equal(checkSnapshot(randomAccessOf(saved)), 'wrong')
})
