import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKey, keyOfBytes, shortKey } from './key-text.ts'

/** Bytes name a key as it is; files and records name it percent-encoded. */
const inBytes: readonly [text: string, bytes: string | undefined, want: string][] = [
  ['not encrypted', undefined, 'identity'],
  ['a key', 'aesgcm:v1:key1', 'aesgcm:key1'],
  ['a KMS', 'kms:v2:vault', 'kms:vault'],
  ['a slash', 'aesgcm:v1:2024/01', 'aesgcm:2024%2F01'],
  ['a percent sign', 'aesgcm:v1:50%', 'aesgcm:50%25'],
  [
    'UTF-8, whose bytes were read one by one',
    `aesgcm:v1:${Buffer.from('schlüssel').toString('latin1')}`,
    `aesgcm:${encodeURIComponent('schlüssel')}`,
  ],
]
for (const [text, bytes, want] of inBytes) {
  test(`key of bytes: ${text}`, () => {
    assert.equal(keyOfBytes(bytes), want)
    const name = bytes?.split(':')[2]
    if (name !== undefined)
      assert.ok(isKey(want, `${want.split(':')[0]}:${Buffer.from(name, 'latin1').toString()}`))
    assert.ok(isKey(keyOfBytes(bytes), shortKey(want)))
  })
}
