import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { networkFileSystem } from './network-file-system.ts'

const cases: ReadonlyArray<[type: number, name: string | undefined]> = [
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xff534d42 | 0, 'CIFS'],
  [0xef53, undefined],
  [0x01021994, undefined],
  [0x58465342, undefined],
]
for (const [type, name] of cases) {
  test(`sqlite: file system 0x${(type >>> 0).toString(16)} is ${name ?? 'a local one'}`, () => {
    assert.equal(
      networkFileSystem('/', () => type),
      name,
    )
  })
}

test('sqlite: the directory for temporary files is a local one', () => {
  assert.equal(networkFileSystem(tmpdir()), undefined)
})
