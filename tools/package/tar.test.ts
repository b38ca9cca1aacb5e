import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { compress, writeTar } from './tar.ts'

const long = `${'folder/'.repeat(20)}${'n'.repeat(60)}`
const entries = [
  { path: 'b/program', content: Buffer.from('#!'), mode: 0o755 },
  { path: 'b' },
  { path: 'a', link: 'b/program' },
  { path: 'd', mode: 0o700, owner: 65532 },
  { path: long, content: Buffer.alloc(600, 'x') },
]

describe('tar', () => {
  test('tar lists what was put in, sorted, with modes, owners, links and long paths', () => {
    const listed = execFileSync('tar', ['--numeric-owner', '--utc', '-tvf', '-'], {
      input: writeTar(entries),
      encoding: 'utf8',
    })
    const lines = listed
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '))
    assert.deepEqual(lines, [
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 a -> b/program',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 b/',
      '-rwxr-xr-x 0/0 2 1970-01-01 00:00 b/program',
      'drwx------ 65532/65532 0 1970-01-01 00:00 d/',
      `-rw-r--r-- 0/0 600 1970-01-01 00:00 ${long}`,
    ])
  })

  test('the order of the entries does not change the bytes', () => {
    assert.deepEqual(writeTar(entries.toReversed()), writeTar(entries))
  })

  test('a path that the format has no room for is refused', () => {
    assert.throws(() => writeTar([{ path: 'n'.repeat(101), content: Buffer.from('') }]), /too long/)
  })

  test('what was compressed is whole, and its header names no time and no system', () => {
    const compressed = compress(Buffer.from('text'))
    assert.equal(gunzipSync(compressed).toString(), 'text')
    assert.deepEqual([...compressed.subarray(4, 8), compressed[9]], [0, 0, 0, 0, 255])
  })
})
